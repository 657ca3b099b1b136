"""What an object plays once it is baked: a file by its modifier, or keys of location and rotation."""

from __future__ import annotations

import bpy
import numpy as np

from ...engine import Frame
from ...engine.spec.voxel_body import MOST_DIFFERENCE
from ..capture import CapturedBody, placed
from ..write.keyframes import refuse_keys, write_keys
from ..write.mesh_cache import connect, refuse_name_taken
from .files import BakeFiles
from .owner import note_baked


def refuse_body(obj: bpy.types.Object, body: CapturedBody) -> None:
    """Raise CaptureError for an object that cannot play what would be baked; nothing has changed then."""
    if body.rigid is None:
        refuse_name_taken(obj)
    else:
        refuse_keys(obj)


def connect_body(obj: bpy.types.Object, scene: bpy.types.Scene, files: BakeFiles, body: CapturedBody) -> None:
    """Let an object play its frames, and note with what they were baked."""
    file, frame_start = files.path(body.name), int(files.index.frame_start)
    if body.as_keys:
        write_keys(obj, file, frame_start)
    else:
        connect(obj, file, frame_start)
    note_baked(obj, scene, file, files.index.fingerprint, body.mesh_points)


def weight_warnings(frame: Frame) -> list[str]:
    """A sentence for each rigid body whose voxels are another body than its mesh."""
    return [
        f"{name}: its voxels differ from its mesh by {found['voxel_error'][0]:.0%} in mass, centre or inertia; "
        "a smaller Voxel Size helps."
        for name, found in frame.diagnostics.items() if found.get("voxel_error", (0.0,))[0] > MOST_DIFFERENCE
    ]


def kept_positions(files: BakeFiles, frame: Frame) -> dict[str, np.ndarray]:
    """What the files keep of each body in a frame, (n, 3) in world space."""
    return {
        body.name: placed(frame, body.name, body.rigid) if body.as_keys else frame.positions[body.name]
        for body in files.captured.bodies
    }
