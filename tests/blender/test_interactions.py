"""The artist's list of interactions: from its rows to the solver, and messages about invalid rows."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.capture import capture_world
from flotsam.addon.names import PANEL_INTERACTIONS, SETTINGS
from flotsam.addon.properties.interactions import migrate_old_values, sentence_of, use_of, values_group
from flotsam.engine.spec import RULES, Contact, Ignore, PowerRepulsion, SpringDashpot, params_of
from make_scene import cube, fresh_scene, ground, soft
from recorded import all_text, drawn


@pytest.fixture
def scene() -> bpy.types.Scene:
    return fresh_scene()


def add_row(rule: str, **values: object) -> bpy.types.PropertyGroup:
    assert bpy.ops.flotsam.edit_interactions(action="ADD") == {"FINISHED"}
    row = bpy.context.scene.flotsam.interactions[-1]
    row.rule = rule
    for name, value in values.items():
        setattr(values_group(row) if name in params_and_switches(rule) else row, name, value)
    return row



def test_rows_read_as_sentences(scene: bpy.types.Scene) -> None:
    fish, shark = cube("Fish"), cube("Shark")
    sentences = {
        "FLEE": "Fish flee Shark within 3 m", "SEEK": "Fish seek Shark within 3 m",
        "FOLLOW": "Fish follow Shark within 3 m",
        "ADHESION": "Fish and Shark cling together within 3 m", "CHARGE": "Fish and Shark repel within 3 m",
        "DRAG": "Fish and Shark slow each other within 3 m",
    }
    for rule, sentence in sentences.items():
        row = add_row(rule, reach=3.0, a_who="OBJECT", b_who="OBJECT")
        row.a_object, row.b_object = fish, shark
        assert sentence_of(row) == sentence


def params_and_switches(rule: str) -> set[str]:
    """Names of a rule's values, and of the switches of optional ones."""
    declared = params_of(RULES[rule])
    return set(declared) | {use_of(field) for field, own in declared.items() if own.default is None}


def take():
    return capture_world(bpy.context.scene, bpy.context.evaluated_depsgraph_get())


def test_a_row_becomes_a_rule(scene: bpy.types.Scene) -> None:
    first, floor = soft(cube()), ground()
    heap = bpy.data.collections.new("Heap")
    scene.collection.children.link(heap)
    heap.objects.link(first)
    add_row("CONTACT", a_who="COLLECTION", a_collection=heap, use_friction=True, friction=0.75)
    add_row("IGNORE", a_who="OBJECT", a_object=first, b_who="OBJECT", b_object=floor)
    add_row("POWER_REPULSION", exponent=3.0, minimum=0.5)
    assert take().spec.interactions == (
        Contact((first.name,), "*", 0.75, None), Ignore(first.name, floor.name), PowerRepulsion("*", "*", 3.0, 0.5),
    )


def test_a_cube_falls_through_a_floor_it_ignores(scene: bpy.types.Scene) -> None:
    obj, floor = soft(cube(z=1.0)), ground()
    scene.flotsam.frame_end = 24

    def lowest() -> float:
        bake_blocking(scene)
        scene.frame_set(24)
        evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        return min((evaluated.matrix_world @ v.co).z for v in evaluated.data.vertices)

    assert lowest() > -0.05
    row = add_row("IGNORE", b_who="OBJECT", b_object=floor)
    # Free fall of the lowest corner from 0.75 m: 0.75 - g (23 / 24)² / 2, plus g t h / 2 = 0.02 m for steps of 4 ms.
    assert lowest() == pytest.approx(0.75 - 9.81 * (23.0 / 24.0) ** 2 / 2.0, abs=0.06)
    row.mute = True
    assert lowest() > -0.05


def test_the_last_row_decides(scene: bpy.types.Scene) -> None:
    soft(cube())
    add_row("IGNORE")
    add_row("CONTACT")
    assert [type(rule) for rule in take().spec.interactions] == [Ignore, Contact]
    assert bpy.ops.flotsam.edit_interactions(action="UP") == {"FINISHED"}
    assert [type(rule) for rule in take().spec.interactions] == [Contact, Ignore]
    assert scene.flotsam.interaction_index == 0
    assert bpy.ops.flotsam.edit_interactions(action="UP") == {"CANCELLED"}
    assert bpy.ops.flotsam.edit_interactions(action="DOWN") == {"FINISHED"}
    assert bpy.ops.flotsam.edit_interactions(action="REMOVE") == {"FINISHED"}
    assert [type(rule) for rule in take().spec.interactions] == [Ignore]
    assert scene.flotsam.interaction_index == 0
    assert bpy.ops.flotsam.edit_interactions(action="REMOVE") == {"FINISHED"}
    assert bpy.ops.flotsam.edit_interactions(action="REMOVE") == {"CANCELLED"}


