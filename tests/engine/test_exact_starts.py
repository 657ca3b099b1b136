"""Bodies that start exactly on a sheet, or a little in it, as artists place them: they stay on the side they are on."""

from __future__ import annotations

import numpy as np
import pytest
from crossings import Watch
from flotsam.engine import ColliderSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, sheet, sphere, torus

FRAMES = 24
# A soft body far away: a world with soft bodies once ran other code for crates on floors.
STRANGER = SpringGraphSpec("stranger", sphere(0.2, 2)[0] + [30.0, 0.0, 5.0], sphere(0.2, 2)[1], mass=1.0)


def floor(facing: int = 1) -> ColliderSpec:
    """The plane z = 0, of two triangles that face up (1) or down (-1)."""
    return ColliderSpec("floor", FLOOR * 3.0, FLOOR_TRIANGLES[:, ::facing])


def played(*systems: object) -> World:
    """The world a second later."""
    world = build_world(WorldSpec((*systems, STRANGER), frame_rate=24))
    for _ in range(FRAMES):
        step_frame(world)
    return world


def lowest(world: World, name: str) -> float:
    """The lowest vertex of a body [m]."""
    return float(world.positions(name)[:, 2].min())


@pytest.mark.parametrize("facing", [1, -1], ids=["up", "down"])
@pytest.mark.parametrize("depth", [0.0, 1e-9, 0.004])
def test_a_crate_stays_on_the_floor(depth: float, facing: int) -> None:
    """It rests within its own thickness of the floor and does not tilt; it once fell by half its height."""
    vertices, triangles = box(0.5, 1)
    world = played(VoxelBodySpec("crate", vertices + [0.0, 0.0, 0.25 - depth], triangles, density=200.0), floor(facing))
    heights = world.positions("crate")[:, 2]
    assert heights.min() > -0.005
    assert np.ptp(heights) == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("facing", [1, -1], ids=["up", "down"])
@pytest.mark.parametrize("depth", [0.0, 1e-9, 0.004])
def test_a_round_body_stays_on_the_floor(depth: float, facing: int) -> None:
    """A rigid ball collides with the floor by its surface, not as a hull: no vertex stays below."""
    vertices, triangles = sphere(0.3, 2)
    at = [0.0, 0.0, -vertices[:, 2].min() - depth]
    world = played(VoxelBodySpec("ball", vertices + at, triangles, voxel_size=0.1, density=200.0), floor(facing))
    assert lowest(world, "ball") > -1e-3


@pytest.mark.parametrize("facing", [1, -1], ids=["up", "down"])
@pytest.mark.parametrize("depth", [0.0, 1e-9, 0.004])
def test_a_jelly_stays_on_the_floor(depth: float, facing: int) -> None:
    """No vertex of a soft cube stays below."""
    vertices, triangles = box(0.5, 4)
    cube = SpringGraphSpec(
        "jelly", vertices + [0.0, 0.0, 0.25 - depth], triangles, mass=5.0, stiffness=2000.0, pressure=300.0, bending=0.5
    )
    assert lowest(played(cube, floor(facing)), "jelly") > 0.0


@pytest.mark.parametrize("facing", [1, -1], ids=["up", "down"])
def test_a_cloth_stays_on_the_floor(facing: int) -> None:
    """A sheet that starts in the plane of the floor, onto which gravity presses it, stays above with every vertex."""
    vertices, triangles, edges = sheet((1.0, 1.0), (8, 8))
    cloth = SpringGraphSpec("cloth", vertices - [0.5, 0.5, 0.0], triangles, edges, mass=0.3, stiffness=1000.0)
    assert lowest(played(cloth, floor(facing)), "cloth") > 0.0


def test_a_crate_stays_on_the_cloth_it_starts_on() -> None:
    """A light crate exactly on a pinned cloth sinks in with it, upright, and no corner comes out below."""
    vertices, triangles, edges = sheet((2.0, 2.0), (12, 12))
    flat = vertices - [1.0, 1.0, 0.0]
    corners = np.flatnonzero((np.abs(flat[:, :2]) > 0.999).all(axis=1))
    cloth = SpringGraphSpec("cloth", flat, triangles, edges, mass=1.2, stiffness=3000.0, bending=0.001, pins=corners)
    cube, sides = box(0.5, 1)
    world = played(cloth, VoxelBodySpec("crate", cube + [0.03, 0.02, 0.25], sides, density=40.0))
    assert lowest(world, "crate") > lowest(world, "cloth")
    assert np.ptp(world.positions("crate")[:, 2]) < 0.55


