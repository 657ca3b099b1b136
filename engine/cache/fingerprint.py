"""Fingerprints of everything that a bake depends on: equal specs have equal fingerprints on every machine."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Any


def fingerprint(value: Any) -> str:
    """32 hexadecimal digits of a spec, or any nesting of dataclasses, arrays, sequences, mappings and plain values."""
    digest = hashlib.blake2b(digest_size=16)
    _feed(digest, value)
    return digest.hexdigest()


def follow(trail: str, moved: Any) -> str:
    """Rolling digest of a trail extended by one step: equal only if all steps were equal, in the same order."""
    return fingerprint((trail, moved))


def _feed(digest: hashlib.blake2b, value: Any) -> None:
    """Hash one value together with its type and length, so that adjacent values stay distinguishable."""
    if dataclasses.is_dataclass(value):
        digest.update(f"<{type(value).__name__}".encode())
        for field in dataclasses.fields(value):
            digest.update(f".{field.name}=".encode())
            _feed(digest, getattr(value, field.name))
        digest.update(b">")
    elif hasattr(value, "tobytes") and hasattr(value, "dtype"):
        digest.update(f"[{value.dtype.str}{value.shape}".encode())
        digest.update(value.tobytes())
    elif isinstance(value, Mapping):
        digest.update(f"{{{len(value)}".encode())
        for key in sorted(value, key=str):
            digest.update(repr(key).encode())
            _feed(digest, value[key])
    elif isinstance(value, (list, tuple)):
        digest.update(f"({len(value)}".encode())
        for item in value:
            _feed(digest, item)
    else:
        digest.update(f"|{type(value).__name__}:{value!r}".encode())
