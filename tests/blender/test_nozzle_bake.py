"""Fluid emitted by an Empty: bake, keyframes, and messages about an invalid Empty."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.expense import expense
from flotsam.addon.capture.kinds.fluid import particles_of
from flotsam.addon.write.points import baked_folder
from flotsam.engine.cache import read_points
from make_scene import fresh_scene

FRAMES, SPEED, TRAVEL = 6, 2.4, 0.5


def hose(folder: Path) -> tuple[bpy.types.Object, bpy.types.Object]:
    """A fluid, and the Empty that emits it along X while it moves along Y."""
    scene = fresh_scene(folder, (1, FRAMES))
    scene.gravity = (0.0, 0.0, 0.0)
    bpy.ops.object.empty_add(location=(1.0, 0.0, 2.0), rotation=(0.0, np.pi / 2.0, 0.0))
    empty = bpy.context.object
    for frame, y in ((1, 0.0), (1 + FRAMES, TRAVEL)):
        empty.location.y = y
        empty.keyframe_insert("location", frame=frame)
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(-3.0, 0.0, 0.0))
    bpy.ops.flotsam.add(kind="FLUID")
    fluid = bpy.context.object.flotsam.fluid
    fluid.emission, fluid.nozzle, fluid.spacing, fluid.radius = "POINT", empty, 0.05, 0.02
    fluid.speed, fluid.limit = SPEED, 500
    return bpy.context.object, empty


def test_a_jet_leaves_an_empty_that_moves(tmp_path: Path) -> None:
    """In world space, wherever the fluid's own object is: particles a spacing apart along X, at the Empty's Y."""
    water, empty = hose(tmp_path)
    water.flotsam.fluid.keyframe_insert("speed", frame=1)
    assert particles_of(water) == 500 and expense(bpy.context.scene).disk > 0
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    points = read_points(baked_folder(water), FRAMES)
    place = np.stack([points[axis] for axis in "xyz"], axis=1) + water.matrix_world.translation
    bpy.context.scene.frame_set(FRAMES)
    reach = SPEED * (FRAMES - 1) / 24.0
    assert len(place) == pytest.approx(reach / 0.05, abs=1.0)
    assert place[:, 0].max() == pytest.approx(1.0 + reach, abs=1e-3) and place[:, 0].min() >= 1.0
    assert place[:, 2] == pytest.approx(2.0, abs=1e-3)
    newest = place[np.argmin(place[:, 0])]
    assert newest[1] == pytest.approx(empty.matrix_world.translation.y, abs=0.05)


def test_what_is_wrong_with_a_nozzle_is_one_sentence(tmp_path: Path) -> None:
    water, empty = hose(tmp_path)
    empty.scale.z = 0.0
    with pytest.raises(RuntimeError, match="Empty, the nozzle of Cube, is scaled to zero"):
        bpy.ops.flotsam.bake()
    bpy.context.scene.collection.objects.unlink(empty)
    with pytest.raises(RuntimeError, match="nozzle of Cube, Empty, is not in this scene; choose another one"):
        bpy.ops.flotsam.bake()
    water.flotsam.fluid.nozzle = None
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    points = read_points(baked_folder(water), FRAMES)
    assert points["z"].min() >= 0.0 and points["z"].max() > 0.3
