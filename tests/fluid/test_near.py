"""Triangles near particles are found in groups: none within reach is missed, whatever the groups are."""

from __future__ import annotations

import numpy as np
from flotsam.engine.systems.fluid.bounds import GROUPED, MOST_GROUP, NearLists
from flotsam.engine.systems.fluid.solver import FluidSolver
from flotsam.engine.systems.fluid.triangle import closest_weights
from flotsam.engine.systems.fluid.wall_table import Triangles
from flotsam.engine.systems.fluid.walls import NEAR
from fluid_naive import columns, lattice

SPACING, QUADS = 0.05, 14
SUPPORT = 2.0 * SPACING


def mesh() -> np.ndarray:
    """Corners (t, 3, 3) of a wavy sheet of small triangles through a block of fluid, and of a large one below it."""
    along = np.linspace(0.0, 0.5, QUADS + 1)
    x, y = np.meshgrid(along, along, indexing="ij")
    points = np.stack([x, y, 0.2 + 0.05 * np.sin(15.0 * x) * np.cos(11.0 * y)], axis=-1).reshape(-1, 3)
    a = (np.arange(QUADS)[:, None] * (QUADS + 1) + np.arange(QUADS)).ravel()
    quads = np.stack([a, a + 1, a + QUADS + 2, a, a + QUADS + 2, a + QUADS + 1], axis=1).reshape(-1, 3)
    large = [[[-1.0, -1.0, 0.0], [2.0, -1.0, 0.0], [0.0, 2.0, 0.0]]]
    return np.concatenate([points[quads], large]).astype(np.float32)


def sheets(corners: np.ndarray) -> Triangles:
    """Static triangles, with two sides each."""
    return Triangles(corners, corners, np.ones((len(corners), 2), dtype=np.float32), np.zeros(len(corners), dtype=bool))


def group_firsts(lists: NearLists) -> list[int]:
    """The first triangle of each group, in sequence."""
    firsts = [0]
    while lists.stop[firsts[-1]] < len(lists.stop):
        firsts.append(int(lists.stop[firsts[-1]]))
    return firsts


def assert_balls_hold(lists: NearLists, corners: np.ndarray) -> None:
    """Each group's bounding ball contains all its corners."""
    for first in group_firsts(lists):
        away = np.linalg.norm(corners[first : lists.stop[first]] - lists.ball[first, :3], axis=2)
        assert away.max() <= lists.ball[first, 3] * (1.0 + 1e-6)


def assert_none_missed(solver: FluidSolver, corners: np.ndarray) -> int:
    """Each triangle within reach of a particle is in the list of its cell; returns how many there are."""
    lists, cells, before, found = solver._near._lists, solver.cells, solver._before, 0
    for a in range(0, len(cells.first), 5):
        listed = set()
        for first in lists.near[lists.start[a] : lists.start[a + 1]]:
            listed |= set(range(first, lists.stop[first]))
        for i in range(cells.first[a], cells.stop[a]):
            point = before[:, i]
            for t in range(len(corners)):
                away = np.linalg.norm(np.array(closest_weights(corners, t, *point)) @ corners[t] - point)
                assert away > NEAR * SUPPORT or t in listed
                found += away <= NEAR * SUPPORT
    return found


def test_no_triangle_within_reach_is_missed() -> None:
    """Each particle's distance to each triangle, one by one, compared with the list of the particle's cell."""
    solver, x, corners = FluidSolver(SPACING), lattice((9, 9, 7), SPACING), mesh()
    solver.step(x, np.zeros_like(x), 1e-4, columns(len(x)), 0, sheets(corners))
    lists = solver._near._lists
    firsts = group_firsts(lists)
    sizes = np.diff([*firsts, len(corners)])
    assert sizes.max() <= MOST_GROUP and sizes[-1] == 1 and sizes.mean() > 6.0
    assert lists.ball[firsts[:-1], 3].max() < 1.01 * GROUPED * SUPPORT
    assert_balls_hold(lists, corners)
    assert assert_none_missed(solver, corners) > 1000


def test_balls_go_with_triangles_that_lists_still_hold() -> None:
    """After displacements of less than two fifths of the support: the same lists, and balls around the triangles."""
    solver, x, corners = FluidSolver(SPACING), lattice((9, 9, 7), SPACING), mesh()
    for step in range(2):
        moved = corners + np.float32(0.38 * SUPPORT * step)
        solver.step(x, np.zeros_like(x), 1e-4, columns(len(x)), 0, sheets(moved))
        lists = solver._near._lists
        assert_balls_hold(lists, moved)
        if step == 0:
            start = lists.start
    assert lists.start is start
    assert assert_none_missed(solver, moved) > 1000


def test_faces_are_where_the_step_ends() -> None:
    """Normals are those of the end, upwards without area; triangles that do not move in the step are marked at rest."""
    solver, x, corners = FluidSolver(SPACING), lattice((9, 9, 7), SPACING), mesh()
    corners[3] = corners[3, 0]
    end = corners.copy()
    end[5:9, 2, 1] += np.float32(1e-6)
    moving = sheets(corners)._replace(end=end)
    solver.step(x, np.zeros_like(x), 1e-4, columns(len(x)), 0, moving)
    face, wide = solver._near._lists.face, end.astype(float)
    normal = np.cross(wide[:, 1] - wide[:, 0], wide[:, 2] - wide[:, 0])
    normal[3] = [0.0, 0.0, 1.0]
    np.testing.assert_allclose(face[:, :3], normal / np.linalg.norm(normal, axis=1)[:, None], atol=1e-5)
    np.testing.assert_array_equal(face[:, 3] == 1.0, (corners == end).all(axis=(1, 2)))
    assert np.flatnonzero(face[:, 3] == 0.0).tolist() == [5, 6, 7, 8]
