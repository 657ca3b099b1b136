"""Frames on disk: PC2 files, points, meshes around them, attributes, the index of a bake, and the state to resume from.

Imports no Blender.
"""

from __future__ import annotations

from .carrier import VECTORS, Packer, row_count, unpack, vectors_first
from .fine_mesh import PACKAGE, FineMeshes, find_package, mesh_folders
from .fingerprint import fingerprint, follow
from .index import ATTRIBUTES_SUFFIX, INDEX_NAME, BodyEntry, Index, forget_states, read_index, write_index
from .mesh_maker import MeshMaker
from .pc2 import (
    CacheFileError,
    Header,
    append_sample,
    begin,
    first_sample,
    overwrite_sample,
    read_header,
    read_sample,
    truncate,
)
from .points import (
    DEFAULT_RADIUS,
    POINT_BYTES,
    POINTS_SUFFIX,
    cut_points,
    points_content,
    points_file,
    points_frames,
    read_points,
)
from .replace import replace_files
from .saved_state import load_state, save_state
from .whole_file import sync_files

__all__ = [
    "ATTRIBUTES_SUFFIX", "DEFAULT_RADIUS", "INDEX_NAME", "PACKAGE", "POINTS_SUFFIX", "POINT_BYTES", "VECTORS",
    "BodyEntry", "CacheFileError", "FineMeshes", "Header", "Index", "MeshMaker", "Packer", "append_sample", "begin",
    "cut_points", "find_package", "fingerprint", "first_sample", "follow", "forget_states", "load_state",
    "mesh_folders", "overwrite_sample", "points_content", "points_file", "points_frames", "read_header", "read_index",
    "read_points", "read_sample", "replace_files", "row_count", "save_state", "sync_files", "truncate", "unpack",
    "vectors_first", "write_index",
]
