"""Frame → Mesh Cache and shape keys: what stays in the .blend when the add-on is gone."""

from __future__ import annotations

from .mesh_cache import baked_file, connect
from .shape_keys import refuse_shape_keys, write_shape_keys

__all__ = ["baked_file", "connect", "refuse_shape_keys", "write_shape_keys"]
