"""The overlay's arrows of force fields and wind."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from flotsam.addon.overlay import fields
from flotsam.addon.overlay.field_lines import FIELD, WIND, FieldArrows
from flotsam.addon.overlay.picture import DisplaySettings, paint
from flotsam.addon.overlay.subjects import signature
from flotsam.addon.paths import kernel_cache_folder
from flotsam.addon.solver.fields import KERNELS
from flotsam.engine import prepare
from make_scene import cube, fresh_scene, soft


def arrows() -> FieldArrows | None:
    view_layer = bpy.context.view_layer
    view_layer.update()
    return fields.field_arrows(bpy.context.scene, view_layer, bpy.context.evaluated_depsgraph_get(), None)


def add_field(kind: str, at: tuple[float, float, float], strength: float) -> bpy.types.Object:
    bpy.ops.object.effector_add(type=kind, location=at)
    found = bpy.context.object
    found.field.strength = strength
    return found


def test_arrows_stand_around_bodies_and_say_what_the_field_does() -> None:
    scene = fresh_scene()
    soft(cube(z=2.0))
    prepare(None, kernel_cache_folder(), kernels=KERNELS)
    assert arrows() is None, "no field is active"
    force = add_field("FORCE", (0.0, 0.0, 0.0), 8.0)
    found = arrows()
    assert 100 < len(found.places) <= 800
    assert found.places.min(axis=0) == pytest.approx((-0.5, -0.5, 1.5), abs=0.2)
    assert found.places.max(axis=0) == pytest.approx((0.5, 0.5, 2.5), abs=0.2)
    distance = np.linalg.norm(found.places, axis=1, keepdims=True)
    assert found.accelerations == pytest.approx(8.0 * found.places / distance, rel=1e-4, abs=1e-5)
    before = signature(scene, bpy.context.view_layer, 0)
    scene.flotsam.overlay.fields = True
    shown = signature(scene, bpy.context.view_layer, 0)
    force.location.x = 5.0
    bpy.context.view_layer.update()
    assert len({before, shown, signature(scene, bpy.context.view_layer, 0)}) == 3
    force.hide_viewport = True
    scene.flotsam.air.wind = (3.0, 0.0, 0.0)
    found = arrows()
    assert not found.accelerations.any() and found.wind.tolist() == [3.0, 0.0, 0.0]


def test_the_strongest_arrow_is_as_long_as_places_are_apart_or_as_is_asked() -> None:
    found = FieldArrows(np.zeros((3, 3)), np.diag([1.0, 2.0, 0.0]), np.array([0.0, 0.0, 5.0]), 0.1)
    for length, longest in ((0.0, 0.1), (0.01, 0.02), (9.0, 0.4)):
        lines = paint([], DisplaySettings(fields=True, field_length=length), fields=found).layers["fields"]
        field = np.all(lines.colors == np.float32(FIELD), axis=1)
        ends = lines.points[field].reshape(-1, 6, 3)
        assert len(ends) == 2, "a point without acceleration has no arrow"
        assert np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).max() == pytest.approx(longest)
        assert np.all(lines.colors == np.float32(WIND), axis=1).sum() == 3 * 6


def test_there_are_never_more_than_the_cap_and_no_fewer_than_two_a_side() -> None:
    boxes = [np.array([[k, 0.0, 0.0], [k + 1.0, 1.0, 1.0]]) for k in range(200)]
    for chosen in (boxes[:1], boxes):
        places, _size = fields.places_in(chosen)
        assert 8 <= len(places) <= 800
    flat, _size = fields.places_in([np.zeros((2, 3))])
    assert 0 < len(flat) <= 800
    assert len(fields.places_in([])[0]) == 0
