"""Scene → WorldSpec: the participants, their meshes up to the Flotsam modifier, their settings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from ...engine.spec import SpringGraphSpec, WorldSpec
from ..names import ATTRIBUTES, SETTINGS
from ..properties.kinds import in_order_of_kinds, is_body, traits_of
from .attachments import capture_attachments
from .blenders_rigid import rigid_body_warnings
from .captured import Captured
from .errors import CaptureError
from .interactions import capture_rules
from .joints import capture_joints
from .keys import unkeyed
from .kinds import Capturing, capture_object, settings_of
from .outside import capture_outside, gravity_of
from .participants import participants
from .sentence import Sentence
from .soft_pins import holder_of, ignore_holders, ties_of
from .stack import bare


def capture_world(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object] | None = None,
    by_hand: bool = False,
) -> Captured:
    """Capture the scene at its current frame.

    Args:
        scene: the scene.
        depsgraph: of that scene; this function updates it.
        objects: bodies to bake, None for all; colliders and water of the scene always take part.
        by_hand: whether the artist may move any object at any time; then all are captured every frame.

    Raises:
        CaptureError: one sentence that names the object and says what to do.
    """
    warnings: list[str] = []
    wanted = None if objects is None else {obj.name_full for obj in objects}
    depsgraph.update()
    taking_part = _taking_part(scene, depsgraph, warnings)
    chosen = [obj for obj in taking_part if wanted is None or obj.name_full in wanted]
    bodies = [obj for obj in chosen if is_body(obj)]
    if not bodies:
        advice = "Select a mesh and add Flotsam to it in the Physics tab."
        if chosen:
            advice = f"{chosen[0].name} does not move by itself; make another mesh a body, in the Physics tab."
        raise CaptureError(f"There is nothing to solve. {warnings[0] if warnings else advice}")
    capturing = Capturing(depsgraph, warnings, by_hand, _attributes(scene))
    with unkeyed(obj for obj in bodies if traits_of(obj).is_rigid), bare(bodies):
        depsgraph.update()
        taken = [capture_object(obj, capturing) for obj in in_order_of_kinds(bodies)]
    others = [obj for obj in taking_part if not is_body(obj)]
    taken += [capture_object(obj, capturing) for obj in in_order_of_kinds(others)]
    systems: list[Any] = [one.spec for one in taken]
    captured = tuple(one.body for one in taken if one.body is not None)
    moving = tuple(one.collider for one in taken if one.collider is not None)
    starts = {
        one.body.name: one.spec.pose @ one.body.rigid.stretch
        for one in taken if one.body is not None and one.body.rigid is not None
    }
    outside, weights, followed = capture_outside(scene, depsgraph, systems, warnings, by_hand)
    warnings += rigid_body_warnings(scene)
    warnings += _idle_sharp_colliders(systems)
    if scene.unit_settings.scale_length != 1.0:
        warnings.append("The scene's Unit Scale is not 1; Flotsam takes one Blender unit for one metre.")
    soft_pinned = [(one.body, one.spec) for one in taken if one.body is not None and one.body.soft_pins is not None]
    holders = [holder_of(body.name, _start(spec)[body.soft_pins.vertices]) for body, spec in soft_pinned]
    ties = [tie for body, _spec in soft_pinned for tie in ties_of(body.name, body.soft_pins)]
    rules = capture_rules(scene, {system.name: system.traits for system in systems}, warnings)
    spec = WorldSpec(
        systems=(*systems, *holders, *outside),
        effector_weights=weights,
        interactions=(*rules, *ignore_holders([body.name for body, _spec in soft_pinned])),
        attachments=(*capture_attachments(scene, systems, warnings), *ties),
        joints=capture_joints(scene, {system.name for system in systems}, starts, warnings),
        gravity=gravity_of(scene.evaluated_get(depsgraph)),
        frame_rate=scene.render.fps / scene.render.fps_base,
        **settings_of(getattr(scene, SETTINGS), WorldSpec),
    )
    keyed = {one.spec.name: one.keyed for one in taken if one.keyed}
    return Captured(spec, captured, moving, scene.frame_current, followed, keyed, tuple(warnings))


def _start(spec: SpringGraphSpec) -> np.ndarray:
    """Positions of a soft body's vertices at the start [m], (n, 3)."""
    return spec.vertices if spec.start is None else spec.start


def _idle_sharp_colliders(systems: list[Any]) -> list[str]:
    """A warning about each sharp collider if no body can tear."""
    if any(getattr(spec, "tear", False) for spec in systems):
        return []
    return [
        Sentence(f"{spec.name} is Sharp, but no body has Tear, so it splits nothing; switch that on.", spec.name)
        for spec in systems if getattr(spec, "sharp", False)
    ]


def _attributes(scene: bpy.types.Scene) -> tuple[str, ...]:
    """Attributes to store for each vertex, in the order in which files have them."""
    chosen = getattr(scene, SETTINGS).attributes
    return tuple(name for name in ATTRIBUTES if name.upper() in chosen)


def _taking_part(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, warnings: list[str]
) -> list[bpy.types.Object]:
    """Participants of the simulation; adds a warning for each object that is left out."""
    found = []
    for obj, reason in participants(scene, depsgraph):
        if reason is None:
            found.append(obj)
        else:
            warnings.append(Sentence(f"{obj.name} {reason} and was left out.", obj.name_full))
    return found
