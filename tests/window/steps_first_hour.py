"""Messages that an artist reads in the first hour: each is true, before and after a change."""

from __future__ import annotations

import errno
import shutil
from importlib import import_module
from pathlib import Path

import bpy
import driver
from driver import Steps, in_view, key, middle, screenshot, until
from sitting import MODULE, begin_live, choose, job, new_file, session, shown, sidebar_texts

FILES = Path(__file__).parents[1] / "blender" / "files"


def a_baked_body_says_what_changed() -> Steps:
    """A collider is moved and moved back, its friction changed and reset; render levels differ; the warning stays."""
    yield from new_file("changes")
    with in_view():
        bpy.ops.mesh.primitive_plane_add(size=8.0)
        floor = bpy.context.object
        bpy.ops.flotsam.add(kind="COLLIDER")
        bpy.ops.flotsam.add_body(shape="RING", location=(0.0, 0.0, 1.0))
        ring = bpy.context.object
        assert bpy.ops.flotsam.bake() == {"FINISHED"}
        bpy.ops.ed.undo_push(message="Baked")
    yield 0.6
    assert "bake again" not in sidebar_texts()
    floor.location.z = 0.3
    yield 0.6
    assert "Plane" in sidebar_texts() and "bake again" in sidebar_texts()
    screenshot("hour_collider_moved")
    floor.location.z = 0.0
    floor.flotsam.collider.friction = 0.9
    yield 0.6
    assert "The settings of Plane have changed since the bake" in sidebar_texts()
    floor.flotsam.collider.property_unset("friction")
    yield 0.6
    assert "bake again" not in sidebar_texts()
    with in_view():
        choose(ring)
        subdivision = ring.modifiers.new("Subdivision", "SUBSURF")
        bpy.ops.object.modifier_move_to_index(modifier="Subdivision", index=0)
        bpy.ops.flotsam.bake()
    yield 0.6
    texts = sidebar_texts()
    assert subdivision.levels != subdivision.render_levels and "Subdivision before Flotsam differs" in texts, texts
    assert "flotsam.match_levels" in texts and "The last bake warned" in texts
    screenshot("hour_levels_and_warning")
    with in_view():
        bpy.ops.flotsam.match_levels(to="VIEWPORT")
        assert bpy.ops.flotsam.bake() == {"FINISHED"}
    yield 0.3
    assert "The last bake warned" not in sidebar_texts(), sidebar_texts()


def a_copy_stands_where_it_stands() -> Steps:
    """A linked duplicate of a baked crate is unbaked and keeps its place at every frame; a new name keeps the bake."""
    yield from new_file("copies")
    with in_view():
        bpy.ops.mesh.primitive_plane_add(size=8.0)
        bpy.ops.flotsam.add(kind="COLLIDER")
        bpy.ops.mesh.primitive_cube_add(size=0.5, location=(0.0, 0.0, 1.0))
        crate = bpy.context.object
        crate.name = "Crate"
        bpy.ops.flotsam.add(kind="VOXEL_BODY")
        assert bpy.ops.flotsam.bake() == {"FINISHED"}
        bpy.context.scene.frame_set(12)
        choose(crate)
        bpy.ops.object.duplicate_move_linked(TRANSFORM_OT_translate={"value": (1.5, 0.0, 0.0)})
    copy = bpy.context.view_layer.objects.active
    yield 0.6
    on_disk = import_module(f"{MODULE}.addon.bake.on_disk")
    positions = [copy.matrix_world.translation.copy()]
    for frame in (1, 6):
        bpy.context.scene.frame_set(frame)
        yield 0.1
        positions.append(copy.matrix_world.translation.copy())
    assert on_disk.baked_range(copy) is None and on_disk.baked_range(crate) == (1, 12)
    assert all((place - positions[0]).length < 1e-5 for place in positions) and positions[0].x > 1.4
    screenshot("hour_copy")
    crate.name = "Chest"
    yield 0.6
    assert on_disk.baked_range(crate) == (1, 12) and "bake again" not in sidebar_texts()


