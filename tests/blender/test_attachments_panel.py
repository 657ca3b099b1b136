"""Attachments in Blender: from a selection to a row, from a row to the bake, and messages about invalid rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.capture import capture_world
from flotsam.addon.names import PANEL_ATTACHMENTS, SETTINGS
from flotsam.addon.properties.interactions import use_of
from flotsam.engine.spec import Attachment, params_of
from make_rigid import add_box
from make_scene import cube, fresh_scene, ground, mesh_object, sheet, soft, world_positions
from recorded import all_text, drawn


@pytest.fixture
def scene() -> bpy.types.Scene:
    return fresh_scene()


def rope(name: str = "Rope", top: Sequence[float] = (2.0, 2.0, 0.0), count: int = 5) -> bpy.types.Object:
    """A vertical chain of springs, with vertices a quarter of a metre apart."""
    vertices = [(top[0], top[1], top[2] - 0.25 * k) for k in range(count)]
    return soft(
        mesh_object(name, vertices, edges=[(k, k + 1) for k in range(count - 1)]), graph="EDGES", stiffness=5000.0
    )


def select(*objects: bpy.types.Object) -> None:
    """Select only these; the last one is active."""
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
        bpy.context.view_layer.objects.active = obj


def edit(**chosen: Sequence[int]) -> None:
    """Enter Edit Mode with these vertices selected, by object."""
    import bmesh  # Available only after bpy.
    select(*(bpy.data.objects[name] for name in chosen))
    bpy.context.tool_settings.mesh_select_mode = (True, False, False)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    for name, vertices in chosen.items():
        edited = bmesh.from_edit_mesh(bpy.data.objects[name].data)
        edited.verts.ensure_lookup_table()
        for k in vertices:
            edited.verts[k].select = True


def rows() -> list[tuple[str, list[tuple[int, int]]]]:
    """Name and links of each row."""
    settings = getattr(bpy.context.scene, SETTINGS)
    return [(row.name, [(link.a, link.b) for link in row.links]) for row in settings.attachments]


def take():
    return capture_world(bpy.context.scene, bpy.context.evaluated_depsgraph_get())


def attached_rope() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A rope whose upper end lies on a corner of the ground and is tied to it."""
    hung, dock = rope(), ground()
    select(hung, dock)
    assert bpy.ops.flotsam.attach() == {"FINISHED"}
    return hung, dock


def test_objects_are_tied_where_they_are_near(scene: bpy.types.Scene) -> None:
    attached_rope()
    assert rows() == [("Rope to Ground", [(0, 2)])]
    (tied,) = take().spec.attachments
    assert (tied.a, tied.b, list(tied.a_vertices), list(tied.b_vertices)) == ("Rope", "Ground", [0], [2])
    assert (tied.stiffness, tied.damping, tied.rest_length) == (None, 0.0, None)


def test_the_soft_one_is_tied_whichever_is_active(scene: bpy.types.Scene) -> None:
    hung, dock = rope(), ground()
    select(dock, hung)
    assert bpy.ops.flotsam.attach(distance=0.3) == {"FINISHED"}
    assert rows() == [("Rope to Ground", [(0, 2), (1, 2)])]


def test_selected_vertices_are_tied_to_the_nearest_of_the_other_mesh(scene: bpy.types.Scene) -> None:
    rope()
    ground()
    edit(Rope=[4], Ground=[0, 1, 3])
    assert bpy.ops.flotsam.attach() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert rows() == [("Rope to Ground", [(4, 1)])]


def test_two_vertices_of_a_mesh_are_tied_to_each_other(scene: bpy.types.Scene) -> None:
    rope()
    edit(Rope=[0, 4])
    assert bpy.ops.flotsam.attach() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert rows() == [("Rope", [(0, 4)])]
    (tied,) = take().spec.attachments
    assert (tied.a, tied.b) == ("Rope", "Rope")


def test_values_are_given_where_asked_for(scene: bpy.types.Scene) -> None:
    attached_rope()
    row = scene.flotsam.attachments[0]
    row.use_stiffness, row.stiffness, row.damping, row.use_rest_length = True, 250.0, 2.0, True
    (tied,) = take().spec.attachments
    assert (tied.stiffness, tied.damping, tied.rest_length) == (250.0, 2.0, 0.0)
    row.mute = True
    assert take().spec.attachments == ()


