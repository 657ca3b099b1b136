"""How fast and how raggedly a surface tears: damage over time, tears a frame, smallest piece, unevenness, nails."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, Controls, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.mesh.graph.components import components
from flotsam.engine.mesh.tear.torn_mesh import TornMesh
from shapes import sphere
from test_tearing import ACROSS, ALONG, SIZE, strip

FRAME_RATE = 24.0
# Strain of the strip from the start.
STRETCHED = 0.3


def splits_of(frames: int, **settings: object) -> tuple[list[int], TornMesh]:
    """Splits up to each frame of a strip that is held at both ends, and its mesh at the end.

    It is stretched uniformly unless `start` says otherwise.
    """
    spec = replace(strip(damping=0.2, self_collision=False), **settings)
    start = np.asarray(spec.vertices) * [1.0 + STRETCHED, 1.0, 1.0] if spec.start is None else spec.start
    spec = replace(spec, start=start)
    world = build_world(WorldSpec((spec,), threads=1, gravity=(0.0, 0.0, 0.0), frame_rate=FRAME_RATE))
    found = []
    for _ in range(frames):
        step_frame(world, Controls(pins={"Strip": start[spec.pins]}))
        torn = world.systems[0].tears.bodies["Strip"].torn
        found.append(torn.used - ALONG * ACROSS)
    return found, torn


@pytest.mark.parametrize("seconds", [0.1, 0.3])
def test_damage_grows_by_what_exceeds_the_limit(seconds: float) -> None:
    """A stretch of r times the limit tears after T / (r - 1).

    All vertices but one are held, so the strip is stretched by e along x only. The free one has two springs along x,
    two across, which count as 0, and four diagonals, stretched by f and weighted by c², with c their direction along x.
    """
    e, limit, middle = STRETCHED, 0.2, ACROSS * (ALONG // 2) + ACROSS // 2
    f, c2 = math.sqrt(((1.0 + e) ** 2 + 1.0) / 2.0) - 1.0, (1.0 + e) ** 2 / ((1.0 + e) ** 2 + 1.0)
    r = 2.0 * (2.0 * e + 4.0 * f * c2) / 8.0 / limit
    frames = math.ceil(seconds / (r - 1.0) * FRAME_RATE)
    pins = np.delete(np.arange(ALONG * ACROSS), middle)
    found, _torn = splits_of(
        frames + 2, pins=pins, break_strain=limit, tear_time=seconds, tear_noise=0.0, tear_smoothing=0.0,
    )
    assert int(np.argmax(np.array(found) > 0)) + 1 == frames


@pytest.mark.parametrize("share", [0.4, 0.5])
def test_smoothing_spreads_the_stretch_over_the_neighbours(share: float) -> None:
    """With the smoothing s the stretch of a vertex counts as 1 - 3 s / 8 of its value, with neighbours as here.

    The springs to both sides of the middle column are stretched by e, all others have their rest length. So the middle
    vertex has the stretch r, as in the test above. Of its eight neighbours two have r as well, and the six in the
    columns beside it r / 2, because they are stretched on one side only: their mean is 5 r / 8. The limit is set to
    r = 1.2, which smoothing takes below 1 from s = 4 / 9 on.
    """
    e, middle = STRETCHED, ALONG // 2
    f, c2 = math.sqrt(((1.0 + e) ** 2 + 1.0) / 2.0) - 1.0, (1.0 + e) ** 2 / ((1.0 + e) ** 2 + 1.0)
    limit = 2.0 * (2.0 * e + 4.0 * f * c2) / 8.0 / 1.2
    column = np.arange(ALONG * ACROSS) // ACROSS
    start = np.asarray(strip().vertices).copy()
    start[:, 0] += e * SIZE * np.sign(column - middle)
    found, _torn = splits_of(
        1, start=start, pins=np.delete(np.arange(ALONG * ACROSS), ACROSS * middle + ACROSS // 2), break_strain=limit,
        tear_noise=0.0, tear_smoothing=share,
    )
    assert (found[0] > 0) == (share < 4.0 / 9.0)


def test_no_more_vertices_tear_in_a_frame_than_asked() -> None:
    """Each of them adds one particle, and separates neighbours that would stay joined by a single point."""
    few, _torn = splits_of(4, break_strain=0.2, tears_per_frame=1, smallest_piece=1)
    many, _torn = splits_of(4, break_strain=0.2, tears_per_frame=30, smallest_piece=1)
    steps = np.diff([0, *few])
    assert 1 <= steps.min() and steps.max() <= 4 and many[0] > 3 * few[0]


@pytest.mark.parametrize("smallest", [2, 12])
def test_no_piece_is_smaller_than_asked(smallest: int) -> None:
    """Faces that share particles are a piece; a strip that tears everywhere leaves none of fewer faces."""
    _splits, torn = splits_of(12, break_strain=0.05, tears_per_frame=1000, smallest_piece=smallest)
    faces = torn.corners.face
    pairs = np.stack([faces, faces.max() + 1 + torn.particle], axis=1)
    label, _rank = components(pairs, int(pairs.max()) + 1)
    assert np.bincount(label[faces[:: len(faces) // (faces.max() + 1)]]).min() >= smallest


def test_another_seed_gives_other_tears_and_the_same_one_the_same() -> None:
    first, same, other = (
        splits_of(3, break_strain=0.22, tear_noise=0.5, tear_seed=seed)[1].particle for seed in (1, 1, 2)
    )
    assert np.array_equal(first, same) and not np.array_equal(first, other)


@pytest.mark.parametrize("sharp", [True, False])
def test_a_balloon_bursts_on_a_nail_only_if_it_is_sharp(sharp: bool) -> None:
    """Pressed on the same nail it tears and loses its pressure, or keeps skin and pressure."""
    vertices, triangles = sphere(0.3, 3)
    balloon = SpringGraphSpec(
        "Balloon", vertices + [0.0, 0.0, 0.55], triangles, stiffness=5000.0, mass=0.05, pressure=500.0, tear=True,
        break_strain=5.0, damping=0.1, velocity=(0.0, 0.0, -2.0),
    )
    corners = 0.05 * np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 4]])
    sides = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [0, 2, 1], [0, 3, 2]])
    world = build_world(WorldSpec((balloon, ColliderSpec("Nail", corners, sides, sharp=sharp)), threads=1))
    for _ in range(8):
        frame = step_frame(world)
    diagnostics = frame.diagnostics["Balloon"]
    assert (diagnostics["splits"][0] > 0) == sharp
    assert sum(diagnostics["pressure"]) < 1.0 if sharp else sum(diagnostics["pressure"]) > 20.0
