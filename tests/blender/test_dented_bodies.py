"""Rigid bodies with dents and open seams, such as Suzanne, on limp soft bodies: neither passes through the other."""

from __future__ import annotations

import bpy
import pytest
from crossings import Watch
from flotsam.addon.capture import capture_world
from flotsam.engine import build_world, step_frame
from make_scene import fresh_scene


def add(name: str, material: str, at: tuple[float, float, float]) -> None:
    """Make the active object a body of a material."""
    obj = bpy.context.object
    obj.name, obj.location = name, at
    bpy.context.view_layer.update()
    assert bpy.ops.flotsam.add(material=material) == {"FINISHED"}


@pytest.mark.parametrize("aside", [0.0, 0.02, 0.04])
def test_a_rubber_monkey_lands_on_a_ball_of_foam(aside: float) -> None:
    """A monkey of 125 kg falls 0.3 m onto a ball of 1.5 kg on a floor: no edge cuts a face after any substep."""
    scene = fresh_scene()
    scene.flotsam.substeps = 10
    bpy.ops.mesh.primitive_plane_add(size=8.0)
    assert bpy.ops.flotsam.add(kind="COLLIDER") == {"FINISHED"}
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, segments=24, ring_count=12)
    add("foam", "foam", (0.0, 0.0, 0.31))
    bpy.ops.mesh.primitive_monkey_add(size=0.6)
    add("monkey", "hard_rubber", (aside, 0.0, 1.2))
    world = build_world(capture_world(scene, bpy.context.evaluated_depsgraph_get()).spec)
    watch = Watch(world)
    for _ in range(20):
        step_frame(world)
    assert watch.crossed == 0, watch.first
