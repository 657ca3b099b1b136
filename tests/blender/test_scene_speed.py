"""The scene of the demo, captured and stepped alone: its bodies start apart, and it runs in real time."""

from __future__ import annotations

import statistics
import time
from dataclasses import replace

import bpy
import numpy as np
import pytest
from flotsam.addon.capture import capture_world
from flotsam.addon.scenes import build_scene
from flotsam.engine import build_world, prepare, step_frame
from make_cloth import cloth_seconds, pace_on_reference
from make_scene import fresh_scene
from mathutils.bvhtree import BVHTree

PRESET = "rubber_dinghy_rapids"
FRAMES, PACE = 121, 24.0
# Largest ratio of the time of a frame with rings in a pile to that of all frames, by medians of ten frames. Formerly,
# corrections by contacts deformed springs again in each substep, and the ratio was nine.
PILE_RATIO = 4.0


@pytest.fixture
def rapids() -> bpy.types.Scene:
    """The preset in an empty file, at its first frame."""
    scene = fresh_scene()
    build_scene(PRESET, scene)
    bpy.context.view_layer.update()
    return scene


def test_no_body_starts_inside_another(rapids: bpy.types.Scene) -> None:
    solid = [obj for obj in rapids.objects if obj.flotsam.kind in {"SPRING_GRAPH", "COLLIDER"}]
    trees = {}
    for obj in solid:
        places = [obj.matrix_world @ vertex.co for vertex in obj.data.vertices]
        trees[obj] = BVHTree.FromPolygons(places, [tuple(face.vertices) for face in obj.data.polygons])
    rings = [obj for obj in solid if obj.flotsam.kind == "SPRING_GRAPH"]
    crossing = [
        (ring.name, other.name) for ring in rings for other in solid
        if ring != other and trees[ring].overlap(trees[other])
    ]
    assert not crossing


@pytest.mark.alone
@pytest.mark.slow
def test_the_scene_steps_at_24_frames_a_second(rapids: bpy.types.Scene) -> None:
    """24 frames a second; on a slower machine scaled by its time for Cloth, see `make_cloth.pace_on_reference`.

    And no ten consecutive frames are much slower than the rest.
    """
    prepare()
    spec = capture_world(rapids, bpy.context.evaluated_depsgraph_get()).spec
    paces, slowest = [], []
    for _ in range(3):
        before = cloth_seconds()
        world = build_world(spec)
        step_frame(world)
        times, began, used = [], time.perf_counter(), time.process_time()
        for _ in range(FRAMES - 1):
            started = time.perf_counter()
            step_frame(world)
            times.append(time.perf_counter() - started)
        both = (time.process_time() - used) / (time.perf_counter() - began) - 1.0
        tens = [statistics.median(times[first : first + 10]) for first in range(0, FRAMES - 1, 10)]
        slowest.append(max(tens) / statistics.median(times))
        paces.append(pace_on_reference(statistics.median(times), min(max(both, 0.0), 1.0), before, cloth_seconds()))
        print(f"{PRESET}: {paces[-1]:.1f} on the reference, ten frames {slowest[-1]:.1f} times")
        if paces[-1] >= PACE and slowest[-1] <= PILE_RATIO:
            break
    # Take the round least disturbed by other load.
    assert max(paces) >= PACE and min(slowest) <= PILE_RATIO


@pytest.mark.parametrize("substeps", [1, 5])
def test_t21_the_scene_stays_calm_at_any_quality(rapids: bpy.types.Scene, substeps: int) -> None:
    """Rings fall at 6 m/s at most; formerly, at 5 substeps, one caught between another and a boulder reached 46 m/s."""
    prepare()
    spec = capture_world(rapids, bpy.context.evaluated_depsgraph_get()).spec
    world = build_world(replace(spec, substeps=substeps))
    fastest = 0.0
    for _ in range(96):
        step_frame(world)
        fastest = max(fastest, float(np.linalg.norm(world.state.v, axis=1).max()))
    assert 1.0 < fastest < 12.0
