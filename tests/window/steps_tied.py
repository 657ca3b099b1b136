"""Joints and attachments in the overlay; bodies that keyframes move and then release."""

from __future__ import annotations

import math
from importlib import import_module

import bpy
import numpy as np
from driver import Steps, area, event, in_view, key, middle, screenshot, until
from sitting import MODULE, begin_live, choose, new_file, session, shown

# Last frame of the bakes; frame at which the pins and the crate are released.
LAST, RELEASED = 30, 10


def joints_and_attachments_are_drawn() -> Steps:
    """A shutter on a hinge with a cloth tied to it: the lines follow it in the bake, and in Live."""
    scene = yield from new_file("tied")
    scene.frame_end = LAST
    with in_view():
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=10, y_subdivisions=10, size=0.6, location=(0.0, 0.0, 1.25))
        cloth = bpy.context.object
        bpy.ops.flotsam.add(kind="SPRING_GRAPH")
        bpy.ops.flotsam.apply_preset(preset="silk")
        bpy.ops.mesh.primitive_cube_add(size=0.6, location=(0.0, 0.0, 1.6))
        shutter = bpy.context.object
        shutter.name = "Shutter"
        bpy.ops.flotsam.add(kind="VOXEL_BODY")
        scene.cursor.location, scene.cursor.rotation_euler = (-0.3, 0.0, 1.9), (0.5 * math.pi, 0.0, 0.0)
        assert bpy.ops.flotsam.join(kind="HINGE", at="CURSOR") == {"FINISHED"}
        cloth.select_set(True)
        assert bpy.ops.flotsam.attach(distance=0.1) == {"FINISHED"}
        assert bpy.ops.flotsam.bake() == {"FINISHED"}
        bpy.ops.object.select_all(action="DESELECT")
    view = area().spaces.active
    view.show_region_ui, view.region_3d.view_distance, view.region_3d.view_location = False, 4.0, (0.0, 0.0, 1.2)
    scene.flotsam.overlay.ties = True
    drawn = import_module(f"{MODULE}.addon.overlay.viewport")
    scene.frame_set(1)
    yield from until(lambda: drawn._drawn[1] is not None and "ties" in drawn._drawn[1].layers, "ties in the overlay")
    yield 0.5
    screenshot("hour_ties")
    rest = drawn._drawn[1].layers["ties"].points.copy()
    # Four links of the cloth, the joint's axis and a cross of three lines.
    assert len(rest) >= 2 * (4 + 4), len(rest)
    scene.frame_set(20)
    yield 1.0
    screenshot("hour_ties_swung")
    swung = drawn._drawn[1].layers["ties"].points
    assert len(swung) == len(rest) and np.abs(swung - rest).max() > 0.2, "the links follow the bake"
    yield from begin_live()
    yield from until(
        lambda: np.abs(drawn._drawn[1].layers["ties"].points - rest).max() > 0.2, "the links to follow Live"
    )
    screenshot("hour_ties_live")
    yield from key("ESC", middle())
    yield from until(lambda: session() is None, "Esc to end Live")
    scene.flotsam.overlay.ties = False


def what_keys_lead_is_let_go() -> Steps:
    """A crate that keyframes move flies on after its release; a cloth falls when its pins are released; both play."""
    scene = yield from new_file("released")
    scene.frame_end = LAST
    with in_view():
        bpy.ops.mesh.primitive_plane_add(size=12.0)
        bpy.ops.flotsam.add(kind="COLLIDER")
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=8, y_subdivisions=8, size=1.0, location=(0.0, 1.5, 1.5))
        cloth = bpy.context.object
        bpy.ops.flotsam.add(kind="SPRING_GRAPH")
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.region_to_loop()
        assert bpy.ops.flotsam.pin() == {"FINISHED"}
        bpy.ops.object.mode_set(mode="OBJECT")
        _switch(cloth.flotsam.spring_graph, "release_pins", False)
        bpy.ops.mesh.primitive_cube_add(size=0.5, location=(-2.0, 0.0, 1.5))
        crate = bpy.context.object
        crate.name = "Crate"
        bpy.ops.flotsam.add(kind="VOXEL_BODY")
        for frame, x in ((1, -2.0), (RELEASED, -0.5)):
            crate.location.x = x
            crate.keyframe_insert("location", frame=frame)
        _switch(crate.flotsam.voxel_body, "animated", True)
        assert bpy.ops.flotsam.bake() == {"FINISHED"}
        choose(crate)
    yield 0.5
    area("PROPERTIES").spaces.active.context = "PHYSICS"
    area().spaces.active.region_3d.view_location = (0.0, 0.5, 0.8)
    scene.frame_set(5)
    names = import_module(f"{MODULE}.addon.names")
    for obj, group in ((crate, "body"), (cloth, "pins")):
        event("MOUSEMOVE", "NOTHING", middle())
        yield 0.3
        with in_view():
            choose(obj)
            bpy.ops.wm.call_panel(name=names.panel_of_group(group), keep_open=True)
        yield 1.0
        screenshot(f"hour_keyed_{group}")
        # A panel that was called closes when the mouse leaves it.
        away = (middle()[0] - 300, middle()[1] - 250)
        event("MOUSEMOVE", "NOTHING", away)
        yield 0.3
        yield from key("ESC", away)
    with in_view():
        choose(crate)
    yield 0.6
    screenshot("hour_led")
    with in_view():
        bpy.ops.screen.animation_play()
    heights = {}
    while len(heights) < 8 or scene.frame_current < LAST - 2:
        heights[scene.frame_current] = (crate.matrix_world.translation.copy(), shown(cloth.name)[:, 2].mean())
        yield 0.05
        if scene.frame_current < max(heights):
            break
    with in_view():
        bpy.ops.screen.animation_cancel(restore_frame=False)
    keyed = [at for frame, (at, _height) in heights.items() if frame < RELEASED]
    free = [(at, height) for frame, (at, height) in heights.items() if frame > LAST - 8]
    assert keyed and free, sorted(heights)
    assert all(abs(at.z - 1.5) < 1e-3 for at in keyed), "keyframes move the crate"
    assert all(at.z < 0.9 and at.x > 0.0 for at, _height in free), "the crate flies on and falls"
    assert all(height < 0.6 for _at, height in free), "the cloth has fallen"
    scene.frame_set(LAST - 2)
    yield 0.6
    screenshot("hour_let_go")


def _switch(group: bpy.types.PropertyGroup, field: str, before: bool) -> None:
    """Key a boolean setting that changes at RELEASED."""
    for frame, value in ((1, before), (RELEASED, not before)):
        setattr(group, field, value)
        group.keyframe_insert(field, frame=frame)
