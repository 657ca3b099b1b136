"""Points of varying number: a folder of PLY files, and a geometry nodes modifier named Flotsam that plays it.

The object is shown as its points. Its own mesh, which only defines their source, reappears without the modifier.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import bpy
import numpy as np

from ...engine import Frame, cache
from ..capture import CapturedBody
from ..capture.errors import CaptureError
from ..capture.mesh import transform
from ..capture.stack import dressing_of, points_modifier
from ..names import MODIFIER, SETTINGS
from ..paths import plain
from .base import FileWriter, Kept
from .node_groups import drop_group, get_input, set_inputs
from .play import path_in_blend
from .point_nodes import FIRST, FOLDER, FRAME_RATE, LAST, MATERIAL, points_group
from .surface_nodes import forget_finer


class PointsWriter(FileWriter):
    """Writes the points of one object; positions and velocities are in object space."""

    output = "POINTS"
    suffix = cache.POINTS_SUFFIX
    is_fresh = True
    # The last frame is an input of the modifier.
    follows_growth = False

    _known: int | None = None

    @staticmethod
    def refuse(obj: bpy.types.Object) -> None:
        """Raise CaptureError when a modifier that is not ours is named Flotsam."""
        modifier = obj.modifiers.get(MODIFIER)
        if modifier is not None and not PointsWriter.plays(obj) and not _is_idle_mesh_cache(modifier):
            raise CaptureError(f'{obj.name} has another modifier named "{MODIFIER}"; rename that one and try again.')

    @staticmethod
    def take(frame: Frame, body: CapturedBody) -> Kept:
        """Positions, velocities and all attributes that the engine provides."""
        kept = {"positions": frame.positions[body.name], **frame.attributes.get(body.name, {})}
        velocities = frame.velocities.get(body.name)
        return kept if velocities is None else {**kept, "velocity": velocities}

    def start(self, kept: Kept | None) -> dict[Path, bytes]:
        """The points at the start; none if unknown."""
        kept = kept or {"positions": np.zeros((0, 3), dtype=np.float32)}
        self._known = 1
        return {self._file_of(0): points_in(kept, np.linalg.inv(self.body.matrix))}

    def append(self, kept: Kept, matrix: np.ndarray) -> None:
        """Write a file for the frame."""
        samples = self.samples()
        cache.replace_files({self._file_of(samples): points_in(kept, matrix)})
        self._known = samples + 1

    def samples(self) -> int:
        """Number of consecutive files from the first frame on; counted once."""
        if self._known is None:
            frames = cache.points_frames(self.path)
            self._known = len(frames) if frames and frames[0] == self.frame_start else 0
        return self._known

    def cut(self, samples: int) -> None:
        """Delete the files of later frames, and all meshes of a finer surface if there were any."""
        if samples < self.samples():
            for folder in cache.mesh_folders(self.path):
                shutil.rmtree(folder, ignore_errors=True)
        cache.cut_points(self.path, self.frame_start + samples)
        self._known = min(self.samples(), samples)

    def connect(self, obj: bpy.types.Object) -> None:
        """Add the modifier to the end of the stack if there is none; delete the points that it played before."""
        self.refuse(obj)
        before = baked_folder(obj)
        modifier = obj.modifiers.get(MODIFIER)
        if modifier is not None and modifier.type != "NODES":
            obj.modifiers.remove(modifier)
            modifier = None
        if modifier is None:
            modifier, dressing = obj.modifiers.new(MODIFIER, "NODES"), dressing_of(obj)
            if dressing is not None:
                obj.modifiers.move(len(obj.modifiers) - 1, list(obj.modifiers).index(dressing))
        group = points_group()
        if modifier.node_group != group:
            old, modifier.node_group = modifier.node_group, group
            drop_group(old)
        material = get_input(modifier, MATERIAL) or obj.active_material
        set_inputs(modifier, {
            FOLDER: path_in_blend(self.path) + "/", FIRST: self.frame_start,
            LAST: self.frame_start + self.samples() - 1, FRAME_RATE: float(self.frame_rate), MATERIAL: material,
        })
        modifier.show_viewport = modifier.show_render = True
        if not cache.mesh_folders(self.path):
            forget_finer(obj)
        if before is not None and before != self.path and before.parent == self.folder and not _objects_playing(before):
            shutil.rmtree(before, ignore_errors=True)

    @staticmethod
    def plays(obj: bpy.types.Object) -> bool:
        """Whether its modifier named Flotsam plays points."""
        return points_modifier(obj) is not None

    @staticmethod
    def file(obj: bpy.types.Object) -> Path | None:
        """The folder that the modifier names."""
        return baked_folder(obj)

    @staticmethod
    def frames_in(file: Path) -> range:
        """Range of frames by file name."""
        return cache.points_frames(file)

    @staticmethod
    def remove(obj: bpy.types.Object) -> None:
        """Remove the modifier; disable one that comes from another file."""
        forget_finer(obj)
        modifier = obj.modifiers[MODIFIER]
        if modifier.is_override_data:
            modifier.show_viewport = modifier.show_render = False
            return
        group = modifier.node_group
        obj.modifiers.remove(modifier)
        drop_group(group)

    def _file_of(self, sample: int) -> Path:
        return cache.points_file(self.path, self.frame_start + sample)


def points_in(kept: Kept, matrix: np.ndarray) -> bytes:
    """A frame as the content of a file, in object space; radii are divided by the object's mean scale.

    Args: kept: in world space; matrix: (4, 4), from world to object space.
    """
    values = dict(kept)
    positions, velocities = values.pop("positions"), values.pop("velocity", None)
    if velocities is not None:
        velocities = np.einsum("ij,kj->ki", matrix[:3, :3], velocities)
    scale = abs(np.linalg.det(matrix[:3, :3])) ** (1.0 / 3.0)
    radius = values.get("radius", cache.DEFAULT_RADIUS)
    return cache.points_content(transform(matrix, positions), velocities, {**values, "radius": scale * radius})


def baked_folder(obj: bpy.types.Object) -> Path | None:
    """The folder whose points an object plays, None without any."""
    if not PointsWriter.plays(obj):
        return None
    folder = get_input(obj.modifiers[MODIFIER], FOLDER)
    return plain(bpy.path.abspath(folder, library=obj.library)) if folder else None


def _objects_playing(folder: Path) -> list[bpy.types.Object]:
    return [obj for obj in bpy.data.objects if baked_folder(obj) == folder]


def _is_idle_mesh_cache(modifier: bpy.types.Modifier) -> bool:
    """Whether it is the idle Mesh Cache, or that of a bake, which a former soft body has kept."""
    baked = getattr(modifier.id_data, SETTINGS).baked
    return modifier.type == "MESH_CACHE" and (not modifier.show_viewport or bool(baked.path))
