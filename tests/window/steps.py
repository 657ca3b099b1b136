"""An artist's actions with Flotsam, step by step, in one session."""

from __future__ import annotations

import time
from importlib import import_module

import bpy
import driver
import numpy as np
from driver import OUT, Steps, area, event, in_view, key, middle, place_of, screenshot, until
from sitting import MODULE, SAVED, begin_live, bodies, job, session, shown, traces


def install_the_zip() -> Steps:
    yield from key("ESC", (30, 400))
    yield 0.3
    (zip_file,) = OUT.glob("flotsam-*.zip")
    with in_view():
        done = bpy.ops.extensions.package_install_files(
            filepath=str(zip_file), repo="user_default", enable_on_install=True
        )
    yield 0.5
    assert done == {"FINISHED"} and hasattr(bpy.types.Object, "flotsam")


def add_through_the_menu() -> Steps:
    """Shift A over the 3D view, the first letters of the entry, Enter."""
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    event("MOUSEMOVE", "NOTHING", middle())
    yield 0.2
    yield from key("A", middle(), shift=True)
    yield 0.5
    yield from driver.write("rapids", middle())
    yield 0.5
    yield from key("RET", middle())
    yield from until(lambda: len(bodies()) > 5, "the preset's rings")
    assert driver.window().scene.name == "Rubber Dinghy Rapids" and "Scene" in bpy.data.scenes
    yield 1.0
    screenshot("scene_preset")


