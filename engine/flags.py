"""Compares numba's compiler flags by what is set in them.

Numba looks up each operator that it types by the flags too. It hashes the names of the flags, the same for all, and
compares all of them by getters: an eighth of the time that kernels took to compile, or more.
"""

from __future__ import annotations

from typing import Any

from numba.core.targetconfig import TargetConfig


def install() -> None:
    """Let flags be compared this way from now on."""
    TargetConfig.__eq__ = _are_equal
    TargetConfig.__hash__ = _hash


def _are_equal(flags: TargetConfig, others: Any) -> bool:
    """Whether all options have the same values; one that is not set has its default."""
    if flags is others:
        return True
    if not isinstance(others, TargetConfig) or flags.options.keys() != others.options.keys():
        return NotImplemented
    if flags._values == others._values:
        return True
    return all(getattr(flags, name) == getattr(others, name) for name in flags._values.keys() | others._values.keys())


def _hash(flags: TargetConfig) -> int:
    """From what is switched on against its default."""
    options = flags.options
    return hash(frozenset(
        name for name, value in flags._values.items() if value is True and options[name].default is False
    ))
