"""Scene → WorldSpec, frame → Controls."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from flotsam.addon.capture import CaptureError, capture_controls, capture_world, controls_now, local_matrices
from flotsam.addon.capture.stack import bare
from flotsam.engine.spec import SpringGraphSpec, params_of
from make_scene import cube, fresh_scene, ground, mesh_object, pin, sheet, soft
from mathutils import Matrix


@pytest.fixture
def scene():
    return fresh_scene()


def take(objects=None):
    return capture_world(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), objects)


def only(captured) -> SpringGraphSpec:
    (spec,) = captured.spec.systems
    return spec


def signed_volume(spec: SpringGraphSpec) -> float:
    a, b, c = (spec.vertices[spec.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", np.cross(a, b), c).sum() / 6.0)


def test_takes_the_mesh_up_to_flotsam(scene):
    obj = cube()
    obj.modifiers.new("Before", "SUBSURF")
    soft(obj)
    obj.modifiers["Flotsam"].show_viewport = True
    after = obj.modifiers.new("After", "SOLIDIFY")
    hidden = obj.modifiers.new("Hidden", "SUBSURF")
    hidden.show_viewport = False
    captured = take()
    assert len(only(captured).vertices) == 26
    assert captured.bodies[0].mesh_points == 8
    assert [m.show_viewport for m in obj.modifiers] == [True, True, True, False]
    assert after.name == "After"


def test_switched_off_modifiers_come_back_after_an_error(scene):
    obj = soft(cube())
    obj.modifiers["Flotsam"].show_viewport = True
    with pytest.raises(ZeroDivisionError), bare([obj]):
        assert not obj.modifiers["Flotsam"].show_viewport
        raise ZeroDivisionError
    assert obj.modifiers["Flotsam"].show_viewport


def test_who_stands_still_is_inverted_once(scene, monkeypatch):
    """NumPy's inverse waits for cores on which the solver runs, so Live computes it only for objects that moved."""
    obj = soft(cube())
    ground()
    captured = capture_world(scene, bpy.context.evaluated_depsgraph_get(), by_hand=True)
    inverted, invert = [], np.linalg.inv
    monkeypatch.setattr(np.linalg, "inv", lambda matrix: (inverted.append(matrix), invert(matrix))[1])
    for place, most_calls in ((1.25, 2), (1.25, 0), (1.5, 1)):
        obj.location.x = place
        bpy.context.view_layer.update()
        inverted.clear()
        controls_now(captured, scene)
        (matrix,) = local_matrices(captured, scene).values()
        assert len(inverted) <= most_calls
        assert matrix == pytest.approx(np.array(obj.matrix_world.inverted()), abs=1e-6)


def test_positions_are_in_the_world(scene):
    obj = soft(cube(size=2.0))
    obj.matrix_world = Matrix.Translation((1, 2, 3)) @ Matrix.Rotation(0.7, 4, "X") @ Matrix.Diagonal((1, 2, 3, 1))
    bpy.context.view_layer.update()
    expected = np.array([obj.matrix_world @ v.co for v in obj.data.vertices])
    assert np.allclose(only(take()).vertices, expected, atol=1e-6)


@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 1, 1), (-1, -2, 1), (-1, -1, -3)])
def test_triangles_point_outward_at_any_sign_of_scale(scene, scale):
    obj = soft(cube(size=1.0))
    obj.scale = scale
    assert signed_volume(only(take())) == pytest.approx(abs(math.prod(scale)), rel=1e-6)


def test_segments_come_from_an_attribute_and_are_asked_for(scene):
    obj = soft(cube(), pressure=1.0, pressure_law="SEGMENT")
    with pytest.raises(CaptureError, match="Cube has no segments; .* attribute named segment, or set Pressure Law"):
        take()
    obj.data.attributes.new("segment", "INT", "POINT").data.foreach_set("value", [0, 0, 0, 0, 7, 7, 7, 7])
    assert only(take()).segments.tolist() == [0, 0, 0, 0, 7, 7, 7, 7]


def test_settings_are_copied_by_name(scene):
    obj = soft(cube(), pressure=321.0, rings=3, graph="EDGES", mass_by="AREA", velocity=(1, 2, 3), friction=0.75)
    spec = only(take())
    group = obj.flotsam.spring_graph
    for name in params_of(SpringGraphSpec):
        value, taken = getattr(group, name), getattr(spec, name)
        assert taken == (tuple(value) if isinstance(taken, tuple) else value)
    assert (spec.pressure, spec.rings, spec.velocity) == (321.0, 3, (1.0, 2.0, 3.0))


def test_scene_settings(scene):
    soft(cube())
    scene.render.fps, scene.render.fps_base = 30, 1.001
    scene.gravity = (0, 1, -2)
    scene.flotsam.substeps, scene.flotsam.spring_steps = 17, 4
    spec = take().spec
    assert spec.frame_rate == pytest.approx(30 / 1.001)
    assert (spec.gravity, spec.substeps, spec.spring_steps) == ((0.0, 1.0, -2.0), 17, 4)
    scene.use_gravity = False
    assert take().spec.gravity == (0.0, 0.0, 0.0)


