"""Blender's own rigid bodies: one click makes passive ones colliders, and the others give a warning."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import bake_blocking
from make_scene import cube, fresh_scene, ground, ring, soft, world_positions
from recorded import all_text, drawn


def rigid(obj: bpy.types.Object, kind: str, **settings: object) -> bpy.types.Object:
    """Make an object one of Blender's rigid bodies."""
    bpy.context.view_layer.objects.active = obj
    bpy.ops.rigidbody.object_add(type=kind)
    for name, value in settings.items():
        setattr(obj.rigid_body, name, value)
    return obj


def test_passive_and_animated_ones_become_colliders_with_their_friction() -> None:
    fresh_scene()
    floor = ground()
    floor.flotsam.kind = "NONE"
    rigid(floor, "PASSIVE", friction=0.8, restitution=0.25)
    lift = rigid(cube("Lift", z=1.0), "ACTIVE", kinematic=True)
    falling = rigid(cube("Falling", z=4.0), "ACTIVE")
    body = soft(ring("Ring", z=6.0))
    assert bpy.ops.flotsam.rigid_to_colliders() == {"FINISHED"}
    assert [obj.flotsam.kind for obj in (floor, lift, falling, body)] == [
        "COLLIDER", "COLLIDER", "NONE", "SPRING_GRAPH",
    ]
    assert floor.flotsam.collider.friction == pytest.approx(0.8)
    assert floor.flotsam.collider.restitution == pytest.approx(0.25)
    assert not bpy.ops.flotsam.rigid_to_colliders.poll()


def test_a_bake_says_what_is_not_coupled_and_what_is_not_met(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 2))
    rigid(cube("Falling", z=4.0), "ACTIVE")
    rigid(cube("Other", z=8.0), "ACTIVE")
    rigid(cube("Wall", z=12.0), "PASSIVE")
    soft(ring())
    warnings = bake_blocking(scene).warnings
    assert any(line.startswith("Falling and 1 more: Blender's own rigid bodies are not coupled") for line in warnings)
    assert any(line.startswith("Wall: passive or animated rigid bodies of Blender's are not met") for line in warnings)
    assert "not coupled" in all_text("scene")
    assert "flotsam.rigid_to_colliders" in drawn("scene")["FLOTSAM_PT_scene"].buttons


def test_a_scene_without_them_says_nothing(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 2))
    soft(ring())
    assert not any("rigid" in line for line in bake_blocking(scene).warnings)
    assert "flotsam.rigid_to_colliders" not in drawn("scene")["FLOTSAM_PT_scene"].buttons


def test_a_passive_one_holds_what_falls_on_it(tmp_path: Path) -> None:
    fresh_scene(tmp_path, (1, 24))
    floor = ground()
    floor.flotsam.kind = "NONE"
    rigid(floor, "PASSIVE")
    bpy.ops.flotsam.rigid_to_colliders()
    body = soft(ring(z=0.5))
    bpy.ops.flotsam.bake()
    assert np.array(world_positions(body, 24))[:, 2].min() > -0.01
