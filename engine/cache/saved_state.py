"""The solver's state on disk, from which a stopped bake resumes: a plain `.npz` without pickled objects.

A snapshot nests dataclasses, mappings, sequences, arrays and plain values. Arrays are stored in the archive under
numbered names, and the nesting is stored as JSON. To load dataclasses, a snapshot of the same world supplies their
classes: a file can bring numbers, never code.
"""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .pc2 import CacheFileError
from .whole_file import write_whole

if TYPE_CHECKING:
    import numpy as np

_NEST = "nest"


def save_state(path: Path, snapshot: Any) -> None:
    """Write a snapshot of `World.snapshot()` atomically.

    Raises:
        TypeError: the snapshot contains something other than arrays, numbers, text and nestings of them.
        OSError: the file cannot be written; an existing one is unchanged.
    """
    import numpy as np

    arrays: dict[str, np.ndarray] = {}
    nest = json.dumps(_flatten(snapshot, arrays))
    archive = io.BytesIO()
    np.savez(archive, **arrays, **{_NEST: np.array(nest)})
    write_whole(path, archive.getbuffer())


def load_state(path: Path, like: Any) -> Any:
    """Read a snapshot; `like` is any snapshot of the same world.

    Raises:
        CacheFileError: the file is damaged or belongs to another world.
        FileNotFoundError: there is no such file.
    """
    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        return _unflatten(json.loads(str(arrays.pop(_NEST))), arrays, like)
    except FileNotFoundError:
        raise
    except (ValueError, KeyError, TypeError, IndexError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise CacheFileError(f"{path} cannot be read ({error}); bake again from the start.") from error


def _flatten(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    """The nesting in a form that JSON can store: each level is a pair of its kind and its content."""
    import numpy as np

    if dataclasses.is_dataclass(value):
        fields = {f.name: _flatten(getattr(value, f.name), arrays) for f in dataclasses.fields(value)}
        return ["fields", fields]
    if isinstance(value, (np.ndarray, np.generic)):
        name = f"a{len(arrays)}"
        arrays[name] = np.asarray(value)
        return ["array" if isinstance(value, np.ndarray) else "scalar", name]
    if isinstance(value, dict):
        return ["dict", [[_flatten(k, arrays), _flatten(v, arrays)] for k, v in value.items()]]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, [_flatten(item, arrays) for item in value]]
    if value is None or isinstance(value, (bool, int, float, str)):
        return ["plain", value]
    raise TypeError(f"a snapshot cannot hold {type(value).__name__}")


def _unflatten(node: Any, arrays: dict[str, np.ndarray], like: Any) -> Any:
    """The inverse of `_flatten`; `like` is the value at the same position in another snapshot."""
    kind, content = node
    if kind == "fields":
        fields = {name: _unflatten(item, arrays, getattr(like, name, None)) for name, item in content.items()}
        return type(like)(**fields)
    if kind == "array":
        return arrays[content]
    if kind == "scalar":
        return arrays[content][()]
    if kind == "dict":
        pairs = [(_unflatten(key, arrays, None), item) for key, item in content]
        known = like if isinstance(like, dict) else {}
        return {key: _unflatten(item, arrays, known.get(key)) for key, item in pairs}
    if kind in ("list", "tuple"):
        known = like if isinstance(like, (list, tuple)) else ()
        items = [
            _unflatten(item, arrays, known[i] if i < len(known) else None) for i, item in enumerate(content)
        ]
        return items if kind == "list" else tuple(items)
    return content