def what_is_left_out_is_called_what_it_is() -> Steps:
    """Messages: a body in an excluded collection, Live in Edit Mode, Clear Cache and Undo, Blender's rigid bodies."""
    scene = yield from new_file("left_out")
    with in_view():
        bpy.ops.flotsam.add_body(shape="BALL", location=(2.0, 0.0, 2.0))
        excluded = bpy.context.object
        bpy.ops.flotsam.add_body(shape="RING", location=(0.0, 0.0, 1.0))
        ring = bpy.context.object
        bpy.ops.mesh.primitive_cube_add(size=0.6, location=(-2.0, 0.0, 0.3))
        wall = bpy.context.object
        bpy.ops.rigidbody.object_add(type="PASSIVE")
        scenery = bpy.data.collections.new("Scenery")
        scene.collection.children.link(scenery)
        scenery.objects.link(excluded)
        for collection in excluded.users_collection:
            if collection != scenery:
                collection.objects.unlink(excluded)
        bpy.context.view_layer.layer_collection.children["Scenery"].exclude = True
        choose(ring)
        bpy.ops.ed.undo_push(message="A ring")
        assert bpy.ops.flotsam.bake("EXEC_DEFAULT", True) == {"FINISHED"}
    yield 0.6
    texts = sidebar_texts()
    assert "is in the collection Scenery, which is excluded from the view layer" in texts, texts
    assert "rigid bodies of Blender's are not met" in texts
    screenshot("hour_left_out")
    with in_view():
        bpy.ops.flotsam.clear_cache("EXEC_DEFAULT", True)
        bpy.ops.ed.undo()
    yield 0.5
    ring, wall = bpy.data.objects["Ring"], bpy.data.objects[wall.name]
    on_disk = import_module(f"{MODULE}.addon.bake.on_disk")
    assert on_disk.baked_range(ring) is None and not ring.modifiers["Flotsam"].show_viewport
    with in_view():
        choose(wall)
        assert "flotsam.rigid_to_colliders" in sidebar_texts()
        assert bpy.ops.flotsam.rigid_to_colliders() == {"FINISHED"}
        choose(ring)
    assert wall.flotsam.kind == "COLLIDER"
    yield from begin_live()
    with in_view():
        bpy.ops.object.mode_set(mode="EDIT")
    yield from until(lambda: "Edit Mode" in session().message, "Live to say why it waits")
    yield 0.5
    screenshot("hour_edit_mode")
    assert "Live goes on when you leave it" in sidebar_texts() and "bake again" not in sidebar_texts()
    with in_view():
        bpy.ops.object.mode_set(mode="OBJECT")
    count = session().recorded
    yield from until(lambda: session().recorded > count and not session().message, "Live to go on")
    yield from key("ESC", middle())
    yield from until(lambda: session() is None, "Esc to end Live")


def a_bake_shows_its_frames_and_a_speed_that_is_true() -> Steps:
    """A crate moves while the bake runs, with the time left; Live of a heavy scene shows its fraction of real time."""
    scene = yield from new_file("running")
    scene.frame_end = 250
    with in_view():
        bpy.ops.mesh.primitive_cube_add(size=0.5, location=(0.0, 0.0, 3.0))
        crate = bpy.context.object
        bpy.ops.flotsam.add(kind="VOXEL_BODY")
        bpy.ops.flotsam.add_body(shape="RING", location=(0.0, 0.0, 1.0))
        subdivision = bpy.context.object.modifiers.new("Subdivision", "SUBSURF")
        subdivision.levels = subdivision.render_levels = 2
        bpy.ops.object.modifier_move_to_index(modifier="Subdivision", index=0)
        bpy.ops.flotsam.bake("INVOKE_DEFAULT")
    yield 0.6
    yield from until(lambda: job() is not None and job().progress.done > 20, "twenty frames")
    scene.frame_set(10)
    yield 0.5
    assert crate.matrix_world.translation.z < 2.9, "the crate falls in finished frames"
    texts = sidebar_texts()
    assert "left" in texts, texts
    screenshot("hour_bake_runs")
    yield from key("ESC", middle())
    yield from until(lambda: job() is None, "Esc to end the bake")
    assert "flotsam.resume" in sidebar_texts()
    with in_view():
        bpy.context.object.modifiers["Subdivision"].levels = 3
        assert bpy.ops.flotsam.live("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from until(lambda: 0.0 < session().speed < 0.9, "a speed below real time")
    yield 0.6
    live = import_module(f"{MODULE}.addon.operators.live")
    assert "% of real time" in live.status(session()) and "Live: real time" not in live.status(session())
    assert "% of real time" in sidebar_texts()
    screenshot("hour_crawl")
    yield from key("ESC", middle())
    yield from until(lambda: session() is None, "Esc to end Live")


def mass_pins_and_joints_are_shown() -> Steps:
    """A ball of steel on a sheet: the mass ratio is reported; pins are in the overlay, materials in the menu."""
    scene = yield from new_file("pins")
    with in_view():
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=12, y_subdivisions=12, size=2.0, location=(0.0, 0.0, 1.0))
        sheet = bpy.context.object
        bpy.ops.flotsam.add(kind="SPRING_GRAPH")
        assert bpy.ops.flotsam.apply_preset(preset="silk") == {"FINISHED"}
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.region_to_loop()
        assert bpy.ops.flotsam.pin() == {"FINISHED"}
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=(0.0, 0.0, 2.0), segments=16, ring_count=8)
        bpy.ops.flotsam.add(kind="VOXEL_BODY")
        bpy.context.object.flotsam.voxel_body.density = 7800.0
        assert bpy.ops.flotsam.bake() == {"FINISHED"}
        choose(sheet)
    scene.flotsam.overlay.pins = True
    yield 0.6
    texts = sidebar_texts()
    assert "Sphere (3,820 kg) weighs 9,600 times as much as Grid (0.4 kg)" in texts, texts
    drawn = import_module(f"{MODULE}.addon.overlay.viewport")
    yield from until(lambda: drawn._drawn is not None and "pins" in drawn._drawn[1].layers, "pins in the overlay")
    screenshot("hour_mass_and_pins")
    with in_view():
        bpy.ops.wm.call_menu(name="FLOTSAM_MT_made_of")
    yield 1.0
    screenshot("hour_materials")
    yield from key("ESC", middle())


