"""The overlay draws attachments and joints, optionally only of selected objects; arrows are limited, struts fade."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from flotsam.addon.overlay import ties
from flotsam.addon.overlay.picture import DisplaySettings, Lines, Subject, Ties, faded, paint
from flotsam.addon.overlay.subjects import chosen_names, signature, subjects
from make_scene import cube, fresh_scene, ground, pin, sheet, soft


def tied(names: set[str] | None = None) -> Ties:
    return ties.ties(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), names)


def moving(name: str, count: int) -> Subject:
    """Vertices that all move upwards."""
    none = np.zeros((0, 2), dtype=np.int64)
    at = np.random.default_rng(1).normal(size=(count, 3))
    return Subject(name, at, none, np.zeros(0), np.zeros(0, dtype=np.int64), np.tile([0.0, 0.0, 1.0], (count, 1)))


def two_tied() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A sheet tied to the ground by two vertices."""
    fresh_scene()
    floor, cloth = ground(), soft(sheet())
    row = bpy.context.scene.flotsam.attachments.add()
    row.name, row.a_object, row.b_object = "Rope", cloth, floor
    row.a_count, row.b_count = len(cloth.data.vertices), len(floor.data.vertices)
    for a, b in ((0, 0), (5, 1)):
        link = row.links.add()
        link.a, link.b = a, b
    return cloth, floor


def test_links_run_between_the_vertices_they_tie() -> None:
    cloth, _floor = two_tied()
    cloth.location.z = 1.5
    bpy.context.view_layer.update()
    links = tied().links
    assert np.allclose(links, [[(-0.5, -0.5, 1.5), (-2, -2, 0)], [(0.5, -0.5, 1.5), (2, -2, 0)]], atol=1e-6)
    lines = paint([], DisplaySettings(ties=True), tied()).layers["ties"]
    assert np.allclose(lines.points.reshape(-1, 2, 3), links, atol=1e-6)
    bpy.context.scene.flotsam.attachments[0].mute = True
    assert len(tied().links) == 0


def test_a_row_that_has_lost_its_object_draws_nothing() -> None:
    cloth, _floor = two_tied()
    bpy.data.objects.remove(cloth)
    assert len(tied().links) == 0


def test_a_joint_lies_where_the_body_is_and_shows_its_hinge() -> None:
    scene = fresh_scene()
    lid = cube("Lid", size=0.5, z=2.0)
    lid.flotsam.kind = "VOXEL_BODY"
    row = scene.flotsam.joints.add()
    row.name, row.a_object, row.to_world, row.kind = "Hinge", lid, True, "HINGE"
    row.place, row.axis = (0.25, 0.0, 0.0), (0.0, 1.0, 0.0)
    (pivot,) = tied().pivots
    assert np.allclose(pivot.place, (0.25, 0.0, 2.0)) and np.allclose(pivot.axis, (0.0, 1.0, 0.0))
    hinge = paint([], DisplaySettings(ties=True), tied()).layers["ties"]
    row.kind = "BALL"
    ball = paint([], DisplaySettings(ties=True), tied()).layers["ties"]
    assert len(hinge.points) == len(ball.points) + 2 == 8
    along = np.ptp(hinge.points, axis=0)
    assert along[1] == pytest.approx(4.0 * along[0], rel=1e-5)


def test_rows_and_places_are_noticed() -> None:
    cloth, _floor = two_tied()
    scene = bpy.context.scene
    scene.flotsam.overlay.ties = True
    seen = [signature(scene, bpy.context.view_layer, 0)]
    for change in (
        lambda: setattr(scene.flotsam.attachments[0], "mute", True),
        lambda: setattr(cloth, "location", (0.0, 0.0, 3.0)),
    ):
        change()
        bpy.context.view_layer.update()
        seen.append(signature(scene, bpy.context.view_layer, 0))
    assert len(set(seen)) == 3


def test_only_selected_objects_where_asked() -> None:
    scene = fresh_scene()
    one, other = soft(cube("One")), soft(cube("Other"))
    pin(one, [0])
    view_layer, depsgraph = bpy.context.view_layer, bpy.context.evaluated_depsgraph_get()
    one.select_set(False)
    assert {subject.name for subject in subjects(scene, view_layer, depsgraph)} == {"One", "Other"}
    before = signature(scene, view_layer, 0)
    scene.flotsam.overlay.selected_only = True
    assert chosen_names(scene, view_layer) == {"Other"}
    assert [subject.name for subject in subjects(scene, view_layer, depsgraph)] == ["Other"]
    selected = signature(scene, view_layer, 0)
    other.select_set(False)
    assert len({before, selected, signature(scene, view_layer, 0)}) == 3


def test_attachments_of_selected_objects_only() -> None:
    cloth, floor = two_tied()
    assert len(tied({cloth.name_full}).links) == len(tied({floor.name_full}).links) == 2
    assert len(tied({"Somebody else"}).links) == 0


def test_arrows_are_capped_for_the_whole_scene() -> None:
    bodies = [moving(str(number), 500) for number in range(40)]
    arrows = paint(bodies, DisplaySettings(velocities=True)).layers["velocities"]
    assert 1500 < len(arrows.points) / 6 <= 2000
    few = paint(bodies[:1], DisplaySettings(velocities=True)).layers["velocities"]
    assert len(few.points) / 6 == 500


def test_struts_fade_away_from_the_eye() -> None:
    points = np.array([(0, 0, z) for z in (4.0, 3.0, 0.0, -4.0)], dtype=np.float32)
    lines = Lines(points, np.ones((4, 4), dtype=np.float32))
    # The eye is at a height of ten and looks down: depth is 10 - z.
    view = np.eye(4)
    view[2, 3] = -10.0
    assert np.allclose(faded(lines, view)[:, 3], [1.0, 1.0 - 0.85 / 8.0, 1.0 - 0.85 / 2.0, 0.15])
    assert np.allclose(faded(lines, view)[:, :3], 1.0)
    empty = Lines(points[:0], lines.colors[:0])
    assert len(faded(empty, view)) == 0
