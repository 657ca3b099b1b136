"""The Mesh Cache modifier named Flotsam, with which Blender plays a PC2 file without this add-on."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

from ...engine import Frame, cache
from ..capture import CapturedBody
from ..capture.errors import CaptureError
from ..capture.mesh import transform
from ..capture.stack import flotsam_modifier
from ..names import MERGE_MODIFIER, MODIFIER, SETTINGS, SPLIT_MODIFIER
from .attributes import attributes_file, connect_attributes, remove_attributes
from .base import Kept, Pc2Writer, cut_file
from .play import is_idle, play_file, played_file
from .tear_nodes import remove_split, split_around


class MeshCacheWriter(Pc2Writer):
    """Writes a deforming mesh: positions to one file, attributes to another."""

    output = "MESH"
    _packer: cache.Packer | None = None

    @property
    def _attributes_path(self) -> Path:
        return self.folder / self.entry.attributes_file

    @staticmethod
    def refuse(obj: bpy.types.Object) -> None:
        """Raise CaptureError when a modifier that is not ours is named Flotsam."""
        modifier = obj.modifiers.get(MODIFIER)
        if modifier is not None and not is_ours(obj):
            raise CaptureError(f'{obj.name} has another modifier named "{MODIFIER}"; rename that one and try again.')

    @staticmethod
    def take(frame: Frame, body: CapturedBody) -> Kept:
        """Positions and the requested attributes; attributes that the engine does not provide are left out."""
        if body.corners is not None:
            available = frame.corners[body.name]
            return {name: available[name] for name in ("positions", *body.attributes) if name in available}
        kept = {"positions": frame.positions[body.name]}
        available = {"velocity": frame.velocities.get(body.name), **frame.attributes.get(body.name, {})}
        return kept | {name: available[name] for name in body.attributes if available.get(name) is not None}

    def start(self, kept: Kept | None) -> dict[Path, bytes]:
        """The body as captured; attributes are 0 if those of the start are unknown."""
        contents = super().start(kept)
        if self.entry.attributes:
            rows = self._rows(kept or {}, np.linalg.inv(self.body.matrix))
            contents[self._attributes_path] = cache.first_sample(rows, self.frame_start)
        return contents

    def append(self, kept: Kept, matrix: np.ndarray) -> None:
        """Write positions last, because a frame is finished once their sample count includes it."""
        if self.entry.attributes:
            cache.append_sample(self._attributes_path, self._rows(kept, matrix))
        cache.append_sample(self.path, transform(matrix, kept["positions"]))

    def growing_files(self) -> list[Path]:
        """The files of positions and of attributes."""
        return [*super().growing_files(), *([self._attributes_path] if self.entry.attributes else [])]

    def samples(self) -> int:
        """Samples that both files have."""
        count = super().samples()
        return min(count, cache.read_header(self._attributes_path).samples) if self.entry.attributes else count

    def cut(self, samples: int) -> None:
        """Cut both files."""
        super().cut(samples)
        if self.entry.attributes:
            cut_file(self._attributes_path, samples)

    def connect(self, obj: bpy.types.Object) -> None:
        """Add the modifier to the end of the stack if there is none, and that of attributes right after it."""
        self.refuse(obj)
        modifier = flotsam_modifier(obj) or obj.modifiers.new(MODIFIER, "MESH_CACHE")
        play_file(modifier, self.path, self.frame_start)
        if self._tears(obj):
            split_around(obj, modifier, SPLIT_MODIFIER, MERGE_MODIFIER)
        else:
            remove_split(obj)
        if self.entry.attributes:
            count = self.entry.points
            connect_attributes(obj, self._attributes_path, self.entry.attributes, count, self.frame_start)
        else:
            remove_attributes(obj)
            # Left over from an earlier bake with attributes.
            self._attributes_path.unlink(missing_ok=True)

    def _tears(self, obj: bpy.types.Object) -> bool:
        """Whether its frames have a row for each face corner."""
        if self.body is not None:
            return self.body.corners is not None
        return self.entry.points == len(obj.data.loops) != len(obj.data.vertices)

    def _rows(self, kept: Kept, matrix: np.ndarray) -> np.ndarray:
        """Attributes as stored, (rows, 3) float32; vectors are in object space."""
        if self._packer is None:
            self._packer = cache.Packer(self.entry.attributes, self.body.rows)
        return self._packer.pack(kept, matrix[:3, :3])

    @staticmethod
    def plays(obj: bpy.types.Object) -> bool:
        """Whether it has the modifier, even if idle."""
        return flotsam_modifier(obj) is not None

    @staticmethod
    def file(obj: bpy.types.Object) -> Path | None:
        """The file that the modifier names."""
        return played_file(flotsam_modifier(obj))

    @staticmethod
    def other_files(obj: bpy.types.Object) -> list[Path]:
        """The file of the attributes."""
        file = attributes_file(obj)
        return [] if file is None else [file]

    @staticmethod
    def is_ours(obj: bpy.types.Object) -> bool:
        """See `is_ours`."""
        return is_ours(obj)

    @staticmethod
    def remove(obj: bpy.types.Object) -> None:
        """Remove the modifiers; disable one that comes from another file."""
        remove_attributes(obj)
        remove_split(obj)
        modifier = flotsam_modifier(obj)
        if modifier.is_override_data:
            # A removed override modifier would come back when the file is opened again.
            modifier.show_viewport = modifier.show_render = False
        else:
            obj.modifiers.remove(modifier)

    @classmethod
    def clear(cls, obj: bpy.types.Object) -> None:
        """Make the modifier idle, but keep it in its place."""
        remove_attributes(obj)
        remove_split(obj)
        modifier = flotsam_modifier(obj)
        modifier.filepath = ""
        modifier.show_viewport = modifier.show_render = False


def is_ours(obj: bpy.types.Object) -> bool:
    """Whether the modifier named Flotsam is ours: an idle Mesh Cache, or one that plays a file we baked."""
    modifier = flotsam_modifier(obj)
    return modifier is not None and (is_idle(modifier) or bool(getattr(obj, SETTINGS).baked.path))