def a_file_of_an_earlier_version_opens() -> Steps:
    """The bake of that version plays."""
    copied = driver.OUT / "user" / "version_0_1.blend"
    shutil.copy(FILES / "version_0_1.blend", copied)
    shutil.copytree(FILES / "flotsam_cache", copied.parent / "flotsam_cache", dirs_exist_ok=True)
    bpy.ops.wm.open_mainfile(filepath=str(copied))
    yield 0.5
    kinds = {obj.flotsam.kind for obj in bpy.context.scene.objects}
    assert "SPRING_GRAPH" in kinds, kinds
    body = next(obj for obj in bpy.context.scene.objects if obj.flotsam.kind == "SPRING_GRAPH")
    with in_view():
        choose(body)
    bpy.context.scene.frame_set(1)
    before = shown(body.name)
    bpy.context.scene.frame_set(5)
    yield 0.5
    assert abs(shown(body.name) - before).max() > 1e-3, "the old bake plays"
    screenshot("hour_earlier_version")


def what_stops_a_bake_is_one_sentence() -> Steps:
    """A linked body is named as left out; a full disk keeps finished frames; a vertex count that changes is refused."""
    yield from new_file("harbour")
    with in_view():
        bpy.ops.flotsam.add_body(shape="BALL", location=(2.0, 0.0, 1.0))
        bpy.context.object.name = "Boat"
        bpy.ops.wm.save_mainfile()
        harbour = bpy.data.filepath
    scene = yield from new_file("stops")
    with in_view():
        with bpy.data.libraries.load(harbour, link=True) as (_source, linked):
            linked.objects = ["Boat"]
        scene.collection.objects.link(linked.objects[0])
        bpy.ops.flotsam.add_body(shape="RING", location=(0.0, 0.0, 1.0))
        ring = bpy.context.object
        assert bpy.ops.flotsam.bake() == {"FINISHED"}
    yield 0.5
    assert "Boat is linked from harbour.blend" in sidebar_texts(), sidebar_texts()
    screenshot("hour_linked")
    cache = import_module(f"{MODULE}.addon.bake.files").cache
    append = cache.append_sample

    def fill_the_disk(path: Path, positions: object) -> int:
        if cache.read_header(path).samples == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        return append(path, positions)

    cache.append_sample = fill_the_disk
    try:
        with in_view():
            message = _refusal()
    finally:
        cache.append_sample = append
    assert "is full; frames up to 3 are kept" in message, message
    yield 0.5
    screenshot("hour_full_disk")
    with in_view():
        build = ring.modifiers.new("Build", "BUILD")
        build.frame_start, build.frame_duration = -6.0, 12.0
        bpy.ops.object.modifier_move_to_index(modifier="Build", index=0)
        message = _refusal()
    assert "Ring has" in message and "at the start; keep its modifiers" in message, message
    yield 0.5
    screenshot("hour_vertex_count")


def _refusal() -> str:
    """Error message of a bake that cannot be finished."""
    try:
        bpy.ops.flotsam.bake()
    except RuntimeError as error:
        return str(error)
    return "nothing"
