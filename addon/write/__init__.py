"""Writes frames into the .blend in a form that plays without the add-on: one writer per output kind, see `registry`."""

from __future__ import annotations

from .base import FileWriter, Kept, Writer
from .registry import FILE_WRITERS, baked_file, refuse_output, writer_playing
from .shape_keys import refuse_shape_keys, write_shape_keys

__all__ = [
    "FILE_WRITERS", "FileWriter", "Kept", "Writer", "baked_file", "refuse_output", "refuse_shape_keys",
    "write_shape_keys", "writer_playing",
]
