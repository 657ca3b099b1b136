"""Invalid goals and predators give one sentence each; a flock whose goal was deleted continues without it."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from flotsam.addon.capture import capture_world
from flotsam.addon.capture.errors import CaptureError
from flotsam.addon.capture.flock_aims import FlockAims, places_of
from make_scene import fresh_scene, mesh_object


@pytest.fixture
def birds() -> bpy.types.Object:
    fresh_scene()
    flock = mesh_object("Birds", [(0.0, 0.3 * k, 5.0) for k in range(3)])
    flock.flotsam.kind = "FLOCK"
    return flock


def take(flock: bpy.types.Object) -> object:
    """The spec of the flock that the engine gets."""
    spec = capture_world(bpy.context.scene, bpy.context.evaluated_depsgraph_get()).spec
    return next(one for one in spec.systems if one.name == flock.name)


def empty(name: str, is_linked: bool = True) -> bpy.types.Object:
    found = bpy.data.objects.new(name, None)
    if is_linked:
        bpy.context.scene.collection.objects.link(found)
    return found


def goal_elsewhere(flock: bpy.types.Object) -> None:
    flock.flotsam.flock.goal_object = empty("Roost", is_linked=False)


def own_goal(flock: bpy.types.Object) -> None:
    flock.flotsam.flock.goal_object = flock


def own_prey(flock: bpy.types.Object) -> None:
    flock.flotsam.flock.predator_object = flock


def path_of_one(flock: bpy.types.Object) -> None:
    curve = bpy.data.curves.new("Way", "CURVE")
    curve.splines.new("POLY")
    path = bpy.data.objects.new("Way", curve)
    bpy.context.scene.collection.objects.link(path)
    flock.flotsam.flock.goal_object = path


def no_vertex(flock: bpy.types.Object) -> None:
    flock.data.clear_geometry()


def no_number(flock: bpy.types.Object) -> None:
    flock.data.vertices[0].co.x = float("nan")


def far_away(flock: bpy.types.Object) -> None:
    flock.location.x = 1e30
    bpy.context.view_layer.update()


def goal_nowhere(flock: bpy.types.Object) -> None:
    flock.flotsam.flock.goal_object = empty("Roost")
    flock.flotsam.flock.goal_object.location.y = float("nan")
    bpy.context.view_layer.update()


def predator_far_away(flock: bpy.types.Object) -> None:
    flock.flotsam.flock.predator_object = empty("Hawk")
    flock.flotsam.flock.predator_object.location.y = 1e30
    bpy.context.view_layer.update()


@pytest.mark.parametrize(("spoil", "said"), [
    (goal_nowhere, "Roost has 1 point without a finite position, the first is number 0; delete or move it."),
    (predator_far_away, "Hawk has 1 point further away than 1,000,000 km, the first is number 0; delete or move it."),
    (goal_elsewhere, "The goal of Birds, Roost, is not in this scene any more; choose another one, or none."),
    (own_goal, "Birds is its own goal; choose another one, or none."),
    (own_prey, "Birds is its own predator; choose another one."),
    (path_of_one, "Way is a path of one point; give it two or more, or take an empty as the goal."),
    (no_vertex, "Birds has no vertices for agents to start on; give it some, or choose another Start On."),
    (no_number, "Birds has 1 vertex without a finite position, the first is number 0; delete or move it."),
    (far_away, "Birds is further away than 1,000,000 km; move it to the origin."),
])
def test_aims_that_cannot_be_are_refused_in_one_sentence(
    birds: bpy.types.Object, spoil: Callable[[bpy.types.Object], None], said: str,
) -> None:
    spoil(birds)
    with pytest.raises(CaptureError) as caught:
        take(birds)
    assert str(caught.value) == said


def test_a_deleted_goal_is_none_before_a_bake_and_an_error_during_one(birds: bpy.types.Object) -> None:
    birds.flotsam.flock.goal_object = empty("Roost")
    assert len(take(birds).goal_path) == 1
    bpy.data.objects.remove(bpy.data.objects["Roost"])
    assert take(birds).goal_path is None
    with pytest.raises(CaptureError, match="Roost, which Birds heeds, was deleted or renamed meanwhile"):
        places_of(FlockAims("Roost", "", False, True), "Birds", bpy.context.evaluated_depsgraph_get())


def test_birds_land_all_over_a_wire_and_on_top_of_what_has_faces(birds: bpy.types.Object) -> None:
    """Perches of the first n agents on a wire of m vertices: neighbours are at most 2 m / n vertices apart.

    Multiples of the golden ratio guarantee this. The lower half of a tube faces down, so it has no perches.
    """
    birds.flotsam.flock.arrival = "LAND"
    birds.flotsam.flock.goal_object = mesh_object("Wire", [(0.1 * k, 0.0, 2.0) for k in range(60)])
    perches = np.sort(take(birds).perches[:6, 0])
    assert len(take(birds).perches) == 60 and np.diff(perches, prepend=0.0, append=5.9).max() <= 2.0
    tube = mesh_object(
        "Tube", [(0.2 * k, np.cos(a), np.sin(a)) for k in range(2) for a in 0.25 * np.pi * np.arange(8)],
        [(k, (k + 1) % 8, 8 + (k + 1) % 8, 8 + k) for k in range(8)],
    )
    # Turned over, the lower half is on top.
    tube.rotation_euler.x = np.pi
    bpy.context.view_layer.update()
    birds.flotsam.flock.goal_object = tube
    found = take(birds).perches
    assert len(found) == 6 and found[:, 2].min() == pytest.approx(np.sqrt(0.5))


def test_a_goal_that_is_solved_itself_is_said(birds: bpy.types.Object) -> None:
    ball = mesh_object("Ball", [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)], [(0, 1, 2)])
    birds.flotsam.flock.goal_object = ball
    captured = capture_world(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    assert not any("Ball" in warning for warning in captured.warnings)
    ball.flotsam.kind = "SPRING_GRAPH"
    captured = capture_world(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    assert [warning for warning in captured.warnings if "Ball" in warning] == [
        "Birds goes for the place where Ball starts, for Ball is solved in the same bake; "
        "to go after it, take the rule Seek in Interactions."
    ]