def test_colliders_and_water_always_take_part(scene):
    body, other = soft(cube("A")), soft(cube("B"))
    ground(z=-1.5)
    bpy.ops.object.empty_add(location=(9, 9, 0.25))
    bpy.context.object.flotsam.kind = "WATER"
    bpy.context.object.flotsam.water.density = 1025
    captured = take([body])
    kinds = {spec.kind: spec for spec in captured.spec.systems}
    assert [b.name for b in captured.bodies] == ["A"] and len(captured.spec.systems) == 3
    assert kinds["COLLIDER"].vertices[:, 2] == pytest.approx(-1.5)
    assert (kinds["WATER"].height, kinds["WATER"].density) == (0.25, 1025.0)
    assert [b.name for b in take().bodies] == ["A", other.name]


def test_loose_edges_are_there(scene):
    soft(mesh_object("Rope", [(0, 0, 0), (0, 0, 1), (0, 0, 2)], edges=[(0, 1), (1, 2)]), graph="EDGES")
    spec = only(take())
    assert spec.triangles is None and spec.edges.tolist() == [[0, 1], [1, 2]]


def test_pins_go_through_subdivision(scene):
    obj = cube()
    obj.modifiers.new("Before", "SUBSURF")
    soft(obj)
    pin(obj, [4, 5, 6, 7])
    pin(obj, [0], weight=0.4)
    spec = only(take())
    assert len(spec.pins) >= 9
    assert (spec.vertices[spec.pins, 2] > 2.0).all()


def test_vertex_groups_named_after_settings_are_weights(scene):
    obj = sheet()
    soft(obj, stiffness=100.0, bending=0.1)
    for name, weight in (("stiffness", 0.25), ("bending", 1.0), ("something else", 0.5)):
        obj.vertex_groups.new(name=name).add([0, 3], weight, "REPLACE")
    weights = only(take()).weights
    assert set(weights) == {"stiffness", "bending"}
    assert weights["stiffness"][[0, 1, 3]].tolist() == [0.25, 0.0, 0.25]


def test_disabled_objects_are_left_out_with_a_word(scene):
    soft(cube("A"))
    soft(cube("B")).hide_viewport = True
    captured = take()
    assert [b.name for b in captured.bodies] == ["A"]
    assert captured.warnings == ("B is disabled in viewports and was left out.",)


def test_nothing_moves_no_frame_is_visited(scene):
    obj = soft(cube())
    pin(obj, [0])
    captured = take()
    visited = []
    bpy.app.handlers.frame_change_post.append(lambda *_: visited.append(1))
    controls = capture_controls(captured, scene, 5)
    bpy.app.handlers.frame_change_post.clear()
    assert not visited and not controls.pins and not controls.values


def test_pins_follow_keyframes_of_a_parent(scene):
    obj = soft(sheet())
    pin(obj, [0, 35])
    bpy.ops.object.empty_add()
    parent = bpy.context.object
    obj.parent = parent
    parent.keyframe_insert("location", frame=1)
    parent.location = (3, 0, 1)
    parent.keyframe_insert("location", frame=4)
    scene.frame_set(1)
    captured = take()
    targets = capture_controls(captured, scene, 4).pins["Sheet"]
    assert np.allclose(targets, only(captured).vertices[[0, 35]] + (3, 0, 1), atol=1e-5)


def test_pins_follow_an_armature(scene):
    obj = sheet()
    pin(obj, [0, 35])
    obj.vertex_groups.new(name="Bone").add(list(range(36)), 1.0, "REPLACE")
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    obj.modifiers.new("Rig", "ARMATURE").object = rig
    soft(obj)
    bone = rig.pose.bones[0]
    bone.keyframe_insert("location", frame=1)
    bone.location = (0, 2, 0)
    bone.keyframe_insert("location", frame=4)
    scene.frame_set(1)
    captured = take()
    targets = capture_controls(captured, scene, 4).pins["Sheet"]
    assert np.allclose(targets, only(captured).vertices[[0, 35]] + (0, 0, 2), atol=1e-5)
    assert not obj.modifiers["Flotsam"].show_viewport


def test_keyed_pressure_is_read_at_the_frame(scene):
    obj = soft(cube())
    settings = obj.flotsam.spring_graph
    for frame, pressure in ((1, 0.0), (5, 400.0)):
        settings.pressure = pressure
        settings.keyframe_insert("pressure", frame=frame)
    captured = take()
    assert capture_controls(captured, scene, 5).values["Cube"]["pressure"] == pytest.approx(400.0)
    assert 0.0 < capture_controls(captured, scene, 3).values["Cube"]["pressure"] < 400.0


def test_vertex_count_that_changes_is_refused(scene):
    obj = sheet()
    pin(obj, [0])
    array = obj.modifiers.new("Grow", "ARRAY")
    array.count = 1
    array.keyframe_insert("count", frame=1)
    array.count = 2
    array.keyframe_insert("count", frame=4)
    soft(obj)
    scene.frame_set(1)
    captured = take()
    with pytest.raises(CaptureError, match="Sheet has 72 vertices now and had 36"):
        capture_controls(captured, scene, 4)