def demo_scene_is_live() -> Steps:
    """Rate of the solver while the interface is active. Kernels are compiled first, as for any user."""
    with in_view():
        assert bpy.ops.flotsam.live("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield 1.0
    screenshot("live_compiles")
    yield from until(lambda: session().recorded >= 10, "the first compile and ten frames", seconds=300.0)
    began, count = time.monotonic(), session().recorded
    yield from until(lambda: time.monotonic() - began > 3.0, "three seconds")
    rate = (session().recorded - count) / (time.monotonic() - began)
    screenshot("live_demo")
    (OUT / "rates.txt").write_text(f"demo scene: {rate:.1f} frames a second\n")
    yield from key("ESC", middle())
    yield from until(lambda: session() is None, "Esc to end Live")
    assert rate > 2.0, rate


def choose_a_preset() -> Steps:
    """A torus above a floor: Flotsam from the Physics tab, a material, a collider."""
    bpy.ops.wm.read_homefile(use_factory_startup=False, use_empty=True)
    yield 0.5
    with in_view():
        bpy.ops.mesh.primitive_plane_add(size=8.0)
        bpy.ops.flotsam.add(kind="COLLIDER")
        bpy.ops.mesh.primitive_torus_add(major_segments=32, minor_segments=16, location=(0.0, 0.0, 1.0))
        bpy.context.object.name = "Ring"
        bpy.ops.flotsam.add(kind="SPRING_GRAPH")
        assert bpy.ops.flotsam.apply_preset(preset="rubber_ring") == {"FINISHED"}
    bpy.context.scene.flotsam.frame_end = 40
    area().spaces.active.show_region_ui = True
    bpy.ops.wm.save_as_mainfile(filepath=str(SAVED))
    yield 1.0
    area("PROPERTIES").spaces.active.context = "PHYSICS"
    driver.region("UI").active_panel_category = "Flotsam"
    yield 1.0
    screenshot("physics_tab")


def live_runs() -> Steps:
    before = shown()
    yield from begin_live()
    assert traces() == ["Ring"] and shown()[:, 2].mean() < before[:, 2].mean() - 0.01
    yield 1.0
    screenshot("live")


def the_mouse_pulls() -> Steps:
    """Press on the ring, move up and aside: the ring follows, and hangs there until it is released."""
    yield from until(lambda: session().recorded >= 30, "the ring to land")
    ring = session().frame.positions["Ring"]
    top = ring[np.argmax(ring[:, 2] - 0.2 * ring[:, 1])].astype(float)
    at = place_of(top)
    event("MOUSEMOVE", "NOTHING", at)
    event("LEFTMOUSE", "PRESS", at)
    yield 0.2
    assert session().hold is not None, "nothing under the mouse"
    height = ring[:, 2].mean()
    for step in range(10):
        event("MOUSEMOVE", "NOTHING", (at[0] + 5 * step, at[1] + 15 * step))
        yield 0.1
    yield from until(lambda: session().frame.positions["Ring"][:, 2].mean() > height + 0.2, "the ring to follow")
    screenshot("grab")
    event("LEFTMOUSE", "RELEASE", (at[0] + 45, at[1] + 135))
    yield from until(lambda: session().hold is None, "the mouse to let go")
    yield from until(lambda: session().frame.positions["Ring"][:, 2].mean() < height + 0.1, "the ring to fall")


def space_pauses_and_plays() -> Steps:
    yield from key("SPACE", middle())
    yield 0.5
    count = session().frame.number
    yield 0.5
    assert not session().playing and session().frame.number == count
    yield from key("SPACE", middle())
    yield from until(lambda: session().frame.number > count + 3, "time to run again")
    assert not bpy.context.screen.is_animation_playing


def a_setting_acts_while_it_runs() -> Steps:
    width = np.ptp(session().frame.positions["Ring"][:, 0])
    bpy.data.objects["Ring"].flotsam.spring_graph.pressure *= 20.0
    yield from until(
        lambda: np.ptp(session().frame.positions["Ring"][:, 0]) > 1.005 * width, "twenty times the pressure to widen it"
    )


def the_view_turns_meanwhile() -> Steps:
    """The middle mouse button keeps its function in Blender."""
    before = np.array(driver.region().data.view_matrix)
    x, y = middle()
    event("MIDDLEMOUSE", "PRESS", (x, y))
    for step in range(5):
        event("MOUSEMOVE", "NOTHING", (x + 20 * step, y))
        yield 0.1
    event("MIDDLEMOUSE", "RELEASE", (x + 80, y))
    yield 0.3
    assert session() is not None
    assert not np.allclose(before, np.array(driver.region().data.view_matrix), atol=1e-3)


def saving_meanwhile_leaves_no_trace() -> Steps:
    bpy.ops.wm.save_mainfile()
    assert traces() == ["Ring"]
    copy = str(SAVED.with_name("copy.blend"))
    bpy.ops.wm.save_as_mainfile(filepath=copy, copy=True)
    with bpy.data.libraries.load(copy) as (_source, wanted):
        wanted.objects = ["Ring"]
    assert [modifier.name for modifier in wanted.objects[0].modifiers] == ["Flotsam"]
    bpy.data.objects.remove(wanted.objects[0])
    yield 0.1


def record_and_escape() -> Steps:
    """The recorded frames become the bake; Esc ends Live and restores everything."""
    assert bpy.ops.flotsam.live_control(action="RECORD") == {"FINISHED"}
    count = session().recorded
    yield 0.2
    event("ESC", "PRESS", middle())
    began = time.monotonic()
    yield 0.001
    yield from until(lambda: session() is None, "Esc to end Live")
    seconds = time.monotonic() - began
    assert traces() == []
    bpy.context.scene.frame_set(1)
    start = shown()[:, 2].mean()
    bpy.context.scene.frame_set(12)
    assert abs(start - 1.0) < 1e-3 and shown()[:, 2].mean() < 0.9 and count > 60
    # Includes software redraws of 0.1 to 0.3 s each.
    assert seconds < 2.0, seconds


def escape_stops_a_bake_in_the_middle() -> Steps:
    bpy.context.scene.flotsam.frame_end = 20000
    with in_view():
        bpy.ops.flotsam.bake("INVOKE_DEFAULT")
    yield from until(lambda: job() is not None and job().progress.done > 10, "ten frames of the bake")
    # The solver's state, from which a bake resumes, is saved twice a second.
    yield 2.0
    screenshot("bake")
    yield from key("ESC", middle())
    yield from until(lambda: job() is None, "Esc to end the bake")


def a_stopped_bake_goes_on() -> Steps:
    on_disk = import_module(f"{MODULE}.addon.bake.on_disk")
    ring = bpy.data.objects["Ring"]
    stopped = on_disk.baked_range(ring)[1]
    bpy.context.scene.flotsam.frame_end = stopped + 50
    with in_view():
        assert bpy.ops.flotsam.resume.poll()
        bpy.ops.flotsam.resume("INVOKE_DEFAULT")
    yield from until(lambda: job() is not None, "the bake to begin")
    yield from until(lambda: job() is None, "the bake to end")
    assert on_disk.baked_range(ring) == (1, stopped + 50)
    bpy.context.scene.frame_set(stopped + 50)
    assert shown()[:, 2].mean() < 0.6


def scrubbing_shows_the_bake() -> Steps:
    heights = []
    for frame in (1, 5, 9, 13):
        bpy.context.scene.frame_set(frame)
        heights.append(shown()[:, 2].mean())
        yield 0.05
    assert heights == sorted(heights, reverse=True) and heights[0] - heights[-1] > 0.2


def undo_and_redo_meanwhile() -> Steps:
    """An undo of a step made while Live ran neither stops the session nor leaves traces."""
    with in_view():
        bpy.ops.ed.undo_push(message="Before Live")
    yield from begin_live()
    bpy.data.objects["Plane"].location.z = -0.5
    with in_view():
        bpy.ops.ed.undo_push(message="Floor lowered")
        yield 0.3
        bpy.ops.ed.undo()
    count = session().recorded
    yield from until(lambda: session().recorded > count + 5, "Live to go on after an undo")
    with in_view():
        bpy.ops.ed.redo()
    yield from until(lambda: session().recorded > count + 10, "Live to go on after a redo")
    yield from key("ESC", middle())
    yield from until(lambda: session() is None, "Esc to end Live")
    with in_view():
        bpy.ops.ed.undo()
        yield 0.2
        assert traces() == []
        bpy.ops.ed.redo()
    assert traces() == []


def a_file_opened_meanwhile_ends_live() -> Steps:
    yield from begin_live()
    bpy.ops.wm.open_mainfile(filepath=str(SAVED))
    yield 0.5
    assert session() is None and traces() == [] and len(bodies()) == 1


def a_body_deleted_meanwhile() -> Steps:
    yield from begin_live()
    bpy.data.objects.remove(bpy.data.objects["Ring"])
    yield from until(lambda: "nothing to solve" in session().message, "a sentence")
    yield from key("ESC", middle())
    yield from until(lambda: session() is None, "Esc to end Live")
    bpy.ops.wm.open_mainfile(filepath=str(SAVED))
    yield 0.5


def disabled_meanwhile() -> Steps:
    """The extension is disabled while Live runs: no traces remain, and it can be enabled again."""
    yield from begin_live()
    bpy.ops.preferences.addon_disable(module=MODULE)
    yield 0.5
    assert traces() == [] and not hasattr(bpy.types.Object, "flotsam")
    bpy.ops.preferences.addon_enable(module=MODULE)
    yield 0.5
    assert len(bodies()) == 1
    yield from begin_live()
    yield from key("ESC", middle())
    yield from until(lambda: session() is None, "Esc to end Live")
