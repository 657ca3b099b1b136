"""What contacts have bent goes straight without speed, and nobody but who is near moves for that."""

import numpy as np
import pytest
from flotsam.engine import SpringGraphSpec, WorldSpec, build_world
from shapes import sheet

SIDE = 9
MIDDLE = SIDE * SIDE // 2


def test_only_who_is_near_goes_straight():
    """A sheet that is stretched by a hundredth, whose middle was set back: that goes straight, all else stays.

    The middle lies 0.05 m off its place, sideways, in the plane; springs pull it back to where they pull all around
    alike, which is its place. Whom no spring joins to it keeps its place to the last bit, though its springs pull too.
    """
    vertices, triangles, edges = sheet((0.8, 0.8), (SIDE - 1, SIDE - 1))
    spec = SpringGraphSpec("sheet", vertices, triangles, edges, mass=0.1, stiffness=1e5)
    world = build_world(WorldSpec((spec,), gravity=(0.0, 0.0, 0.0)))
    state, graph = world.state, world.systems[0]
    begun = 1.01 * vertices
    begun[MIDDLE, 0] += 0.05
    state.x_prev[:] = begun
    state.bent[MIDDLE] = True
    graph.unbend.act(state, world.holds, world.model.inv_mass, world.h)
    i, j = graph.springs.i, graph.springs.j
    joined = np.unique(np.concatenate([graph.rows.ids[b[(a == graph.rows.row[MIDDLE]) & (b < graph.rows.spare)]]
                                       for a, b in ((i, j), (j, i))]))
    far = np.setdiff1d(np.arange(len(vertices)), np.append(joined, MIDDLE))
    assert len(joined) >= 4
    assert len(far) > 40
    assert np.array_equal(state.x_prev[far], begun[far])
    assert np.linalg.norm(state.x_prev[MIDDLE] - 1.01 * vertices[MIDDLE]) < 0.005
    assert not state.bent.any()
    assert state.v == pytest.approx(0.0)
