"""Display of points in a live session: the node group that plays a bake, with its own folder.

Every frame has its own file name, because Blender caches files that it has read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import bpy
import numpy as np

from ...engine import cache
from ..capture.stack import dressing_of, points_modifier
from ..names import LIVE_MODIFIER
from ..paths import file_stem
from ..write import Kept
from ..write.node_groups import set_inputs
from ..write.point_nodes import FIRST, FOLDER, FRAME_RATE, LAST, MATERIAL, points_group
from ..write.points import points_in
from .traces import remove_live_modifiers

# Number of frames whose files are kept: Blender may still be reading the last one.
_KEPT_FILES = 3


class PointsPreview:
    """Displays points of a session's bodies in the viewport."""

    def __init__(self, folder: Path) -> None:
        """Args: folder: for the files."""
        self._folder = folder
        self._folders: dict[str, Path] = {}
        self._number = 0

    def begin(self, names: Iterable[str]) -> None:
        """Show these bodies from the next frame on, and no others; raises OSError."""
        for name in self._folders:
            remove_live_modifiers(bpy.data.objects.get((name, None)))
        self._folders = {name: self._folder / f"{k}-{file_stem(name)}.points" for k, name in enumerate(names)}
        for folder in self._folders.values():
            folder.mkdir(exist_ok=True)
        self._number = 0

    def attach(self) -> None:
        """Add missing modifiers, if there is a frame yet."""
        for name, folder in self._folders.items():
            obj = bpy.data.objects.get((name, None))
            if self._number and obj is not None and LIVE_MODIFIER not in obj.modifiers:
                _add_modifier(obj, folder, self._number)

    def write(self, kept: Mapping[str, Kept], matrices: Mapping[str, np.ndarray]) -> None:
        """Show a frame, given values in world space and world-to-object matrices; raises OSError."""
        self._number += 1
        for name in kept.keys() & self._folders.keys():
            folder, obj = self._folders[name], bpy.data.objects.get((name, None))
            cache.points_file(folder, self._number).write_bytes(points_in(kept[name], matrices[name]))
            cache.points_file(folder, self._number - _KEPT_FILES).unlink(missing_ok=True)
            if obj is not None and LIVE_MODIFIER in obj.modifiers:
                set_inputs(obj.modifiers[LIVE_MODIFIER], {FIRST: self._number, LAST: self._number})


def _add_modifier(obj: bpy.types.Object, folder: Path, number: int) -> None:
    bake_modifier, dressing = points_modifier(obj), dressing_of(obj)
    modifier = obj.modifiers.new(LIVE_MODIFIER, "NODES")
    modifier.node_group = points_group()
    set_inputs(modifier, {
        FOLDER: f"{folder}/", FIRST: number, LAST: number, FRAME_RATE: 1.0, MATERIAL: obj.active_material,
    })
    modifier.show_render = False
    modifier.show_expanded = False
    if bake_modifier is not None:
        obj.modifiers.move(len(obj.modifiers) - 1, list(obj.modifiers).index(bake_modifier) + 1)
    elif dressing is not None:
        obj.modifiers.move(len(obj.modifiers) - 1, list(obj.modifiers).index(dressing))
