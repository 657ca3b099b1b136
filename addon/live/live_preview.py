"""Display of a live session: its own modifier after the Flotsam modifier, which plays one sample of a file.

Meshes have a Mesh Cache modifier; points have the modifier of `points_preview`.

Mesh and bake stay unchanged: only the modifier has to be removed, and it is identified by its name.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import bpy
import numpy as np

from ...engine import cache
from ..capture import CapturedBody
from ..capture.mesh import transform
from ..capture.stack import flotsam_modifier
from ..names import LIVE_MERGE_MODIFIER, LIVE_MODIFIER, LIVE_SPLIT_MODIFIER
from ..paths import file_stem
from ..write import Kept
from ..write.tear_nodes import split_around
from .errors import LiveError
from .points_preview import PointsPreview
from .traces import remove_all_live_modifiers, remove_live_modifiers


class LivePreview:
    """Displays positions of a session's bodies in the viewport."""

    def __init__(self) -> None:
        """Create a folder for the files; raises LiveError if that fails."""
        self._folder = Path(bpy.app.tempdir or tempfile.gettempdir()) / "flotsam-live"
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="flotsam-live-", dir=self._folder.parent))
        except OSError as error:
            raise self._write_error(error) from error
        self._files: dict[str, Path] = {}
        self._tearing: set[str] = set()
        self._points = PointsPreview(self._folder)

    def begin(self, bodies: Iterable[CapturedBody]) -> None:
        """Show these bodies in their initial state, and no others; a fluid shows its mesh until the first frame.

        Raises:
            LiveError: the disk of Blender's temporary folder is full or cannot be written.
        """
        bodies = list(bodies)
        start = {body.name: body.start_rows for body in bodies if not body.varies}
        gone = self._files.keys() - start.keys()
        self._tearing = {body.name for body in bodies if body.corners is not None}
        self._files = {name: self._folder / f"{number}-{file_stem(name)}.pc2" for number, name in enumerate(start)}
        try:
            cache.begin({self._files[name]: local for name, local in start.items()}, 0.0)
        except OSError as error:
            raise self._write_error(error) from error
        for name in gone:
            remove_live_modifiers(bpy.data.objects.get((name, None)))
        self._points.begin([body.name for body in bodies if body.varies])
        self.attach()

    def attach(self) -> None:
        """Add missing modifiers, which an undo or a save may have removed."""
        for name, file in self._files.items():
            obj = bpy.data.objects.get((name, None))
            if obj is not None and LIVE_MODIFIER not in obj.modifiers:
                modifier = _add_modifier(obj, file)
                if name in self._tearing:
                    split_around(obj, modifier, LIVE_SPLIT_MODIFIER, LIVE_MERGE_MODIFIER)
        self._points.attach()

    def write(self, kept: Mapping[str, Kept], matrices: Mapping[str, np.ndarray]) -> None:
        """Show a frame, given data from writers in world space and world-to-object matrices.

        Raises:
            LiveError: a file cannot be written.
        """
        try:
            for name in kept.keys() & self._files.keys():
                cache.overwrite_sample(self._files[name], transform(matrices[name], kept[name]["positions"]))
            self._points.write(kept, matrices)
        except OSError as error:
            raise self._write_error(error) from error
        self.attach()
        self.tag()

    def _write_error(self, error: OSError) -> LiveError:
        why = error.strerror or str(error)
        return LiveError(
            f"Live shows its frames through files in {self._folder.parent}, which cannot be written ({why}); make room "
            "there or choose another folder for temporary files in the Preferences, and start Live again."
        )

    def tag(self) -> None:
        """Make Blender read the files again."""
        for name in self._files:
            obj = bpy.data.objects.get((name, None))
            if obj is not None:
                obj.update_tag(refresh={"DATA"})

    def detach(self) -> None:
        """Remove the modifiers; `attach` adds them again."""
        remove_all_live_modifiers()

    def end(self) -> None:
        """Remove the modifiers from the scene and the files from the disk."""
        remove_all_live_modifiers()
        with suppress(OSError):
            shutil.rmtree(self._folder)


def _add_modifier(obj: bpy.types.Object, file: Path) -> bpy.types.Modifier:
    modifier = obj.modifiers.new(LIVE_MODIFIER, "MESH_CACHE")
    modifier.cache_format = "PC2"
    modifier.filepath = str(file)
    modifier.deform_mode = "OVERWRITE"
    modifier.play_mode = "CUSTOM"
    modifier.show_render = False
    modifier.show_expanded = False
    bake_modifier = flotsam_modifier(obj)
    if bake_modifier is not None:
        obj.modifiers.move(len(obj.modifiers) - 1, list(obj.modifiers).index(bake_modifier) + 1)
    return modifier
