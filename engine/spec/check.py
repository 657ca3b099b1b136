"""Checks of specs before anything is built: every refusal names system, field, value and what is allowed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import SpecError
from .attachment import Attachment
from .joint import Joint
from .param import Param, params_of, weighted_params
from .rules import RULES, names_of
from .world import WorldSpec


def check_world(spec: WorldSpec) -> None:
    """Check a world's own values, its names and its rules; raises SpecError."""
    check_params("world", spec)
    if not (math.isfinite(spec.frame_rate) and spec.frame_rate > 0.0):
        raise SpecError("world", "frame_rate", spec.frame_rate, "frames a second above 0")
    vector("world", "gravity", spec.gravity)
    names = [getattr(system, "name", None) for system in spec.systems]
    for name in names:
        if not isinstance(name, str) or not name:
            raise SpecError("world", "name", name, "a text that is not empty")
        if names.count(name) > 1:
            raise SpecError("world", "name", name, "a name that no other system has")
    for rule in spec.interactions:
        if not isinstance(rule, tuple(RULES.values())):
            raise SpecError("world", "interactions", rule, " or ".join(rule.__name__ for rule in RULES.values()))
        check_params(type(rule).__name__, rule)
        for name in (*names_of(rule.a), *names_of(rule.b)):
            if name != "*" and name not in names:
                raise SpecError("world", "interactions", name, "'*' or one of " + ", ".join(names))
    for attachment in spec.attachments:
        if not isinstance(attachment, Attachment):
            raise SpecError("world", "attachments", attachment, "Attachment")
        check_params("Attachment", attachment)
        for name in (attachment.a, attachment.b):
            if name not in names:
                raise SpecError("world", "attachments", name, "one of " + ", ".join(names))
    for joint in spec.joints:
        if not isinstance(joint, Joint):
            raise SpecError("world", "joints", joint, "Joint")
        check_params("Joint", joint)
        for name, known in ((joint.a, names), (joint.b, [*names, ""])):
            if name not in known:
                raise SpecError("world", "joints", name, "one of " + ", ".join(names))


def check_params(system: str, spec: Any) -> None:
    """Check every declared parameter of a spec against its limits; raises SpecError."""
    for name, declared in params_of(type(spec)).items():
        value = getattr(spec, name)
        if value is not None or declared.default is not None:
            check_value(system, name, value, declared)


def check_value(system: str, name: str, value: Any, declared: Param) -> None:
    """Check a value of a declared parameter against its choices or limits; raises SpecError."""
    if declared.choices:
        allowed = [choice[0] for choice in declared.choices]
        if value not in allowed:
            raise SpecError(system, name, value, ", ".join(allowed))
    elif isinstance(declared.default, tuple):
        _check_range(system, name, np.asarray(value, dtype=np.float64), declared)
    else:
        _check_number(system, name, value, declared)


def _check_number(system: str, name: str, value: Any, declared: Param) -> None:
    whole = isinstance(declared.default, int)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise SpecError(system, name, value, range_text(declared)) from None
    if whole and number != int(number if math.isfinite(number) else 0):
        raise SpecError(system, name, value, "a whole number, " + range_text(declared))
    _check_range(system, name, np.asarray(number), declared)


def _check_range(system: str, name: str, value: np.ndarray, declared: Param) -> None:
    low, high = declared.limits
    good = np.all(np.isfinite(value))
    good = good and (low is None or np.all(value >= low)) and (high is None or np.all(value <= high))
    if declared.positive:
        good = good and np.all(value > 0.0)
    if not good:
        shown = float(value) if value.ndim == 0 else value.tolist() if value.size < 10 else "an array with a bad entry"
        raise SpecError(system, name, shown, range_text(declared))


def range_text(declared: Param) -> str:
    """The allowed range in words, with the unit."""
    low, high = declared.limits
    unit = f" {declared.unit}" if declared.unit else ""
    bottom = f"above {low:g}" if declared.positive and low is not None else f"from {low:g}" if low is not None else ""
    top = f"to {high:g}" if high is not None else ""
    return (" ".join(part for part in (bottom, top) if part) or "a finite number") + unit


def vector(system: str, name: str, value: Any) -> np.ndarray:
    """Three finite numbers as (3,) float64; raises SpecError."""
    array = np.asarray(value, dtype=np.float64)
    if array.shape != (3,) or not np.all(np.isfinite(array)):
        raise SpecError(system, name, value, "three finite numbers")
    return array


def points(system: str, name: str, value: Any) -> np.ndarray:
    """Finite positions as a new (n, 3) float64 array, n >= 1; raises SpecError that names the first bad one."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise SpecError(system, name, type(value).__name__, "positions of shape (n, 3)") from None
    if array.ndim != 2 or array.shape[1] != 3 or len(array) == 0:
        raise SpecError(system, name, f"shape {array.shape}", "positions of shape (n, 3), n from 1 up")
    bad = np.flatnonzero(~(np.abs(array) <= 1e9)) // 3
    if len(bad):
        raise SpecError(system, name, f"{array[bad[0]].tolist()} at vertex {bad[0]}", "finite positions within 1e9 m")
    return array


def indices(system: str, name: str, value: Any, width: int, vertex_count: int) -> np.ndarray:
    """Vertex indices as (m, width) int32, or (m,) for width 1; None gives none; raises SpecError."""
    shape = (0, width) if width > 1 else (0,)
    if value is None or np.size(value) == 0:
        return np.zeros(shape, dtype=np.int32)
    array = np.asarray(value)
    fits = array.ndim == len(shape) and (width == 1 or array.shape[1] == width)
    if not fits or not np.issubdtype(array.dtype, np.integer):
        wanted = f"(m, {width})" if width > 1 else "(m,)"
        raise SpecError(system, name, f"{array.dtype} of shape {array.shape}", f"whole numbers of shape {wanted}")
    if array.min() < 0 or array.max() >= vertex_count:
        worst = array.min() if array.min() < 0 else array.max()
        raise SpecError(system, name, int(worst), f"vertex indices from 0 to {vertex_count - 1}")
    return np.ascontiguousarray(array, dtype=np.int32)


def shares(system: str, spec: Any, vertex_count: int) -> dict[str, np.ndarray]:
    """Vertex weights of every weighted field of a spec, (n,) float64 each, 1 where not given; raises SpecError."""
    known = weighted_params(type(spec))
    found = {name: np.ones(vertex_count) for name in known}
    for name, value in (spec.weights or {}).items():
        if name not in known:
            raise SpecError(system, "weights", name, "one of " + ", ".join(known))
        share = np.asarray(value, dtype=np.float64)
        if share.shape != (vertex_count,):
            raise SpecError(system, f"weights of {name}", f"shape {share.shape}", f"({vertex_count},), one a vertex")
        bad = np.flatnonzero(~((share >= 0.0) & (share <= 1.0)))
        if len(bad):
            raise SpecError(system, f"weights of {name}", f"{share[bad[0]]} at vertex {bad[0]}", "shares from 0 to 1")
        found[name] = share
    return found
