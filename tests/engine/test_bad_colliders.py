"""Faulty colliders: inverted, torn, duplicated, huge, or so fast that they are far away after a frame."""

from __future__ import annotations

import resource
import time

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, Controls, SpringGraphSpec, WorldSpec, build_world, step_frame
from shapes import box, sheet, sphere

# A ball of 0.4 m with a thickness of 1 cm settles on a block of 2 m; air yields by half a millimetre per frame.
BALL, SKIN, SETTLED = 0.4, 0.01, 48
SAME = 5e-4


def lowest_after_fall(vertices: np.ndarray, triangles: np.ndarray, at: tuple[float, float, float]) -> float:
    """Height of the lowest vertex of an inflated ball, released with its centre at `at`, after two seconds [m]."""
    ball, faces = sphere(BALL, 2)
    body = SpringGraphSpec("ball", ball + at, faces, stiffness=2000.0, damping=1.0, pressure=500.0, thickness=SKIN)
    world = build_world(WorldSpec((body, ColliderSpec("block", vertices, triangles))))
    for _ in range(SETTLED):
        step_frame(world)
    return float(world.positions("ball")[:, 2].min())


@pytest.fixture(scope="module")
def top() -> float:
    """Rest height of the ball on an intact block, whose top is at 1 m."""
    found = lowest_after_fall(*box(2.0, 2), (0.1, 0.05, 1.0 + 1.1 * BALL))
    assert 1.0 < found < 1.0 + 2.0 * SKIN
    return found


def flipped(fraction: float) -> tuple[np.ndarray, np.ndarray]:
    """The block with the given fraction of its triangles facing inward."""
    vertices, triangles = box(2.0, 2)
    is_flipped = np.random.default_rng(3).random(len(triangles)) < fraction
    triangles[is_flipped] = triangles[is_flipped][:, [0, 2, 1]]
    return vertices, triangles


@pytest.mark.parametrize("fraction", [1.0, 0.5])
def test_normals_do_not_matter(top: float, fraction: float) -> None:
    assert lowest_after_fall(*flipped(fraction), (0.1, 0.05, 1.0 + 1.1 * BALL)) == pytest.approx(top, abs=SAME)


def test_air_knows_its_room_whatever_the_normals_say() -> None:
    """The volume of a hull with air does not depend on the orientation of its faces."""
    ball, faces = sphere(BALL, 2)
    mixed = faces.copy()
    is_flipped = np.random.default_rng(3).random(len(faces)) < 0.5
    mixed[is_flipped] = mixed[is_flipped][:, [0, 2, 1]]
    found = []
    for triangles in (faces, mixed):
        world = build_world(WorldSpec((SpringGraphSpec("ball", ball, triangles, pressure=500.0),)))
        found += step_frame(world).diagnostics["ball"]["volume"]
    assert found[1] == pytest.approx(found[0], rel=1e-6)


def test_doubled_faces_and_vertices_do_not_matter(top: float) -> None:
    vertices, triangles = box(2.0, 2)
    twice = np.concatenate([triangles, triangles])
    assert lowest_after_fall(vertices, twice, (0.1, 0.05, 1.0 + 1.1 * BALL)) == pytest.approx(top, abs=SAME)
    apart = np.arange(3 * len(triangles)).reshape(-1, 3)
    loose = vertices[triangles].reshape(-1, 3)
    assert lowest_after_fall(loose, apart, (0.1, 0.05, 1.0 + 1.1 * BALL)) == pytest.approx(top, abs=SAME)


def test_an_open_box_has_an_inside_to_fall_into() -> None:
    """Without its lid the block consists of sheets: the ball falls in and stays inside."""
    vertices, triangles = box(2.0, 2)
    open_box = triangles[vertices[triangles][:, :, 2].min(axis=1) < 1.0 - 1e-9]
    assert -1.0 < lowest_after_fall(vertices, open_box, (0.1, 0.05, 1.0)) < 0.0


def test_one_triangle_carries() -> None:
    corners = np.array([[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [0.0, 2.0, 0.0]])
    assert 0.0 < lowest_after_fall(corners, np.array([[0, 1, 2]]), (0.0, 0.0, 1.1 * BALL)) < 2.0 * SKIN


@pytest.mark.parametrize("travel", [100.0, -100.0])
def test_a_plate_that_moves_a_hundred_metres_in_a_frame_takes_along_what_it_meets(travel: float) -> None:
    ball, faces = sphere(BALL, 2)
    plate, plates, _edges = sheet((4.0, 4.0), (2, 2))
    plate = plate[:, [2, 0, 1]] - [np.sign(travel) * 2.0, 2.0, 2.0]
    body = SpringGraphSpec("ball", ball, faces, stiffness=2000.0, pressure=500.0, thickness=SKIN)
    world = build_world(WorldSpec((body, ColliderSpec("plate", plate, plates)), gravity=(0.0, 0.0, 0.0)))
    pose = np.eye(4)
    pose[0, 3] = travel
    step_frame(world, Controls(colliders={"plate": pose}))
    ahead = (world.positions("ball")[:, 0] - (travel - np.sign(travel) * 2.0)) * np.sign(travel)
    assert ahead.min() > -1e-3


@pytest.mark.alone
@pytest.mark.slow
def test_a_million_triangles_are_built_and_met() -> None:
    """A square ground of 708 x 708 quads is built within a minute in less than 3 GB, and a ball lands on it."""
    vertices, triangles, _edges = sheet((20.0, 20.0), (709, 709))
    assert len(triangles) > 1_000_000
    ball, faces = sphere(BALL, 2)
    body = SpringGraphSpec("ball", ball + [10.0, 10.0, 1.05 * BALL], faces, pressure=500.0, thickness=SKIN)
    started = time.perf_counter()
    world = build_world(WorldSpec((body, ColliderSpec("ground", vertices, triangles))))
    built = time.perf_counter() - started
    started = time.perf_counter()
    for _ in range(12):
        step_frame(world)
    stepped = (time.perf_counter() - started) / 12.0
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"built in {built:.1f} s, {stepped * 1e3:.0f} ms a frame, {memory:.1f} GB at most")
    assert world.positions("ball")[:, 2].min() > 0.0
    assert built < 60.0 and memory < 3.0
