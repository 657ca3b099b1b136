"""Keyframes, NLA strips and drivers of a data-block: the properties they change, and their values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from ..names import SETTINGS
from .keys import has_keys
from .plain import Channel, plain, plain_values


def own_action(block: bpy.types.ID) -> tuple[bpy.types.Action | None, str]:
    """The artist's action and its slot; for a baked rigid body the action that the bake replaced."""
    animation = block.animation_data
    if animation is None:
        return None, ""
    if isinstance(block, bpy.types.Object) and has_keys(block):
        baked = getattr(block, SETTINGS).baked
        return baked.action, baked.slot
    slot = animation.action_slot
    return animation.action, "" if slot is None else slot.identifier


def keyed_channels(block: bpy.types.ID | None) -> frozenset[Channel]:
    """Properties that keyframes, NLA strips or drivers of a data-block change, by component."""
    if block is None or block.animation_data is None:
        return frozenset()
    animation = block.animation_data
    curves = [*_curves(*own_action(block)), *animation.drivers]
    for strip in _strips(animation):
        curves += _curves(strip.action, "")
    return frozenset((curve.data_path, curve.array_index) for curve in curves)


def animation_values(block: bpy.types.ID | None) -> list[Any]:
    """Values of the keyframes, NLA strips and drivers of a data-block; empty without any."""
    if block is None or block.animation_data is None:
        return []
    animation = block.animation_data
    found: list[Any] = [_curve_values(curve) for curve in _curves(*own_action(block))]
    for driver in animation.drivers:
        targets = [
            plain_values(target)
            + [target.id.name_full if target.id is not None else "", _driver_input(variable, target)]
            for variable in driver.driver.variables for target in variable.targets
        ]
        found.append((driver.data_path, driver.array_index, driver.driver.type, driver.driver.expression, targets))
    for strip in _strips(animation):
        found.append(plain_values(strip))
        found += [_curve_values(curve) for curve in _curves(strip.action, "")]
    return found


def _driver_input(variable: bpy.types.DriverVariable, target: bpy.types.DriverTarget) -> Any:
    """Value that a driver reads from a data-block; None if it is animated or of a scene, such as the current frame."""
    block = target.id
    if block is None or isinstance(block, bpy.types.Scene):
        return None
    if variable.type != "SINGLE_PROP":
        read, link = [], block
        while link is not None:
            read.append(None if keyed_channels(link) else plain(link.matrix_basis))
            link = link.parent
        return read
    if any(target.data_path.startswith(path) for path, _component in keyed_channels(block)):
        return None
    try:
        return plain(block.path_resolve(target.data_path))
    except ValueError:
        return None


def _strips(animation: bpy.types.AnimData) -> Iterator[bpy.types.NlaStrip]:
    for track in animation.nla_tracks:
        yield from (strip for strip in track.strips if not track.mute)


def _curves(action: bpy.types.Action | None, slot: str) -> Iterator[bpy.types.FCurve]:
    """The unmuted F-Curves of a slot of an action; of all slots if none is given."""
    if action is None:
        return
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                if not slot or bag.slot.identifier == slot:
                    yield from (curve for curve in bag.fcurves if not curve.mute)


def _curve_values(curve: bpy.types.FCurve) -> tuple[Any, ...]:
    points = curve.keyframe_points
    flat = np.empty((3, 2 * len(points)), dtype=np.float32)
    for row, name in zip(flat, ("co", "handle_left", "handle_right"), strict=True):
        points.foreach_get(name, row)
    interpolations = np.empty(len(points), dtype=np.int32)
    points.foreach_get("interpolation", interpolations)
    modifiers = [plain_values(modifier) for modifier in curve.modifiers]
    return curve.data_path, curve.array_index, curve.extrapolation, flat.tobytes(), interpolations.tobytes(), modifiers
