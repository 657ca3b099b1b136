"""Settings with keyframes and drivers reach the solver at every frame, and only those."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.capture import Captured, capture_controls, capture_world
from flotsam.addon.capture.controls import controls_now, depsgraph_of
from flotsam.addon.manual import keyable_table
from flotsam.addon.names import settings_field
from flotsam.engine import cache
from flotsam.engine.spec import KINDS, keyable_params
from make_rigid import add_box, curves_of, place_at
from make_scene import cube, fresh_scene, ground, pin, ring, sheet, soft, world_positions

CASES = [(kind, field) for kind, spec in KINDS.items() for field in keyable_params(spec)]


def subject(kind: str) -> bpy.types.Object:
    """An object of a kind, in a scene with something to solve."""
    fresh_scene()
    soft(cube("Other")).select_set(False)
    obj = cube("Subject")
    bpy.ops.flotsam.add(kind=kind)
    return obj


def taken() -> Captured:
    scene = bpy.context.scene
    scene.frame_set(1)
    return capture_world(scene, depsgraph_of(scene))


def key(group: Any, field: str, **keys: float) -> None:
    """Keyframes such as f3=200.0, with linear interpolation."""
    for name, value in keys.items():
        setattr(group, field, value)
        group.keyframe_insert(field, frame=int(name[1:]))


@pytest.mark.parametrize(("kind", "field"), CASES)
def test_a_keyed_setting_and_nothing_else_is_sent(kind: str, field: str) -> None:
    obj = subject(kind)
    group = getattr(obj.flotsam, settings_field(kind))
    usual = getattr(group, field)
    first, last = (True, False) if isinstance(usual, bool) else (0.25, 0.75)
    if hasattr(usual, "__len__"):
        first, last = (0.0, 0.0, 0.0), (0.5, 0.25, 1.0)
    key(group, field, f1=first, f5=last)
    captured = taken()
    assert captured.keyed == {"Subject": (field,)} and captured.is_visited
    sent = capture_controls(captured, bpy.context.scene, 5).values
    assert set(sent) == {"Subject"} and set(sent["Subject"]) == {field}
    assert sent["Subject"][field] == pytest.approx(last if hasattr(usual, "__len__") else float(last))


def test_a_driver_and_a_strip_are_followed_and_a_key_of_the_place_is_none() -> None:
    obj = subject("SPRING_GRAPH")
    obj.keyframe_insert("location", frame=1)
    assert taken().keyed == {}
    curve = obj.flotsam.spring_graph.driver_add("stiffness")
    curve.driver.expression = "100 + 50 * frame"
    key(obj.flotsam.spring_graph, "rest_scale", f1=1.0, f9=2.0)
    track = obj.animation_data.nla_tracks.new()
    action = obj.animation_data.action
    obj.animation_data.action = None
    strip = track.strips.new("Grow", 1, action)
    strip.action_slot = action.slots[0]
    captured = taken()
    assert captured.keyed == {"Subject": ("stiffness", "rest_scale")}
    sent = capture_controls(captured, bpy.context.scene, 9).values["Subject"]
    assert sent == pytest.approx({"stiffness": 550.0, "rest_scale": 2.0})


def sample(obj: bpy.types.Object, number: int) -> np.ndarray:
    return cache.read_sample(Path(bpy.path.abspath(obj.modifiers["Flotsam"].filepath)), number)


def test_a_sheet_grows_by_its_rest_scale_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 40))
    scene.use_gravity = False
    obj = soft(sheet(), damping=2.0, stiffness=500.0)
    pin(obj, [0])
    key(obj.flotsam.spring_graph, "rest_scale", f1=1.0, f10=1.5)
    key(obj.flotsam.spring_graph, "bending", f1=0.0, f10=0.1)
    bake_blocking(scene)
    uninterrupted = [sample(obj, k) for k in range(40)]
    widths = [float(np.ptp(rows[:, 0])) for rows in uninterrupted]
    assert widths[0] == pytest.approx(1.0) and widths[-1] == pytest.approx(1.5, rel=0.01)
    bake_blocking(scene, frame_end=6)
    bake_blocking(scene, resume=True)
    assert all(np.array_equal(sample(obj, k), uninterrupted[k]) for k in range(40))


def test_what_lies_on_a_slope_slides_when_its_friction_is_keyed_away(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 40))
    floor = ground()
    floor.rotation_euler.y = 0.2
    lying = soft(ring(z=0.17), stiffness=2000.0, friction=0.9)
    lying.rotation_euler.y = 0.2
    floor.flotsam.collider.friction = 0.9
    key(floor.flotsam.collider, "friction", f1=0.9, f20=0.9, f21=0.0)
    bake_blocking(scene)
    places = [float(sample(lying, k).mean(axis=0)[0]) for k in (0, 19, 39)]
    assert abs(places[1] - places[0]) < 0.02 and places[2] - places[1] > 0.3


def test_the_manual_lists_what_may_be_keyed() -> None:
    manual = Path(__file__).parent.parent.parent / "docs" / "manual.md"
    assert keyable_table() in manual.read_text(encoding="utf-8")


def test_an_animated_crate_is_released_with_the_velocity_of_its_animation(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 24))
    scene.use_gravity = False
    crate = add_box("Crate", (0.0, 0.0, 1.0))
    for frame, x in ((1, 0.0), (11, 1.0)):
        crate.location.x = x
        crate.keyframe_insert("location", frame=frame)
    for curve in curves_of(crate):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    # Linear keyframes of a boolean setting switch it between them.
    key(crate.flotsam.voxel_body, "animated", f1=True, f10=True, f11=False)
    before = {frame: place_at(scene, crate, frame)[:3, 3] for frame in (1, 6, 10)}
    bake_blocking(scene)
    for frame, place in before.items():
        assert place_at(scene, crate, frame)[:3, 3] == pytest.approx(place, abs=1e-4)
    for frame in (12, 18, 24):
        assert place_at(scene, crate, frame)[:3, 3] == pytest.approx((0.1 * (frame - 1), 0.0, 1.0), abs=2e-3)
    assert bake_blocking(scene).progress.done == 24
    assert place_at(scene, crate, 24)[:3, 3] == pytest.approx((2.3, 0.0, 1.0), abs=2e-3)


def circling(obj: bpy.types.Object, last: int) -> None:
    """Keys of every frame until `last`, once a second around a circle of 1 m."""
    for frame in range(1, last + 1):
        angle = 2.0 * np.pi * (frame - 1) / 24.0
        obj.location = (float(np.cos(angle)), float(np.sin(angle)), 0.0)
        obj.keyframe_insert("location", frame=frame)


def test_a_soft_body_is_released_from_a_circle_on_the_tangent(tmp_path: Path) -> None:
    """It follows its keyframes until the release, then ignores them and follows the chord of the last keyed frame."""
    scene = fresh_scene(tmp_path, (1, 24))
    scene.use_gravity = False
    ball = soft(cube("Ball"), stiffness=500.0, struts=1)
    circling(ball, 24)
    key(ball.flotsam.spring_graph, "animated", f1=True, f13=True, f14=False)
    bake_blocking(scene)
    middle = {frame: np.mean(world_positions(ball, frame), axis=0) for frame in range(1, 25)}
    for frame in (1, 7, 13):
        angle = 2.0 * np.pi * (frame - 1) / 24.0
        assert middle[frame] == pytest.approx((np.cos(angle), np.sin(angle), 0.0), abs=1e-5)
    velocity = middle[13] - middle[12]
    assert velocity[1] < -0.25, "downwards, half-way around"
    assert middle[24] == pytest.approx(middle[13] + 11 * velocity, abs=1e-3)


@pytest.mark.parametrize("stiffness", [0.0, 5000.0])
def test_released_pins_fly_on(stiffness: float, tmp_path: Path) -> None:
    """Rigid pins, and soft pins of partial weight."""
    scene = fresh_scene(tmp_path, (1, 24))
    scene.use_gravity = False
    obj = soft(sheet(), damping=1.0)
    obj.vertex_groups.new(name="pins").add(list(range(36)), 0.6, "REPLACE")
    obj.flotsam.pin_stiffness = stiffness
    for frame, x in ((1, 0.0), (13, 1.2)):
        obj.location.x = x
        obj.keyframe_insert("location", index=0, frame=frame)
    for point in curves_of(obj)[0].keyframe_points:
        point.interpolation = "LINEAR"
    key(obj.flotsam.spring_graph, "release_pins", f1=False, f12=False, f13=True)
    bake_blocking(scene)
    middle = [float(np.mean(world_positions(obj, frame), axis=0)[0]) for frame in (6, 12, 24)]
    middle = np.array(middle) - float(np.mean(np.array(world_positions(obj, 1))[:, 0]))
    allowed = 0.05 if stiffness else 1e-3
    assert middle == pytest.approx([0.5, 1.1, 2.3], abs=allowed)


def test_an_animated_crate_follows_the_hand_in_live() -> None:
    scene = fresh_scene()
    crate = add_box("Crate", (0.0, 0.0, 1.0))
    crate.flotsam.voxel_body.animated = True
    captured = capture_world(scene, depsgraph_of(scene), by_hand=True)
    crate.location = (3.0, 0.0, 1.0)
    assert controls_now(captured, scene).poses["Crate"][:3, 3] == pytest.approx((3.0, 0.0, 1.0))