@pytest.mark.parametrize("deep", [0.001, 0.003, 0.005])
def test_a_crate_that_begins_a_little_in_a_cloth_comes_up(deep: float) -> None:
    """Within the first frame all its corners are above, and no edge cuts a face later; the cloth keeps 5 mm."""
    vertices, triangles, edges = sheet((2.0, 2.0), (20, 20))
    flat = vertices - [1.0, 1.0, 0.0]
    rim = np.flatnonzero(np.abs(flat).max(axis=1) > 0.999)
    cloth = SpringGraphSpec("cloth", flat, triangles, edges, mass=0.01, stiffness=2000.0, thickness=0.01, pins=rim)
    cube, sides = box(0.4, 1)
    crate = VoxelBodySpec("crate", cube + [0.013, 0.021, 0.2 - deep], sides, density=100.0)
    world = build_world(WorldSpec((cloth, crate), substeps=10))
    watch = Watch(world)
    step_frame(world)
    first = watch.crossed
    for _ in range(11):
        step_frame(world)
    assert first < 10
    assert watch.crossed == first, watch.first


def test_a_hook_stays_below_the_shelf_that_it_hangs_from() -> None:
    """A body that reaches round a sheet keeps each part on its own side: a C of which one arm touches from below.

    The middle of the body is on the other side of the sheet than the lower arm, whose faces decide its side.
    """
    parts = [box(0.2, 2), box(0.2, 2), box(0.2, 2)]
    lower, upper = np.array([0.0, 0.0, -0.1]), np.array([0.0, 0.0, 0.9])
    vertices = np.concatenate([
        parts[0][0] * [4.0, 1.0, 1.0] + lower, parts[1][0] * [4.0, 1.0, 1.0] + upper,
        parts[2][0] * [1.0, 1.0, 6.0] + [0.5, 0.0, 0.4],
    ])
    count = len(parts[0][0])
    triangles = np.concatenate([own[1] + k * count for k, own in enumerate(parts)])
    shelf = np.array([[-2.0, -2.0, 0.0], [0.35, -2.0, 0.0], [0.35, 2.0, 0.0], [-2.0, 2.0, 0.0]])
    hook = VoxelBodySpec("hook", vertices, triangles, voxel_size=0.1, density=200.0)
    world = build_world(WorldSpec((hook, ColliderSpec("shelf", shelf, FLOOR_TRIANGLES), STRANGER)))
    arm = slice(0, count)
    step_frame(world)
    assert world.positions("hook")[arm, 2].max() < 1e-3


def two_rings(apart: tuple[float, float, float]) -> tuple[SpringGraphSpec, SpringGraphSpec]:
    """Two rubber rings of 0.9 m whose centres differ by `apart` [m]."""
    vertices, triangles, edges = torus(0.34, 0.11, 32, 16)
    one, other = (
        SpringGraphSpec(
            name, vertices + at, triangles, edges, rings=1, struts=1, stiffness=2000.0, mass=0.5, pressure=400.0,
            friction=0.4, thickness=0.01,
        )
        for name, at in (("one", np.array([0.0, 0.0, 0.4])), ("other", np.array([0.0, 0.0, 0.4]) + apart))
    )
    return one, other


@pytest.mark.parametrize("apart", [(0.9, 0.0, 0.0), (0.0, 0.0, 0.22)], ids=["beside", "above"])
def test_rings_that_begin_vertex_on_vertex_move(apart: tuple[float, float, float]) -> None:
    """Two rings that touch exactly, as an array of them does, are not stopped as one body.

    Edges that touch at a vertex start on neither side of each other. The last check took the sign of a rounding error
    for the side, found a crossing in whichever direction they separated, and stopped both in each substep, for ever.
    """
    world = build_world(WorldSpec((*two_rings(apart), floor())))
    stopped = [step_frame(world).diagnostics["world"]["stopped"][0] for _ in range(12)]
    assert sum(stopped) == 0.0, stopped
