"""Records of the inputs of each bake, stored in the scene; records that no body refers to are removed."""

from __future__ import annotations

import json

import bpy

from ...engine import cache
from ..capture.plain import digest
from ..capture.things import SCENE, Things
from ..names import SETTINGS

# Key in the index for the part of the scene that says whether all bodies were baked.
_BODIES, _ALL, _SOME = "bodies", "all", "some"


def with_extent(things: Things, all_bodies: bool) -> Things:
    """Captured things, with whether all bodies were included."""
    return things | {SCENE: things[SCENE] | {_BODIES: _ALL if all_bodies else _SOME}}


def record_name(index: cache.Index) -> str:
    """Name that identifies a bake and all its inputs; empty for bakes by Flotsam 0.1."""
    return digest((index.fingerprint, sorted(index.captured.items()))) if index.captured else ""


def keep_record(scene: bpy.types.Scene, index: cache.Index) -> None:
    """Store the record of a bake in its scene, and remove records that no body refers to."""
    bakes, name = getattr(scene, SETTINGS).bakes, record_name(index)
    if not name:
        return
    needed = {getattr(obj, SETTINGS).baked.record for obj in bpy.data.objects} | {name}
    for number in reversed(range(len(bakes))):
        if bakes[number].name not in needed:
            bakes.remove(number)
    if name in bakes:
        return
    things = {thing: dict(parts) for thing, parts in index.captured.items()}
    extent = things[SCENE].pop(_BODIES, _ALL)
    record = bakes.add()
    record.name, record.things, record.all_bodies = name, json.dumps(things), extent == _ALL


def find_record(name: str) -> tuple[bpy.types.Scene, bpy.types.PropertyGroup] | None:
    """The record of a bake and the scene that was baked; None if it is not in this file."""
    for scene in bpy.data.scenes:
        record = getattr(scene, SETTINGS).bakes.get(name)
        if record is not None:
            return scene, record
    return None
