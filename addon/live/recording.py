"""Frames since the start of a live session, which can be written as a bake."""

from __future__ import annotations

import dataclasses

import bpy
import numpy as np

from ...engine import Frame
from ..bake.connect import connect_body, refuse_body
from ..bake.copies import unbake_copies
from ..bake.files import BakeFiles, kept_of
from ..bake.records import keep_record, with_extent
from ..capture import Captured, CapturedBody
from ..capture.controls import baked_object, depsgraph_of
from ..capture.things import things_of
from ..names import SETTINGS
from ..paths import cache_folder
from ..properties.scene import bake_range
from ..write import Kept
from .errors import LiveError

# Limit of memory. A minute of 200,000 vertices at 24 frames per second takes about this much.
MOST_BYTES = 3 << 30


def as_kept(
    frame: Frame, captured: Captured, matrices: dict[str, np.ndarray]
) -> tuple[dict[str, Kept], dict[str, np.ndarray]]:
    """Data of a frame as the recording stores it: rigid bodies are displayed as meshes, but recorded as keyframes."""
    matrices = dict(matrices)
    for body in captured.bodies:
        if body.rigid is not None:
            # Independent of the object itself, which the artist may drag meanwhile.
            matrices[body.name] = body.rigid.basis @ np.linalg.inv(body.matrix)
    return kept_of(frame, captured), matrices


def fits(frame: Frame, captured: Captured) -> bool:
    """Whether a frame has the captured bodies, with the same number of points."""
    return frame.positions.keys() == {body.name for body in captured.bodies} and all(
        body.varies or body.points == len(frame.positions[body.name]) for body in captured.bodies
    )


def as_shown(frame: Frame, captured: Captured) -> dict[str, Kept]:
    """Data of a frame to display, in world space: vertices of rigid bodies, stored data of all others."""
    rigid = {body.name for body in captured.bodies if body.rigid is not None}
    positions = {name: {"positions": frame.positions[name]} for name in rigid}
    return {**kept_of(frame, captured), **positions}


class Recording:
    """Frames since the start, in the order they were solved, up to `MOST_BYTES`.

    Attributes:
        frames: data of each body in world space, and world-to-object matrices, by name; for a rigid body the corners
            of its matrix_world, and the matrix to its parent's space.
        start: data of each body at the start, None if unknown.
        full: whether the limit of memory was reached; later frames are dropped.
    """

    def __init__(self) -> None:
        self.frames: list[tuple[dict[str, Kept], dict[str, np.ndarray]]] = []
        self.start: dict[str, Kept] | None = None
        self.full = False
        self._bytes = 0

    def clear(self) -> None:
        """Discard all frames."""
        self.frames, self.full, self._bytes = [], False, 0

    def note_start(self, frame: Frame, captured: Captured) -> None:
        """Store the state before the first frame, unless the bodies have changed since."""
        known = all(
            body.varies or len(frame.positions.get(body.name, ())) == body.points for body in captured.bodies
        )
        self.start = kept_of(frame, captured) if known else None

    def add(self, kept: dict[str, Kept], matrices: dict[str, np.ndarray]) -> None:
        """Store a frame."""
        size = sum(array.nbytes for arrays in kept.values() for array in arrays.values())
        self.full = self.full or self._bytes + size > MOST_BYTES
        if not self.full:
            self._bytes += size
            self.frames.append((kept, matrices))

    def bake(self, scene: bpy.types.Scene, captured: Captured) -> tuple[int, int]:
        """Write the frames as the scene's bake; returns its first and last frame.

        Raises:
            CaptureError, BakeError, LiveError: one sentence; an earlier bake is replaced only by complete files.
        """
        unbake_copies()
        first = bake_range(getattr(scene, SETTINGS))[0]
        last = first + len(self.frames)
        for body in captured.bodies:
            refuse_body(baked_object(body.name), body)
        bodies = tuple(body.for_bake() for body in captured.bodies)
        things = with_extent(things_of(scene, depsgraph_of(scene)), all_bodies=True)
        files = BakeFiles(cache_folder(scene), dataclasses.replace(captured, bodies=bodies, frame=first), last, things)
        try:
            files.begin(self._known_start(bodies))
            for kept, matrices in self.frames:
                files.append(kept, matrices)
            files.close()
        except OSError as error:
            why = error.strerror or str(error)
            raise LiveError(
                f"{files.folder} cannot be written ({why}); the session is still remembered: make room and press "
                "Record again."
            ) from error
        for body in bodies:
            obj = baked_object(body.name)
            connect_body(obj, files, body)
            obj.update_tag()
        keep_record(scene, files.index)
        return first, last

    def _known_start(self, bodies: tuple[CapturedBody, ...]) -> dict[str, Kept] | None:
        """The data at the start; None if unknown, or if bodies were added or removed since."""
        return self.start if self.start is not None and self.start.keys() == {body.name for body in bodies} else None
