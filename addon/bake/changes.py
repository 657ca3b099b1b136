"""What has changed since a bake, in a sentence that names the thing; cheap enough for a panel at every redraw."""

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

# A scene is compared again when Blender tells of a change. Of what scripts write to meshes and keys it tells nothing:
# that is found out when this long [s] has passed, or so many times as long as it takes to compare.
_LOOK_SECONDS, _APART = 0.5, 30.0
# Time of this thread alone, so that a busy machine does not count; Windows tells it too coarsely.
_processor = time.thread_time if time.get_clock_info("thread_time").resolution < 1e-4 else time.perf_counter
# Records that are remembered; a scene has one or a few.
_MOST_KNOWN = 64
# How far a baked body may be from its keys and still stand on them; they are single precision.
_OFF_KEYS = 1e-4

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
}


class Change(NamedTuple):
    """One difference: the name of the thing, and the sentence without its end."""

    name: str
    sentence: str


class _Found(NamedTuple):
    """What was found when a scene was compared.

    Attributes:
        at: when [s]; taken: how long it took [s].
        told: what Blender had told of changes until then.
        changes: the differences.
    """

    at: float
    taken: float
    told: tuple[Any, ...]
    changes: list[Change]


_found: dict[str, _Found] = {}


def change_since(obj: bpy.types.Object) -> str | None:
    """What has changed since a body was baked, its own changes first; None when nothing has."""
    baked = getattr(obj, SETTINGS).baked
    found = find_record(baked.record)
    if found is None:
        # The record of a linked body lies in the file that it comes from.
        linked = obj.library is not None or obj.override_library is not None
        return None if linked else f"The scene in which {obj.name} was baked is gone; bake again."
    if _is_off_its_keys(obj):
        return f"{obj.name} moved since the bake; Clear Cache lets it start there, another frame brings it back."
    changes = _changes(*found)
    if not changes:
        return None
    first = next((change for change in changes if change.name == baked.name), changes[0])
    return f"{first.sentence}; bake again."


def _changes(scene: bpy.types.Scene, record: bpy.types.PropertyGroup) -> list[Change]:
    now, told = time.monotonic(), _told(scene)
    known = _found.get(record.name)
    if known is not None and known.told == told and now - known.at < max(_LOOK_SECONDS, _APART * known.taken):
        return known.changes
    begun = _processor()
    changes = list(compare(scene, record.name, record.things, record.all_bodies))
    taken = _processor() - begun
    if len(_found) > _MOST_KNOWN:
        _found.clear()
    _found[record.name] = _Found(now, taken, told, changes)
    return changes


def _told(scene: bpy.types.Scene) -> tuple[Any, ...]:
    """Equal as long as Blender has told of no change; what it does not tell of a scene is in it."""
    depsgraph_of(scene)
    render, settings = scene.render, getattr(scene, SETTINGS)
    rows = len(settings.interactions), len(settings.joints), *(len(row.links) for row in settings.attachments)
    return (
        touched.count(), scene.session_uid, render.fps, render.fps_base, scene.frame_start, scene.frame_end, rows
    )


def compare(scene: bpy.types.Scene, record: str, things: str, all_bodies: bool) -> Iterator[Change]:
    """Differences between a scene now and what a bake of it was made of.

    Args:
        scene: the scene.
        record: name of the record, which the bodies bear that play the bake.
        things: what was captured, as JSON.
        all_bodies: whether bodies that are new count.
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
    # Objects first: a row that names one which is gone reads as another row.
    for thing in sorted({**then, **now}, key=lambda thing: not thing.startswith("object:")):
        kind, _, name = thing.partition(":")
        if thing in lost:
            yield Change(name, _gone(scene, kind, name))
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
    """Old names by new ones of objects that are gone, where another came that equals it but for the name."""
    came = [thing for thing in now if thing not in then and thing.startswith("object:")]
    pairs: dict[str, str] = {}
    for thing, parts in then.items():
        if thing in now or not thing.startswith("object:"):
            continue
        alike = next((one for one in came if now[one] == parts), None)
        if alike is not None:
            came.remove(alike)
            pairs[alike.partition(":")[2]] = thing.partition(":")[2]
    return pairs


def _gone(scene: bpy.types.Scene, kind: str, name: str) -> str:
    if kind != "object":
        return f"The {kind} {name} was removed or muted since the bake"
    if name in scene.objects:
        return f"{name} takes part no longer, as it did in the bake"
    return f"{name} was deleted or renamed since the bake"


def _is_off_its_keys(obj: bpy.types.Object) -> bool:
    """Whether somebody has moved a baked rigid body away from where its keys have it at this frame."""
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
                    if curve is not None and abs(curve.evaluate(at) - value) > _OFF_KEYS * max(abs(value), 1.0):
                        return True
    return False


@lru_cache(maxsize=64)
def _read(things: str) -> Things:
    return json.loads(things)
