"""Whether rigid bodies touch nothing when a world begins, and are closed; this decides which kernels are first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..mesh.voxel.grid import is_closed
from ..spec import WorldSpec
from ..spec.check import points

# Bodies closer than this fraction of the size of the rigid one will touch soon, and count as touching.
MARGIN = 0.1


def rigid_bodies_are_apart(spec: WorldSpec) -> bool:
    """Whether no rigid body's bounding box overlaps that of another body or of a collider.

    Raises:
        SpecError: a mesh has the wrong shape.
    """
    bodies = [system for system in spec.systems if system.traits.moves or system.traits.is_wall]
    boxes = np.array([_box(system) for system in bodies]).reshape(-1, 2, 3)
    for index, system in enumerate(bodies):
        if not system.traits.is_rigid:
            continue
        low, high = boxes[index]
        margin = MARGIN * (high - low).max()
        overlaps = ((boxes[:, 0] <= high + margin) & (boxes[:, 1] >= low - margin)).all(axis=1)
        overlaps[index] = False
        if overlaps.any():
            return False
    return True


def has_open_bodies(spec: WorldSpec) -> bool:
    """Whether a rigid body has an open mesh or is voxelized by its surface: both need more voxel kernels."""
    return any(
        system.fill == "SURFACE" or system.inside == "WINDING" or not is_closed(np.asarray(system.triangles))
        for system in spec.systems if system.traits.is_rigid
    )


def _box(system: Any) -> np.ndarray:
    """Lowest and highest corner of a body in world space, (2, 3) [m]."""
    found = points(system.name, "vertices", system.vertices)
    pose = getattr(system, "pose", None)
    if pose is not None:
        found = found @ pose[:3, :3].T + pose[:3, 3]
    return np.stack([found.min(axis=0), found.max(axis=0)])
