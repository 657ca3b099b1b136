"""Fields, wind and weights of a scene reach the solver, at the start and at each frame; warnings about fields."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from flotsam.addon.capture import CaptureError, capture_controls, capture_world
from flotsam.addon.live.changes import signature
from flotsam.engine import AirSpec, ForceFieldSpec
from make_scene import fresh_scene, mesh_object, sheet, soft


def add_field(kind: str, name: str = "", **settings: object) -> bpy.types.Object:
    bpy.ops.object.effector_add(type="FORCE")
    obj = bpy.context.object
    obj.name, obj.field.type = name or kind.title(), kind
    for setting, value in settings.items():
        setattr(obj.field, setting, value)
    return obj


def captured(scene: bpy.types.Scene):
    return capture_world(scene, bpy.context.evaluated_depsgraph_get())


def fields_of(found) -> dict[str, ForceFieldSpec]:
    return {spec.name: spec for spec in found.spec.systems if isinstance(spec, ForceFieldSpec)}


def test_a_scene_without_fields_gives_none_and_no_air() -> None:
    scene = fresh_scene()
    soft(sheet())
    found = captured(scene)
    assert [spec.name for spec in found.spec.systems] == ["Sheet"]
    assert not found.outside.needs_visits and not found.spec.effector_weights


def test_fields_come_with_their_settings_and_wind_brings_air() -> None:
    scene = fresh_scene()
    soft(sheet())
    add_field("WIND", strength=4.0, wind_factor=1.0, flow=0.5).location = (1.0, 2.0, 3.0)
    add_field("VORTEX", shape="PLANE", falloff_power=2.0)
    scene.flotsam.air.density = 2.0
    found = captured(scene)
    fields = fields_of(found)
    assert set(fields) == {"Wind", "Vortex"} and found.warnings == ()
    assert (fields["Wind"].strength, fields["Wind"].flow, fields["Vortex"].shape) == (4.0, 0.5, "PLANE")
    assert fields["Wind"].matrix[:3, 3].tolist() == [1.0, 2.0, 3.0]
    assert [spec.density for spec in found.spec.systems if isinstance(spec, AirSpec)] == [2.0]


@pytest.mark.parametrize(("kind", "label"), [("GUIDE", "Curve Guide"), ("BOID", "Boid"), ("FLUID_FLOW", "Fluid Flow")])
def test_fields_that_are_not_used_say_so(kind: str, label: str) -> None:
    scene = fresh_scene()
    soft(sheet())
    add_field(kind, "Other")
    found = captured(scene)
    assert fields_of(found) == {}
    assert found.warnings == (f"Other is a {label} field, which Flotsam does not use.",)


def test_a_texture_field_without_a_texture_is_left_out_with_a_sentence() -> None:
    scene = fresh_scene()
    soft(sheet())
    add_field("TEXTURE", "Marks")
    found = captured(scene)
    assert fields_of(found) == {}
    assert found.warnings == (
        "Marks is a texture field without a texture and was left out; choose one in its panel.",
    )


def test_a_gradient_over_no_distance_is_told_of() -> None:
    """A new field has a Nabla of 0."""
    scene = fresh_scene()
    soft(sheet())
    marks = add_field("TEXTURE", "Marks", texture=bpy.data.textures.new("Clouds", "CLOUDS"), texture_mode="GRADIENT")
    assert captured(scene).warnings == (
        "Marks is a texture field whose Nabla is 0 and does nothing; set it in its panel, to 0.025 or so.",
    )
    marks.field.texture_nabla = 0.025
    assert captured(scene).warnings == ()


def test_a_strength_that_is_no_number_is_refused_in_a_sentence() -> None:
    scene = fresh_scene()
    soft(sheet())
    field = add_field("FORCE", "Push")
    field.field.strength = float("nan")
    with pytest.raises(CaptureError, match="Push has a field whose strength is no number; check its drivers."):
        captured(scene)


def test_a_body_with_a_field_of_its_own_is_told_of_it() -> None:
    scene = fresh_scene()
    body = soft(sheet())
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.forcefield_toggle()
    body.field.type = "FORCE"
    found = captured(scene)
    ((name, spec),) = fields_of(found).items()
    assert name != body.name and spec.owner == body.name
    assert found.warnings == ("The field of Sheet does not act on Sheet itself.",)


def test_a_field_in_another_scene_does_not_act_until_it_is_in_this_one_too() -> None:
    """As in Blender's own physics, even if it is in the collection of the body's effector weights."""
    scene = fresh_scene()
    body = soft(sheet())
    add_field("WIND", "Near", strength=1.0)
    far = add_field("WIND", "Far", strength=9.0)
    winds, other = bpy.data.collections.new("Winds"), bpy.data.scenes.new("Other")
    for obj in (far, bpy.data.objects["Near"]):
        winds.objects.link(obj)
    scene.collection.objects.unlink(far)
    other.collection.objects.link(far)
    body.flotsam.effector_weights.collection = winds
    found = captured(scene)
    assert set(fields_of(found)) == {"Near"}
    scene.collection.objects.link(far)
    assert set(fields_of(captured(scene))) == {"Near", "Far"}


def test_every_point_of_nothing_is_left_out_with_a_sentence() -> None:
    scene = fresh_scene()
    soft(sheet())
    empty = mesh_object("Empty", [])
    bpy.ops.object.forcefield_toggle()
    empty.field.type, empty.field.shape = "FORCE", "POINTS"
    found = captured(scene)
    assert fields_of(found) == {}
    assert found.warnings == ("Empty has no vertices for its shape Every Point and was left out; give it a mesh.",)


def test_weights_and_a_collection_say_which_fields_act() -> None:
    scene = fresh_scene()
    body = soft(sheet())
    near, _far = add_field("FORCE", "Near"), add_field("FORCE", "Far")
    elsewhere = bpy.data.objects.new("Elsewhere", None)
    bpy.data.scenes.new("Other").collection.objects.link(elsewhere)
    with bpy.context.temp_override(object=elsewhere, active_object=elsewhere):
        bpy.ops.object.forcefield_toggle()
    group = bpy.data.collections.new("Chosen")
    group.objects.link(near)
    group.objects.link(elsewhere)
    weights = body.flotsam.effector_weights
    weights.collection, weights.gravity, weights.force, weights.share_by = group, 0.5, 0.25, "BODY"
    found = captured(scene)
    taken = found.spec.effector_weights["Sheet"]
    assert (taken.fields, taken.gravity, taken.force, taken.share_by) == (("Near",), 0.5, 0.25, "BODY")
    assert found.warnings == (
        "The field Elsewhere of the collection Chosen is not in this scene and does not act on Sheet; link it to the "
        "scene.",
    )


def test_keyed_fields_gravity_wind_and_weights_come_frame_by_frame() -> None:
    scene = fresh_scene()
    body = soft(sheet())
    field = add_field("WIND", "Fan", strength=1.0, wind_factor=1.0)
    weights, air = body.flotsam.effector_weights, scene.flotsam.air
    for frame, value in ((1, 0.0), (11, 10.0)):
        field.location.x, field.field.strength, scene.gravity[2] = value, value, -value
        air.wind[0], weights.all = 2.0 * value, 0.1 * value
        field.keyframe_insert("location", frame=frame)
        field.keyframe_insert("field.strength", frame=frame)
        scene.keyframe_insert("gravity", frame=frame)
        scene.keyframe_insert("flotsam.air.wind", frame=frame)
        body.keyframe_insert("flotsam.effector_weights.all", frame=frame)
    scene.frame_set(1)
    found = captured(scene)
    controls = capture_controls(found, scene, 11)
    assert controls.fields["Fan"].matrix[0, 3] == pytest.approx(10.0)
    assert controls.values["Fan"]["strength"] == pytest.approx(10.0)
    assert controls.gravity[2] == pytest.approx(-10.0) and controls.wind[0] == pytest.approx(20.0)
    assert controls.effector_weights["Sheet"].all == pytest.approx(1.0)


def test_a_field_on_a_parent_or_a_path_goes_with_it() -> None:
    scene = fresh_scene()
    soft(sheet())
    field, parent = add_field("FORCE", "Push"), bpy.data.objects.new("Cart", None)
    scene.collection.objects.link(parent)
    field.parent = parent
    parent.keyframe_insert("location", frame=1)
    parent.location.y = 6.0
    parent.keyframe_insert("location", frame=7)
    scene.frame_set(1)
    found = captured(scene)
    assert np.allclose(capture_controls(found, scene, 7).fields["Push"].matrix[:3, 3], [0.0, 6.0, 0.0])


def test_a_field_on_a_curve_goes_along_it_and_its_driver_is_followed() -> None:
    """A Follow Path constraint with a keyed offset, and a strength driven by the frame."""
    scene = fresh_scene()
    soft(sheet())
    field = add_field("FORCE", "Push")
    line = bpy.data.curves.new("Path", "CURVE")
    line.dimensions, line.use_path = "3D", True
    spline = line.splines.new("POLY")
    spline.points.add(1)
    spline.points[1].co = (8.0, 0.0, 0.0, 1.0)
    path = bpy.data.objects.new("Path", line)
    scene.collection.objects.link(path)
    follow = field.constraints.new("FOLLOW_PATH")
    follow.target, follow.use_fixed_location = path, True
    for frame, value in ((1, 0.0), (9, 1.0)):
        follow.offset_factor = value
        follow.keyframe_insert("offset_factor", frame=frame)
    field.field.driver_add("strength").driver.expression = "3 * frame"
    scene.frame_set(1)
    found = captured(scene)
    controls = capture_controls(found, scene, 9)
    assert np.allclose(controls.fields["Push"].matrix[:3, 3], [8.0, 0.0, 0.0], atol=1e-4)
    assert controls.values["Push"]["strength"] == pytest.approx(27.0)


def test_absorption_of_a_collider_and_of_a_field_reach_the_solver() -> None:
    scene = fresh_scene()
    soft(sheet())
    wall = mesh_object("Wall", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    wall.flotsam.kind = "COLLIDER"
    wall.flotsam.collider.absorption = 0.75
    add_field("FORCE", "Push", use_absorption=True)
    found = captured(scene)
    assert fields_of(found)["Push"].use_absorption
    assert [spec.absorption for spec in found.spec.systems if spec.name == "Wall"] == [0.75]


def test_live_takes_the_scene_again_when_a_field_becomes_another() -> None:
    scene = fresh_scene()
    soft(sheet())
    before = signature(scene)
    field = add_field("FORCE", "Push")
    added = signature(scene)
    assert added != before
    field.location.x, field.field.strength = 3.0, 7.0
    bpy.context.view_layer.update()
    assert signature(scene) == added
    field.field.type = "DRAG"
    assert signature(scene) != added
