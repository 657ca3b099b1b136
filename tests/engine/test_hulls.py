"""Convex rigid bodies: hull detection and collision as solids."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.mesh.graph.parts import find_parts
from flotsam.engine.solver.rigid.hulls.hull import find_hull
from flotsam.engine.world.world import World
from shapes import box, sphere, torus


@pytest.mark.parametrize(
    ("shape", "corners", "faces", "edges"),
    [(box(1.0, 1), 8, 6, 12), (box(1.0, 5), 8, 6, 12), (sphere(0.5, 0), 6, 8, 12)],
    ids=["box", "cut box", "octahedron"],
)
def test_a_convex_mesh_is_its_corners_faces_and_edges(
    shape: tuple[np.ndarray, np.ndarray], corners: int, faces: int, edges: int
) -> None:
    """Everything inside a flat face is left out; the remaining triangles enclose the same volume."""
    vertices, triangles = shape
    hull = find_hull(vertices, find_parts(vertices, triangles).triangles)
    assert hull is not None
    assert (len(hull.corner), len(hull.normal), len(hull.edge)) == (corners, faces, edges)
    volumes = [
        np.einsum("tk,tk->", vertices[t[:, 0]], np.cross(vertices[t[:, 1]], vertices[t[:, 2]])) / 6.0
        for t in (hull.triangles(), find_parts(vertices, triangles).triangles)
    ]
    assert volumes[0] == pytest.approx(volumes[1], rel=1e-12)


def test_rounding_changes_no_order() -> None:
    """Two boxes that differ in the last digits have the same faces, and the same corners in the same order."""
    vertices, triangles = box(0.5, 1)
    random = np.random.default_rng(4)
    loops = []
    for _ in range(20):
        hull = find_hull(vertices + random.uniform(-4e-8, 4e-8, vertices.shape), triangles)
        loops.append([loop.tolist() for loop in hull.loops])
    assert loops == [loops[0]] * 20


def test_what_is_round_or_has_a_dent_is_no_hull() -> None:
    """A ring, a ball of many faces, and a box with one corner pushed in."""
    dented = box(1.0, 2)[0].copy()
    dented[np.argmax(dented @ [1.0, 1.0, 1.0])] *= 0.6
    for vertices, triangles in (torus(0.5, 0.2, 16, 8)[:2], sphere(0.5, 3), (dented, box(1.0, 2)[1])):
        assert find_hull(vertices, find_parts(vertices, triangles).triangles) is None


def momenta(world: World) -> np.ndarray:
    """Momentum and angular momentum about the origin, (6,)."""
    rigid = world.rigid
    momentum = rigid.mass[:, None] * rigid.velocity
    return np.concatenate(
        [momentum.sum(axis=0), (np.cross(rigid.position, momentum) + rigid.angular_momentum).sum(axis=0)]
    )


@pytest.mark.parametrize("integrator", ["XPBD", "SYMPLECTIC"])
def test_t11_two_boxes_that_collide_keep_their_momenta(integrator: str, truth: Truth) -> None:
    """Off centre, with friction, restitution and spin: sum m v and sum x × m v + L stay within 1e-9."""
    vertices, triangles = box(1.0, 3)
    settings = {"friction": 0.6, "restitution": 0.4}
    world = build_world(WorldSpec(systems=(
        VoxelBodySpec("one", vertices * [1.0, 0.6, 0.4] - [1.2, 0.1, 0.1], triangles, velocity=(3.0, 0.0, 0.0),
                      angular_velocity=(1.0, 2.0, -1.0), **settings),
        VoxelBodySpec("two", vertices * 0.8 + [0.4, 0.1, 0.0], triangles, velocity=(-2.0, 0.1, 0.0), **settings),
    ), gravity=(0.0, 0.0, 0.0), integrator=integrator))
    before, speed = momenta(world), world.rigid.velocity.copy()
    for _ in range(24):
        step_frame(world)
    assert np.abs(world.rigid.velocity - speed).max() > 1.0, "they met"
    after = momenta(world)
    for name, part in (("momentum", slice(0, 3)), ("angular momentum", slice(3, 6))):
        size = np.linalg.norm(before[part])
        truth("T11", f"{name} of two boxes that collide, {integrator}", after[part] / size, before[part] / size, 1e-9,
              relative=False)


@pytest.mark.parametrize("speed", [20.0, 100.0, 400.0])
def test_thin_plates_do_not_fly_through_each_other(speed: float) -> None:
    """Two plates of 20 mm collide face to face at up to 1.7 m a substep: neither passes through the other."""
    vertices, triangles = box(1.0, 2)
    plate = vertices * [0.02, 1.0, 1.0]
    world = build_world(WorldSpec(systems=(
        VoxelBodySpec("flies", plate * [1.0, 0.8, 0.7] - [3.0, 0.0, 0.0], triangles, velocity=(speed, 0.0, 0.0)),
        VoxelBodySpec("stands", plate, triangles),
    ), gravity=(0.0, 0.0, 0.0)))
    for _ in range(12):
        step_frame(world)
        assert world.rigid.position[0, 0] < world.rigid.position[1, 0]
    assert world.rigid.velocity[1, 0] > 0.3 * speed, "it was hit"


def test_what_flies_past_is_not_touched() -> None:
    """Boxes of 1 m that pass at a distance of 5 cm, by a metre and more a substep, keep exactly the same speed."""
    vertices, triangles = box(1.0, 1)
    world = build_world(WorldSpec(systems=(
        VoxelBodySpec("flies", vertices - [5.0, 1.05, 0.0], triangles, velocity=(300.0, 0.0, 0.0)),
        VoxelBodySpec("stands", vertices, triangles),
    ), gravity=(0.0, 0.0, 0.0)))
    for _ in range(3):
        step_frame(world)
    assert world.rigid.velocity[0, 0] == 300.0 and not world.rigid.velocity[1].any()
