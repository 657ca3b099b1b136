"""What has happened since the start of a live session, so that it can become the bake."""

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

# A minute of 200,000 vertices at 24 frames a second takes about as much.
MOST_BYTES = 3 << 30


def as_kept(
    frame: Frame, captured: Captured, matrices: dict[str, np.ndarray]
) -> tuple[dict[str, Kept], dict[str, np.ndarray]]:
    """What the tape remembers of a frame: rigid bodies are shown by their mesh, and recorded as keys."""
    matrices = dict(matrices)
    for body in captured.bodies:
        if body.rigid is not None:
            # Whoever drags the object itself meanwhile does not move its parent.
            matrices[body.name] = body.rigid.basis @ np.linalg.inv(body.matrix)
    return kept_of(frame, captured), matrices


def fits(frame: Frame, captured: Captured) -> bool:
    """Whether a frame is of these bodies, with as many points."""
    return frame.positions.keys() == {body.name for body in captured.bodies} and all(
        body.varies or body.points == len(frame.positions[body.name]) for body in captured.bodies
    )


def as_shown(frame: Frame, captured: Captured) -> dict[str, Kept]:
    """What is shown of a frame, in world space: of rigid bodies the vertices, of all others what is kept of them."""
    rigid = {body.name for body in captured.bodies if body.rigid is not None}
    positions = {name: {"positions": frame.positions[name]} for name in rigid}
    return {**kept_of(frame, captured), **positions}


class Recording:
    """Frames since the start, in the order they were solved; full when they take too much memory.

    Attributes:
        frames: by name, what is kept of each body in world space, and the matrices to each object's own space; of a
            rigid body the corners of its matrix_world, and the matrix to its parent's space.
        start: what is kept of each body at the start, None where that is not known.
        full: whether later frames are left out.
    """

    def __init__(self) -> None:
        self.frames: list[tuple[dict[str, Kept], dict[str, np.ndarray]]] = []
        self.start: dict[str, Kept] | None = None
        self.full = False
        self._bytes = 0

    def clear(self) -> None:
        """Begin again."""
        self.frames, self.full, self._bytes = [], False, 0

    def note_start(self, frame: Frame, captured: Captured) -> None:
        """Remember what bodies are like before the first frame, unless they are others by now."""
        known = all(
            body.varies or len(frame.positions.get(body.name, ())) == body.points for body in captured.bodies
        )
        self.start = kept_of(frame, captured) if known else None

    def add(self, kept: dict[str, Kept], matrices: dict[str, np.ndarray]) -> None:
        """Remember a frame."""
        size = sum(array.nbytes for arrays in kept.values() for array in arrays.values())
        self.full = self.full or self._bytes + size > MOST_BYTES
        if not self.full:
            self._bytes += size
            self.frames.append((kept, matrices))

    def bake(self, scene: bpy.types.Scene, captured: Captured) -> tuple[int, int]:
        """Leave the frames as the scene's bake, from its first frame on; returns the first and the last frame.

        Raises:
            CaptureError, BakeError, LiveError: one sentence; what was baked before is replaced only by whole files.
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
        """The start, unless bodies have come or gone since."""
        return self.start if self.start is not None and self.start.keys() == {body.name for body in bodies} else None
