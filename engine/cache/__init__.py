"""Frames on disk: PC2 files, the index that says whose they are, and the state to go on from. No Blender here."""

from __future__ import annotations

from .fingerprint import fingerprint
from .index import BodyEntry, Index, read_index, write_index
from .pc2 import CacheFileError, Header, append_sample, create, read_header, read_sample, truncate
from .saved_state import load_state, save_state

__all__ = [
    "BodyEntry", "CacheFileError", "Header", "Index", "append_sample", "create", "fingerprint", "load_state",
    "read_header", "read_index", "read_sample", "save_state", "truncate", "write_index",
]
