"""The Mesh Cache modifier named Flotsam: Blender plays the PC2 file with it, without this add-on."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

from ...engine import Frame, cache
from ..capture import CapturedBody
from ..capture.errors import CaptureError
from ..capture.mesh import transform
from ..capture.stack import flotsam_modifier
from ..names import MODIFIER, SETTINGS
from .attributes import attributes_file, connect_attributes, remove_attributes
from .base import Kept, Pc2Writer, cut_file
from .play import is_idle, play_file, played_file


class MeshCacheWriter(Pc2Writer):
    """A mesh that deforms: positions in one file, attributes in another."""

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
        """Positions and the attributes that are asked for; those that the engine does not tell are left out."""
        kept = {"positions": frame.positions[body.name]}
        told = {"velocity": frame.velocities.get(body.name), **frame.attributes.get(body.name, {})}
        return kept | {name: told[name] for name in body.attributes if told.get(name) is not None}

    def start(self, kept: Kept | None) -> dict[Path, bytes]:
        """The body as it was captured; attributes are 0 where the start is not known."""
        contents = super().start(kept)
        if self.entry.attributes:
            rows = self._rows(kept or {}, np.linalg.inv(self.body.matrix))
            contents[self._attributes_path] = cache.first_sample(rows, self.frame_start)
        return contents

    def append(self, kept: Kept, matrix: np.ndarray) -> None:
        """Positions last, whose count is the one that is asked for."""
        if self.entry.attributes:
            cache.append_sample(self._attributes_path, self._rows(kept, matrix))
        cache.append_sample(self.path, transform(matrix, kept["positions"]))

    def growing_files(self) -> list[Path]:
        """That of the attributes too."""
        return [*super().growing_files(), *([self._attributes_path] if self.entry.attributes else [])]

    def samples(self) -> int:
        """Those that both files have."""
        count = super().samples()
        return min(count, cache.read_header(self._attributes_path).samples) if self.entry.attributes else count

    def cut(self, samples: int) -> None:
        """Both files."""
        super().cut(samples)
        if self.entry.attributes:
            cut_file(self._attributes_path, samples)

    def connect(self, obj: bpy.types.Object) -> None:
        """The modifier goes to the end of the stack when the object has none, that of attributes right after it."""
        self.refuse(obj)
        modifier = flotsam_modifier(obj) or obj.modifiers.new(MODIFIER, "MESH_CACHE")
        play_file(modifier, self.path, self.frame_start)
        if self.entry.attributes:
            count = self.entry.points
            connect_attributes(obj, self._attributes_path, self.entry.attributes, count, self.frame_start)
        else:
            remove_attributes(obj)
            # Of a bake before this one, when attributes were on.
            self._attributes_path.unlink(missing_ok=True)

    def _rows(self, kept: Kept, matrix: np.ndarray) -> np.ndarray:
        """Attributes as the file holds them, (rows, 3) float32; vectors lie in the object's own space."""
        if self._packer is None:
            self._packer = cache.Packer(self.entry.attributes, self.body.points)
        return self._packer.pack(kept, matrix[:3, :3])

    @staticmethod
    def plays(obj: bpy.types.Object) -> bool:
        """Whether it has the modifier, idle or not."""
        return flotsam_modifier(obj) is not None

    @staticmethod
    def file(obj: bpy.types.Object) -> Path | None:
        """The file of the modifier."""
        return played_file(flotsam_modifier(obj))

    @staticmethod
    def other_files(obj: bpy.types.Object) -> list[Path]:
        """That of the attributes."""
        file = attributes_file(obj)
        return [] if file is None else [file]

    @staticmethod
    def is_ours(obj: bpy.types.Object) -> bool:
        """As `is_ours`."""
        return is_ours(obj)

    @staticmethod
    def remove(obj: bpy.types.Object) -> None:
        """Take the modifiers off; one that comes from another file is switched off."""
        remove_attributes(obj)
        modifier = flotsam_modifier(obj)
        if modifier.is_override_data:
            # It would come back when the file is opened again.
            modifier.show_viewport = modifier.show_render = False
        else:
            obj.modifiers.remove(modifier)

    @classmethod
    def clear(cls, obj: bpy.types.Object) -> None:
        """The modifier stays in its place, idle."""
        remove_attributes(obj)
        modifier = flotsam_modifier(obj)
        modifier.filepath = ""
        modifier.show_viewport = modifier.show_render = False


def is_ours(obj: bpy.types.Object) -> bool:
    """Whether the modifier named Flotsam is ours: a Mesh Cache that plays nothing yet, or what we baked."""
    modifier = flotsam_modifier(obj)
    return modifier is not None and (is_idle(modifier) or bool(getattr(obj, SETTINGS).baked.path))
