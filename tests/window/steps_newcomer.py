"""A newcomer's first minutes: from Blender's startup scene to a render, with the Add menu and the sidebar tab."""

from __future__ import annotations

import time

import bpy
import driver
import numpy as np
from driver import OUT, Steps, event, in_view, key, middle, place_of, screenshot, until, write
from sitting import SAVED, begin_live, bodies, job, session, shown

# Time limit for all of it, including the installation, on a machine that has compiled the solver before [s].
LONGEST = 180.0


def a_newcomer_gets_to_a_picture() -> Steps:
    began = time.monotonic()
    yield from _adds_a_ring_and_water()
    yield from _plays_with_it()
    yield from _bakes_and_plays()
    yield from _renders()
    seconds = driver.taken["install_the_zip"] + time.monotonic() - began
    print(f"NEWCOMER {seconds:.0f} s", flush=True)
    assert seconds < LONGEST, seconds


def _adds_a_ring_and_water() -> Steps:
    bpy.ops.wm.read_homefile(use_factory_startup=False)
    yield 0.5
    bpy.ops.wm.save_as_mainfile(filepath=str(SAVED.with_name("newcomer.blend")))
    # Delete the cube; camera and light stay.
    event("MOUSEMOVE", "NOTHING", middle())
    yield 0.2
    with in_view():
        bpy.ops.object.select_all(action="DESELECT")
        bpy.data.objects["Cube"].select_set(True)
        bpy.ops.object.delete()
    yield from _add("flotsam ring")
    assert [obj.name for obj in bodies()] == ["Ring"]
    yield from key("G", middle())
    yield from key("Z", middle())
    yield from write("1", middle(), {"1": "ONE"})
    yield from key("RET", middle())
    assert abs(bodies()[0].location.z - 1.0) < 0.3, bodies()[0].location.z
    driver.area().spaces.active.show_region_ui = True
    driver.area().spaces.active.region_3d.view_distance = 8.0
    yield 0.5
    driver.region("UI").active_panel_category = "Flotsam"
    yield 0.5
    with in_view():
        assert bpy.ops.flotsam.apply_preset(preset="rubber_ring") == {"FINISHED"}
    yield 0.5
    screenshot("newcomer_ring")
    yield from _add("flotsam water")
    assert any(obj.flotsam.kind == "WATER" for obj in bpy.context.scene.objects)


def _add(entry: str) -> Steps:
    """Shift A over the 3D view, the first letters of the entry, Enter."""
    yield from key("A", middle(), shift=True)
    yield 0.5
    yield from write(entry, middle())
    yield 0.5
    yield from key("RET", middle())
    yield 0.5


def _plays_with_it() -> Steps:
    bpy.context.view_layer.objects.active = bpy.data.objects["Ring"]
    yield from begin_live()
    yield from until(lambda: session().recorded >= 30, "the ring to float")
    ring = session().frame.positions["Ring"]
    at = place_of(ring[np.argmax(ring[:, 2] - 0.2 * ring[:, 1])].astype(float))
    event("MOUSEMOVE", "NOTHING", at)
    event("LEFTMOUSE", "PRESS", at)
    yield 0.2
    assert session().hold is not None, "nothing under the mouse"
    height = ring[:, 2].mean()
    event("MOUSEMOVE", "NOTHING", (at[0], at[1] + 150))
    yield from until(lambda: session().frame.positions["Ring"][:, 2].mean() > height + 0.3, "the ring to follow")
    yield 1.0
    screenshot("newcomer_grab")
    event("LEFTMOUSE", "RELEASE", (at[0], at[1] + 150))
    yield from key("ESC", middle())
    yield from until(lambda: session() is None, "Esc to end Live")


def _bakes_and_plays() -> Steps:
    bpy.context.scene.frame_end = 60
    with in_view():
        bpy.ops.flotsam.bake("INVOKE_DEFAULT")
    yield from until(lambda: job() is not None, "the bake to begin")
    yield from until(lambda: job() is None, "the bake to end")
    before = shown()[:, 2].mean()
    with in_view():
        bpy.ops.screen.animation_play()
    yield from until(lambda: bpy.context.scene.frame_current > 20, "the bake to play")
    with in_view():
        bpy.ops.screen.animation_cancel(restore_frame=False)
    assert shown()[:, 2].mean() < before - 0.1, "the ring fell onto the water"
    screenshot("newcomer_baked")


def _renders() -> Steps:
    """Render with the button and the startup scene's camera; few samples, as this machine may have no graphics card."""
    scene = bpy.context.scene
    scene.render.resolution_percentage, scene.eevee.taa_render_samples = 25, 4
    with in_view():
        bpy.ops.render.render("INVOKE_DEFAULT", use_viewport=True)
    yield 1.0
    yield from until(lambda: not bpy.app.is_job_running("RENDER"), "the picture")
    picture = OUT / "newcomer.png"
    bpy.data.images["Render Result"].save_render(str(picture), scene=scene)
    assert picture.stat().st_size > 1000
