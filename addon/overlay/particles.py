"""Particles for the overlay: from the last Live frame, or from the bake at the scene's current frame."""

from __future__ import annotations

import bpy
import numpy as np

from ...engine import cache
from ...engine.spec import KINDS
from ..capture.mesh import transform, world_matrix
from ..live.session import LiveSession
from ..names import SETTINGS
from ..write.points import baked_folder
from .picture import Subject

_NO_EDGES, _NONE = np.zeros((0, 2), dtype=np.int32), np.zeros(0, dtype=np.int64)


def is_points(obj: bpy.types.Object) -> bool:
    """Whether an object's bake leaves points."""
    spec = KINDS.get(getattr(obj, SETTINGS).kind)
    return spec is not None and spec.output == "POINTS"


def of_session(session: LiveSession) -> list[Subject]:
    """Particles of the last frame of a session."""
    found, frame = [], session.frame
    for spec in session.captured.spec.systems:
        if frame is not None and spec.output == "POINTS" and spec.name in frame.positions:
            attributes = frame.attributes.get(spec.name, {})
            rows = {"velocity": frame.velocities.get(spec.name), **attributes}
            found.append(_subject(spec.name, frame.positions[spec.name], rows))
    return found


def of_object(obj: bpy.types.Object, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> Subject | None:
    """The baked particles of an object at the scene's frame; None without any."""
    folder = baked_folder(obj)
    try:
        frames = range(0) if folder is None else cache.points_frames(folder)
        if not len(frames):
            return None
        rows = cache.read_points(folder, min(max(scene.frame_current, frames[0]), frames[-1]))
    except (OSError, cache.CacheFileError):
        return None
    matrix = world_matrix(obj.evaluated_get(depsgraph))
    places, velocities = (
        np.stack([rows[axis] for axis in axes], axis=1) for axes in (("x", "y", "z"), ("vx", "vy", "vz"))
    )
    return _subject(obj.name_full, transform(matrix, places), {**rows, "velocity": velocities @ matrix[:3, :3].T})


def _subject(name: str, positions: np.ndarray, rows: dict[str, np.ndarray | None]) -> Subject:
    """The particles of a fluid, (n, 3) [m], without foam."""
    kind = rows.get("kind")
    own = slice(None) if kind is None else kind == 0
    velocity, compression, radius = (
        None if rows.get(one) is None else rows[one][own] for one in ("velocity", "compression", "radius")
    )
    return Subject(
        name, positions[own], edges=_NO_EDGES, rest_lengths=np.zeros(0), pins=_NONE, velocities=velocity,
        compression=compression, size=0.0 if radius is None or not len(radius) else float(radius[0]),
    )