def test_a_row_that_means_nobody_is_said_and_passed_over(scene: bpy.types.Scene) -> None:
    obj = soft(cube())
    row = add_row("IGNORE", a_who="OBJECT")
    row.name = "Raft"
    assert "The interaction Raft has no object on side A; choose one." in all_text("scene")
    assert take().warnings == ("The interaction Raft has no object on side A; choose one.",)
    row.a_object = obj
    assert "Raft" not in " ".join(take().warnings)
    row.b_who = "COLLECTION"
    row.b_collection = bpy.data.collections.new("Empty")
    assert "The interaction Raft names nothing that takes part; choose others or mute it." in take().warnings
    assert take().spec.interactions == ()
    elsewhere = bpy.data.objects.new("Elsewhere", None)
    row.a_object = elsewhere
    assert "The interaction Raft means Elsewhere, which is not in this scene; choose another object." in take().warnings
    bpy.data.objects.remove(elsewhere)
    assert "The interaction Raft has no object on side A; choose one." in take().warnings


def test_a_row_that_moves_nothing_is_said(scene: bpy.types.Scene) -> None:
    """A ground that flees birds does nothing: it cannot move, and birds heed only rules with themselves on side A."""
    birds, floor, other, ball = cube("Birds"), ground(), ground(), soft(cube("Ball", z=3.0))
    birds.flotsam.kind = "FLOCK"
    row = add_row("FLEE", a_who="OBJECT", b_who="OBJECT", a_object=floor, b_object=birds)
    row.name = "Fright"
    assert (
        "The interaction Fright moves nothing: what is on side A does not move, and agents on side B heed only rules "
        "whose side A they are on; swap its sides, or choose others."
    ) in take().warnings
    row.b_object = other
    assert (
        "The interaction Fright moves nothing: what is on both sides does not move; swap its sides, or choose others."
    ) in take().warnings
    for one, two in ((birds, floor), (floor, ball), (ball, floor)):
        row.a_object, row.b_object = one, two
        assert "Fright" not in " ".join(take().warnings)


@pytest.mark.parametrize("rule", RULES)
def test_every_value_of_a_rule_is_shown_once(scene: bpy.types.Scene, rule: str) -> None:
    add_row(rule)
    group = type(values_group(scene.flotsam.interactions[-1])).__name__
    shown = [name for owner, name in drawn("scene")[PANEL_INTERACTIONS].props if owner == group]
    wanted = params_and_switches(rule)
    assert wanted == set(shown)
    assert all(shown.count(name) == 1 for name in wanted)


def test_rows_are_kept_in_the_file(scene: bpy.types.Scene, tmp_path) -> None:
    obj = soft(cube())
    add_row("CONTACT", a_who="OBJECT", a_object=obj, use_restitution=True, restitution=0.5)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rows.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "rows.blend"))
    assert take().spec.interactions == (Contact(obj_name := "Cube", "*", None, 0.5),) and obj_name in bpy.data.objects
    assert np.isclose(getattr(bpy.context.scene, SETTINGS).interactions[0].contact.restitution, 0.5)


def test_rows_of_version_0_1_open_with_their_values() -> None:
    """The file was saved before rules had groups of values; a second migration moves no value again."""
    bpy.ops.wm.open_mainfile(filepath=str(Path(__file__).parent / "files" / "rules_0_1.blend"))
    wanted = (
        Contact("Cube", "*", 0.75, None),
        SpringDashpot("*", "*", 250.0, 3.0), PowerRepulsion("*", "*", 3.0, 0.5),
    )
    assert take().spec.interactions == wanted
    row = bpy.context.scene.flotsam.interactions[1]
    row.spring_dashpot.stiffness = 500.0
    migrate_old_values()
    assert row.spring_dashpot.stiffness == 500.0
