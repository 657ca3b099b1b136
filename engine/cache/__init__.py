"""Frames on disk: PC2 files, the index that says whose they are, and the state to go on from. No Blender here."""

from __future__ import annotations

from .fingerprint import fingerprint, follow
from .index import INDEX_NAME, BodyEntry, Index, forget_states, read_index, write_index
from .pc2 import (
    CacheFileError,
    Header,
    append_sample,
    begin,
    overwrite_sample,
    read_header,
    read_sample,
    truncate,
)
from .saved_state import load_state, save_state
from .whole_file import sync_files

__all__ = [
    "INDEX_NAME", "BodyEntry", "CacheFileError", "Header", "Index", "append_sample", "begin",
    "fingerprint", "follow", "forget_states", "load_state", "overwrite_sample", "read_header", "read_index",
    "read_sample", "save_state", "sync_files", "truncate", "write_index",
]
