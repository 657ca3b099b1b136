"""Recovery removes overlap at a limited speed, also at the particles that move farthest."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.collide.response.response import RECOVERY_SPEED, solve_contacts
from flotsam.engine.solver.contact_buffer import contact_buffer
from shapes import box, sphere

H = 0.01


@pytest.mark.parametrize("share", [1.0, 0.3, 0.1, 0.02])
def test_recovery_moves_no_corner_faster_than_its_limit(share: float) -> None:
    """A wall's vertex lies a metre deep in a triangle with two held corners; the free corner has a weight of `share`.

    With a weight of a tenth, the free corner once moved at ten times the limit, and its springs turned that into
    velocity.
    """
    x = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [-1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    buffer = contact_buffer(1)
    buffer.contact[0], buffer.normal[0] = [3, 1, 2, 0], [0.0, 0.0, -1.0]
    buffer.weight[0] = [share, 0.5 - 0.5 * share, 0.5 - 0.5 * share, -1.0]
    inverse, x_prev, start = np.array([0.0, 0.0, 0.0, 40.0]), x.copy(), x.copy()
    solve_contacts(
        0, 1, False, buffer.columns, inverse, start.copy(), x_prev, H, x, np.zeros_like(x), False
    )
    displacement = x - start
    np.testing.assert_array_equal(displacement[:3], 0.0)
    np.testing.assert_allclose(displacement[3], [0.0, 0.0, -RECOVERY_SPEED * H], atol=1e-12)
    np.testing.assert_array_equal(x, x_prev)


def test_recovery_gives_way_to_springs_that_resist_it() -> None:
    """A jelly of 1 m that starts around a boulder, which it cannot leave, ends with no edge beyond twice its length.

    Contacts of the inner steps keep what recovery compresses in a substep, and the next substep compresses it more:
    with the same speed in each substep edges get 2.2 to 2.4 times as long, and with a speed that falls with the
    accumulated correction of a contact 1.4 to 1.7.
    """
    vertices, triangles = box(1.0, 4)
    jelly = SpringGraphSpec(
        "jelly", vertices + [0.0, 0.0, 0.3], triangles, rings=2, struts=3, stiffness=3000.0, mass=20.0, friction=0.6,
        thickness=0.01, damping=0.3,
    )
    world = build_world(WorldSpec((jelly, ColliderSpec("boulder", *sphere(0.4, 2)))))
    for _ in range(60):
        step_frame(world)
    edges, x = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), world.positions("jelly")
    longest = (np.linalg.norm(np.diff(at[edges], axis=1)[:, 0], axis=1) for at in (x, vertices))
    assert np.divide(*longest).max() < 2.0