def test_poll_says_what_is_missing(scene: bpy.types.Scene) -> None:
    with pytest.raises(RuntimeError, match="Select two meshes in Object Mode"):
        bpy.ops.flotsam.attach()
    with pytest.raises(RuntimeError, match="No attachment is chosen"):
        bpy.ops.flotsam.detach()


@pytest.mark.parametrize(("make", "distance", "sentence"), [
    (lambda: (rope(), cube("Post")), 0.1, "Post is no soft or rigid body and no collider"),
    (lambda: (rope(top=(2.0, 2.0, 1.0), count=3), ground()), 0.1, "within 0.1 m of each other; the nearest are 0.5 m"),
    (lambda: (ground(), ground(1.0)), 2.0, "Neither Ground"),
])
def test_what_cannot_be_tied_is_said(scene: bpy.types.Scene, make, distance: float, sentence: str, capfd) -> None:
    select(*make())
    assert bpy.ops.flotsam.attach(distance=distance) == {"CANCELLED"}
    assert rows() == [] and sentence in capfd.readouterr().out


def test_a_selection_that_ties_nothing_is_said(scene: bpy.types.Scene, capfd) -> None:
    rope()
    edit(Rope=[0, 1, 2])
    assert bpy.ops.flotsam.attach() == {"CANCELLED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert "Select two vertices of one mesh, or some of two meshes" in capfd.readouterr().out


def spoil_by_edit(hung: bpy.types.Object, dock: bpy.types.Object) -> None:
    hung.data.vertices.add(1)


def spoil_by_deleting(hung: bpy.types.Object, dock: bpy.types.Object) -> None:
    bpy.data.objects.remove(dock)


def spoil_by_unlinking(hung: bpy.types.Object, dock: bpy.types.Object) -> None:
    bpy.context.scene.collection.objects.unlink(dock)


def spoil_by_kind(hung: bpy.types.Object, dock: bpy.types.Object) -> None:
    dock.flotsam.kind = "NONE"


def spoil_by_number(hung: bpy.types.Object, dock: bpy.types.Object) -> None:
    bpy.context.scene.flotsam.attachments[0].links[0].a = 9


def spoil_by_same(hung: bpy.types.Object, dock: bpy.types.Object) -> None:
    row = bpy.context.scene.flotsam.attachments[0]
    row.b_object, row.b_count, row.links[0].b = hung, row.a_count, row.links[0].a


def spoil_by_modifier(hung: bpy.types.Object, dock: bpy.types.Object) -> None:
    weld = hung.modifiers.new("Weld", "WELD")
    weld.merge_threshold = 0.3
    hung.modifiers.move(1, 0)


def spoil_by_hiding(hung: bpy.types.Object, dock: bpy.types.Object) -> None:
    dock.hide_viewport = True


@pytest.mark.parametrize(("spoil", "sentence"), [
    (spoil_by_edit, "Rope had 5 vertices when the attachment Rope to Ground was made and has 6 now"),
    (spoil_by_deleting, "has lost its object B; remove the row."),
    (spoil_by_unlinking, "means Ground, which is not in this scene; remove the row."),
    (spoil_by_kind, "Ground is no soft or rigid body and no collider"),
    (spoil_by_number, "means vertex 9 of Rope, which has 5; remove the row and attach again."),
    (spoil_by_same, "ties vertex 0 of Rope to itself"),
    (spoil_by_modifier, "because a modifier of Rope takes some away"),
    (spoil_by_hiding, "is left out, because Ground takes no part in this bake."),
])
def test_a_row_that_no_longer_fits_is_said_and_passed_over(scene: bpy.types.Scene, spoil, sentence: str) -> None:
    spoil(*attached_rope())
    captured = take()
    assert captured.spec.attachments == ()
    assert sentence in " ".join(captured.warnings)
    if spoil not in (spoil_by_number, spoil_by_same, spoil_by_modifier, spoil_by_hiding):
        assert sentence in all_text("scene")


def test_the_list_shows_every_value_once_and_rows_can_go(scene: bpy.types.Scene) -> None:
    attached_rope()
    shown = drawn("scene")[PANEL_ATTACHMENTS]
    names = [name for owner, name in shown.props if owner == "FlotsamAttachment"]
    wanted = {*params_of(Attachment), use_of("stiffness"), use_of("rest_length")}
    assert wanted <= set(names) and all(names.count(name) == 1 for name in wanted)
    assert "Rope to Ground: 1 link" in shown.labels
    assert bpy.ops.flotsam.detach() == {"FINISHED"} and rows() == []


def test_undo_takes_a_row_back_and_a_file_keeps_it(scene: bpy.types.Scene, tmp_path: Path) -> None:
    hung, dock = rope(), ground()
    bpy.context.preferences.edit.use_global_undo = True
    select(hung, dock)
    bpy.ops.ed.undo_push(message="A rope")
    bpy.ops.flotsam.attach("EXEC_DEFAULT", True)
    made = rows()
    bpy.ops.ed.undo()
    assert rows() == []
    bpy.ops.ed.redo()
    assert rows() == made
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "tied.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "tied.blend"))
    assert rows() == made and len(take().spec.attachments) == 1


def test_a_rope_hung_on_a_moving_dock_goes_along(tmp_path: Path) -> None:
    """With a rigid link its end is at the corner of the dock at every frame, to the single precision of the cache."""
    scene = fresh_scene(tmp_path, (1, 24))
    hung, dock = attached_rope()
    for frame, place in ((1, 0.0), (10, 0.1), (24, -0.1)):
        dock.location.x, dock.location.z = place, 0.5 * place
        dock.keyframe_insert("location", frame=frame)
    scene.frame_set(1)
    bake_blocking(scene)
    for frame in range(1, 25):
        ends = world_positions(hung, frame)[0], world_positions(dock, frame)[2]
        assert np.abs(np.subtract(*ends)).max() < 1e-5, frame
    assert world_positions(hung, 24)[4][2] < -0.05 - 0.9, "the rest hangs below it"
    file = Path(bpy.path.abspath(hung.modifiers["Flotsam"].filepath))
    uninterrupted = file.read_bytes()
    bake_blocking(scene, frame_end=12)
    bake_blocking(scene, resume=True)
    assert file.read_bytes() == uninterrupted


def test_a_tarp_hangs_between_two_posts(tmp_path: Path) -> None:
    """Two corners of a sheet tied to colliders stay in place; without the rows the sheet falls."""
    scene = fresh_scene(tmp_path, (1, 24))
    tarp = soft(sheet(count=6, size=1.0), stiffness=500.0)
    posts = [mesh_object(f"Post {k}", [(x, 0.5, 0.0), (x, 0.6, 0.0), (x, 0.5, 0.3)], [(0, 1, 2)])
             for k, x in enumerate((-0.5, 0.5))]
    for post in posts:
        post.flotsam.kind = "COLLIDER"
        select(tarp, post)
        assert bpy.ops.flotsam.attach(distance=0.01) == {"FINISHED"}
    assert [len(links) for _name, links in rows()] == [1, 1]
    bake_blocking(scene)
    lowest = 0.0
    for frame in range(1, 25):
        places = np.array(world_positions(tarp, frame))
        assert np.abs(places[[30, 35]] - [[-0.5, 0.5, 0.0], [0.5, 0.5, 0.0]]).max() < 1e-5
        lowest = min(lowest, places[:, 2].min())
    # It starts level and swings down past its rest position, a metre below the posts, slightly stretched.
    assert -1.5 < lowest < -0.9


def test_a_crate_hangs_on_a_rope(tmp_path: Path) -> None:
    """A soft rope from a dock to a crate's corner: the ends stay together, and the crate does not fall."""
    scene = fresh_scene(tmp_path, (1, 24))
    hung, _dock = attached_rope()
    crate = add_box("Crate", (1.75, 1.75, -1.25))
    corner = int(np.argmax([sum(vertex.co) for vertex in crate.data.vertices]))
    crate.flotsam.voxel_body.mass = 5.0
    select(hung, crate)
    assert bpy.ops.flotsam.attach(distance=0.01) == {"FINISHED"}
    assert ("Crate to Rope", [(corner, 4)]) in rows() or ("Rope to Crate", [(4, corner)]) in rows()
    bake_blocking(scene)
    for frame in range(1, 25):
        ends = world_positions(hung, frame)[4], world_positions(crate, frame)[corner]
        assert np.abs(np.subtract(*ends)).max() < 1e-4, frame
        assert ends[0][2] > -1.2, "the rope stretches a little and stays attached"
