"""Keeping a pose: the vertices move to it, and an attribute stores the rest position of each vertex."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix

from ..capture.errors import CaptureError
from ..capture.mesh import read_rest
from ..capture.motion import is_keyed
from ..capture.stack import modifiers_before
from ..names import REST_ATTRIBUTE


def refuse_pose(obj: bpy.types.Object) -> None:
    """Raise CaptureError, which names a remedy, for a mesh that cannot be changed or is not the solved one."""
    reason = ""
    if obj.data.library is not None or obj.override_library is not None:
        reason = "its mesh is linked from another file; make it local first"
    elif obj.data.users > 1:
        reason = "other objects share its mesh; make it single-user first (Object > Relations)"
    elif obj.data.shape_keys is not None:
        reason = "it has shape keys; apply or remove them first"
    elif any(modifier.show_viewport for modifier in modifiers_before(obj)):
        reason = "modifiers before Flotsam shape it; apply them or move them after Flotsam first"
    if reason:
        raise CaptureError(f"{obj.name} cannot keep its pose: {reason}.")


def keep_pose(obj: bpy.types.Object, local: np.ndarray) -> None:
    """Move a mesh to positions in object space, (n, 3) [m]; its rest shape stays as it was.

    Raises:
        CaptureError: as `refuse_pose`.
    """
    refuse_pose(obj)
    mesh = obj.data
    if read_rest(mesh) is None:
        flat = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
        mesh.vertices.foreach_get("co", flat)
        mesh.attributes.new(REST_ATTRIBUTE, "FLOAT_VECTOR", "POINT").data.foreach_set("vector", flat)
    mesh.vertices.foreach_set("co", local.astype(np.float32).ravel())
    mesh.update()


def refuse_moved(obj: bpy.types.Object) -> None:
    """Raise CaptureError for a rigid body whose keyframes would move it back."""
    if is_keyed(obj):
        raise CaptureError(f"{obj.name} cannot keep its pose: it is animated or baked; clear its keys or bake first.")


def move_to(obj: bpy.types.Object, matrix: np.ndarray) -> None:
    """Move a rigid body so that its matrix_world is (4, 4) `matrix`."""
    obj.matrix_world = Matrix(matrix.tolist())


def forget_pose(obj: bpy.types.Object) -> None:
    """Move a mesh back to its rest shape."""
    mesh = obj.data
    rest = read_rest(mesh)
    if rest is None:
        return
    mesh.vertices.foreach_set("co", rest.astype(np.float32).ravel())
    mesh.attributes.remove(mesh.attributes[REST_ATTRIBUTE])
    mesh.update()
