"""Digest of a mesh, cached until Blender reports a change of the mesh."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import bpy
import numpy as np

from ..names import EDGE_ATTRIBUTES, REST_ATTRIBUTE, SEGMENT_ATTRIBUTE
from .keys import own_shape_keys

_digests: dict[tuple[int, ...], str] = {}
_keys_of: dict[int, set[tuple[int, ...]]] = {}


def mesh_digest(mesh: bpy.types.Mesh, groups: Iterable[int] = ()) -> str:
    """Digest of positions, faces, edges, custom attributes and own shape keys of a mesh, and of some vertex weights.

    Args:
        mesh: not in Edit Mode, in which Blender does not report changes.
        groups: indices of the vertex groups to include.
    """
    groups = tuple(sorted(groups))
    key = (mesh.session_uid, len(mesh.vertices), len(mesh.loops), *groups)
    if key not in _digests:
        _digests[key] = _digest(mesh, set(groups))
        _keys_of.setdefault(mesh.session_uid, set()).add(key)
    return _digests[key]


def forget_mesh(uid: int) -> None:
    """Discard the digests of the changed mesh with this `session_uid`."""
    for key in _keys_of.pop(uid, ()):
        _digests.pop(key, None)


def forget_meshes() -> None:
    """Discard all digests, as any mesh may have changed, for example by an undo."""
    _digests.clear()
    _keys_of.clear()


def _digest(mesh: bpy.types.Mesh, groups: set[int]) -> str:
    hasher = hashlib.blake2b(digest_size=6)
    for name, field, count, dtype in (
        ("position", "vector", 3 * len(mesh.vertices), np.float32),
        (".corner_vert", "value", len(mesh.loops), np.int32),
        (".edge_verts", "value", 2 * len(mesh.edges), np.int32),
        (REST_ATTRIBUTE, "vector", 3 * len(mesh.vertices), np.float32),
        (SEGMENT_ATTRIBUTE, "value", len(mesh.vertices), np.int32),
        *((name, "value", len(mesh.edges), np.float32) for name in EDGE_ATTRIBUTES),
    ):
        attribute = mesh.attributes.get(name)
        if attribute is None or len(attribute.data) == 0 or not hasattr(attribute.data[0], field):
            continue
        if name in EDGE_ATTRIBUTES and (attribute.domain, attribute.data_type) != ("EDGE", "FLOAT"):
            continue
        flat = np.empty(count, dtype=dtype)
        attribute.data.foreach_get(field, flat)
        hasher.update(name.encode())
        hasher.update(flat.tobytes())
    if groups:
        hasher.update(repr([
            (vertex.index, entry.group, entry.weight)
            for vertex in mesh.vertices for entry in vertex.groups if entry.group in groups
        ]).encode())
    keys = own_shape_keys(mesh)
    if keys is not None:
        _feed_shape_keys(hasher, keys)
    return hasher.hexdigest()


def _feed_shape_keys(hasher: hashlib.blake2b, keys: bpy.types.Key) -> None:
    for block in keys.key_blocks:
        flat = np.empty(3 * len(block.data), dtype=np.float32)
        block.data.foreach_get("co", flat)
        hasher.update(repr((block.mute, block.relative_key.name, block.vertex_group)).encode())
        hasher.update(flat.tobytes())
