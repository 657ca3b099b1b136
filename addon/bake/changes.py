"""Describes what has changed since a bake, in one sentence that names it; fast enough for a panel at every redraw."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import bpy

from ..capture.controls import depsgraph_of
from ..capture.keys import has_keys, rotation_path
from ..capture.things import SCENE, Things, things_of
from ..names import BODY_KINDS, SETTINGS
from ..properties import touched
from .records import find_record

# A scene is compared again when Blender reports a change. Blender does not report what scripts write to meshes and
# keyframes, so it is also compared after this time [s] or this multiple of the time of a comparison, the longer one.
_COMPARE_SECONDS, _COST_FACTOR = 0.5, 30.0
# CPU time of this thread, so that load by other work does not count; on Windows its resolution is too coarse.
_cpu_time = time.thread_time if time.get_clock_info("thread_time").resolution < 1e-4 else time.perf_counter
# Number of comparisons kept in memory, one for each record; a scene has one record or a few.
_MOST_COMPARISONS = 64
# Tolerance between a baked body and its keyframes, which are in single precision; relative above 1, else absolute.
_KEY_TOLERANCE = 1e-4

_PARTS = {
    "kind": "{name} is something else than it was at the bake",
    "place": "{name} moved since the bake",
    "settings": "The settings of {name} have changed since the bake",
    "animation": "The animation of {name} changed since the bake",
    "mesh": "The mesh of {name} changed since the bake",
    "modifiers": "The modifiers of {name} changed since the bake",
    "row": "The {kind} {name} changed since the bake",
}
_SCENE_PARTS = {
    "gravity": "Gravity changed since the bake",
    "frame rate": "The frame rate changed since the bake",
    "settings": "The settings of the scene have changed since the bake",
    "air": "The air of the scene changed since the bake",
    "start": "The bake begins at another frame than it did",
    "simplify": "Simplify gives other levels of subdivision than at the bake",
}


class Change(NamedTuple):
    """One difference: the name of the thing, and the sentence without its ending."""

    name: str
    sentence: str


class _Comparison(NamedTuple):
    """Result of a comparison.

    Attributes:
        at: time of the comparison [s]; taken: how long it took [s].
        reported: state of Blender's change reports at that time.
        changes: the differences.
    """

    at: float
    taken: float
    reported: tuple[Any, ...]
    changes: list[Change]


_comparisons: dict[str, _Comparison] = {}


def change_since(obj: bpy.types.Object) -> str | None:
    """What has changed since a body was baked, its own changes first; None for no change."""
    baked = getattr(obj, SETTINGS).baked
    found = find_record(baked.record)
    if found is None:
        # The record of a linked body is in the file that it was linked from.
        linked = obj.library is not None or obj.override_library is not None
        return None if linked else f"The scene in which {obj.name} was baked is gone; bake again."
    if _was_moved_off_keys(obj):
        return f"{obj.name} moved since the bake; Clear Cache lets it start there, another frame brings it back."
    changes = _changes(*found)
    if not changes:
        return None
    first = next((change for change in changes if change.name == baked.name), changes[0])
    return f"{first.sentence}; bake again."


def _changes(scene: bpy.types.Scene, record: bpy.types.PropertyGroup) -> list[Change]:
    now, reported = time.monotonic(), _report_state(scene)
    known = _comparisons.get(record.name)
    if (
        known is not None and known.reported == reported
        and now - known.at < max(_COMPARE_SECONDS, _COST_FACTOR * known.taken)
    ):
        return known.changes
    started = _cpu_time()
    changes = list(compare(scene, record.name, record.things, record.all_bodies))
    taken = _cpu_time() - started
    if len(_comparisons) > _MOST_COMPARISONS:
        _comparisons.clear()
    _comparisons[record.name] = _Comparison(now, taken, reported, changes)
    return changes


def _report_state(scene: bpy.types.Scene) -> tuple[Any, ...]:
    """Stays equal until Blender reports a change; includes properties of the scene that Blender does not report."""
    depsgraph_of(scene)
    render, settings = scene.render, getattr(scene, SETTINGS)
    rows = len(settings.interactions), len(settings.joints), *(len(row.links) for row in settings.attachments)
    return (
        touched.count(), scene.session_uid, render.fps, render.fps_base, scene.frame_start, scene.frame_end, rows
    )


def compare(scene: bpy.types.Scene, record: str, things: str, all_bodies: bool) -> Iterator[Change]:
    """Differences between a scene now and at its bake.

    Args:
        scene: the scene.
        record: name of the record, which the bodies that play the bake refer to.
        things: what was captured, as JSON.
        all_bodies: whether new bodies count as a difference.
    """
    then = _read(things)
    names = {
        obj.name_full: baked.name for obj in scene.objects
        if (baked := getattr(obj, SETTINGS).baked).record == record and baked.name
    }
    bodies = None if all_bodies else [thing.partition(":")[2] for thing in then if thing.startswith("object:")]
    now = things_of(scene, depsgraph_of(scene), bodies, names)
    renamed = _renamed(then, now)
    if renamed:
        now = things_of(scene, depsgraph_of(scene), bodies, names | renamed)
    lost, new = then.keys() - now.keys(), now.keys() - then.keys()
    # Objects come first, because a row that refers to a missing object is found to be changed as well.
    for thing in sorted({**then, **now}, key=lambda thing: not thing.startswith("object:")):
        kind, _, name = thing.partition(":")
        if thing in lost:
            yield Change(name, _missing_sentence(scene, kind, name))
        elif thing in new:
            yield Change(name, f"{name if kind == 'object' else f'The {kind} {name}'} was added since the bake")
        else:
            yield from _differences(thing, then[thing], now[thing])


def _differences(thing: str, then: dict[str, str], now: dict[str, str]) -> Iterator[Change]:
    kind, _, name = thing.partition(":")
    sentences = _SCENE_PARTS if thing == SCENE else _PARTS
    for part, sentence in sentences.items():
        if then.get(part) != now.get(part):
            yield Change(name, sentence.format(name=name, kind=kind))


def _renamed(then: Things, now: Things) -> dict[str, str]:
    """Old names of renamed objects, by new name: a missing object matches a new one that differs only in its name."""
    added = [thing for thing in now if thing not in then and thing.startswith("object:")]
    pairs: dict[str, str] = {}
    for thing, parts in then.items():
        if thing in now or not thing.startswith("object:"):
            continue
        alike = next((one for one in added if now[one] == parts), None)
        if alike is not None:
            added.remove(alike)
            pairs[alike.partition(":")[2]] = thing.partition(":")[2]
    return pairs


def _missing_sentence(scene: bpy.types.Scene, kind: str, name: str) -> str:
    if kind != "object":
        return f"The {kind} {name} was removed or muted since the bake"
    if name in scene.objects:
        return f"{name} takes part no longer, as it did in the bake"
    return f"{name} was deleted or renamed since the bake"


def _was_moved_off_keys(obj: bpy.types.Object) -> bool:
    """Whether a baked rigid body was moved away from its keyframes at this frame."""
    if not has_keys(obj) or getattr(obj, SETTINGS).kind not in BODY_KINDS:
        return False
    animation, scene = obj.animation_data, bpy.context.scene
    at = scene.frame_current + scene.frame_subframe
    for layer in animation.action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(animation.action_slot)
            for path in ("location", rotation_path(obj.rotation_mode)) if bag is not None else ():
                for index, value in enumerate(getattr(obj, path)):
                    curve = bag.fcurves.find(path, index=index)
                    if curve is not None and abs(curve.evaluate(at) - value) > _KEY_TOLERANCE * max(abs(value), 1.0):
                        return True
    return False


@lru_cache(maxsize=64)
def _read(things: str) -> Things:
    return json.loads(things)
