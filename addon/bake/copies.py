"""Unbakes copies of baked bodies and leaves them in place: no copy may play or overwrite another object's bake."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix

from ...engine import cache
from ..capture.key_digest import keyed_channels
from ..capture.keys import has_keys, remove_unused
from ..capture.mesh import transform, world_matrix
from ..capture.motion import is_moved
from ..capture.stack import flotsam_modifier
from ..names import SETTINGS
from ..write import baked_file, writer_playing
from .owner import forget_baked, is_of_this_blend, uid_of

_MOVING = {"location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle"}


def unbake_copies() -> None:
    """Unbake every object with bake data of another object.

    An object appended from another file keeps its bake if no other object plays it.
    """
    # Listed first: unbaking removes helper objects, which would break the iteration over `bpy.data.objects`.
    for obj in [obj for obj in bpy.data.objects if _is_copy(obj)]:
        file = baked_file(obj)
        if file is None:
            forget_baked(obj)
        elif is_of_this_blend(file) or sum(baked_file(other) == file for other in bpy.data.objects) > 1:
            _unbake(obj)
        else:
            getattr(obj, SETTINGS).baked.uid = uid_of(obj)


def _is_copy(obj: bpy.types.Object) -> bool:
    """Whether an object of this file has bake data of another object."""
    is_own = getattr(obj, SETTINGS).baked.uid in (0, uid_of(obj))
    return not is_own and obj.library is None and obj.override_library is None


def _unbake(obj: bpy.types.Object) -> None:
    writer = writer_playing(obj)
    if has_keys(obj):
        _remove_keys(obj)
    elif writer is not None and writer.is_ours(obj):
        matrix = _current_matrix(obj)
        writer.clear(obj)
        if matrix is not None:
            obj.matrix_world = Matrix(matrix.tolist())
    forget_baked(obj)


def _remove_keys(obj: bpy.types.Object) -> None:
    """Remove the bake's keyframes from a rigid body, and also its own if they would move it from its place."""
    baked, animation, matrix = getattr(obj, SETTINGS).baked, obj.animation_data, obj.matrix_basis.copy()
    keys, own = animation.action, baked.action
    animation.action = own
    if own is not None:
        animation.action_slot = own.slots.get(baked.slot)
    if any(path in _MOVING for path, _component in keyed_channels(obj)):
        animation.action = None
    remove_unused(keys)
    if animation.action is None and not animation.nla_tracks and not animation.drivers:
        obj.animation_data_clear()
    obj.rotation_mode = baked.rotation_mode
    obj.matrix_basis = matrix


def _current_matrix(obj: bpy.types.Object) -> np.ndarray | None:
    """World matrix (4, 4) at which the rest mesh of an object best fits its bake at the current frame.

    None where the object must stay: it is animated or pinned, its bake is no mesh, or its file cannot be read.
    """
    file, modifier = baked_file(obj), flotsam_modifier(obj)
    if file is None or modifier is None or is_moved(obj) or getattr(obj, SETTINGS).pin_group in obj.vertex_groups:
        return None
    start = int(modifier.frame_start)
    try:
        sample = min(max(bpy.context.scene.frame_current - start, 0), cache.read_header(file).samples - 1)
        if sample <= 0:
            return None
        rest, now = cache.read_sample(file, 0), cache.read_sample(file, sample)
    except OSError:
        return None
    matrix = world_matrix(obj)
    return _best_fit_motion(transform(matrix, rest), transform(matrix, now)) @ matrix


def _best_fit_motion(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The rigid motion, (4, 4), that best fits points (n, 3) to others (Kabsch algorithm)."""
    old_centre, new_centre = before.mean(axis=0), after.mean(axis=0)
    u, _lengths, v = np.linalg.svd((before - old_centre).T @ (after - new_centre))
    flip = np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ v))])
    motion = np.eye(4)
    motion[:3, :3] = (u @ flip @ v).T
    motion[:3, 3] = new_centre - motion[:3, :3] @ old_centre
    return motion
