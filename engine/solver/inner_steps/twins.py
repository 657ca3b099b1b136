"""Kernels that exist twice: as vector code for single precision and as plain kernels for double precision.

The one to call is chosen by the type of its arguments, when the caller is compiled.
"""

from __future__ import annotations

from typing import Any

from numba.core import types

from ...compiler.choice import chosen_by
from ..constraints import bending, distance, local
from ..constraints import drift as plain_drift
from ..constraints.contact import contacts as holding
from ..constraints.gas import volume as gas
from ..constraints.solid import cells as solid
from ..vector import air as vector_air
from ..vector import bending as vector_bending
from ..vector import cells as vector_solid
from ..vector import contacts as vector_holding
from ..vector import distance as vector
from ..vector import drift as vector_drift
from ..vector import ends as vector_ends
from ..vector import span as vector_span
from ..vector.ir.writer import field_type


def _is_single(rows: Any) -> bool:
    """Whether the type of a `MovingRows` is of single precision."""
    return field_type(rows, "moved").dtype == types.float32


@chosen_by(lambda moved, *_: (vector if moved.dtype == types.float32 else distance).relax)
def relax(moved: Any, springs: Any, g: Any) -> None:
    """By the precision of `moved`."""


@chosen_by(lambda moved, *_: (vector_bending if moved.dtype == types.float32 else bending).relax_hinges)
def relax_hinges(moved: Any, hinges: Any, g: Any) -> None:
    """As `relax`."""


@chosen_by(lambda moved, *_: (vector if moved.dtype == types.float32 else distance).follow_lengths)
def follow_lengths(moved: Any, springs: Any, g: Any) -> None:
    """As `relax`."""


@chosen_by(lambda at, springs, *_: (
    vector_span if field_type(springs, "base").dtype == types.float32 else distance
).span)
def span(at: Any, springs: Any, g: Any) -> None:
    """By the precision of `springs.base`."""


@chosen_by(lambda rows, *_: (vector_drift if _is_single(rows) else plain_drift).drift)
def drift(rows: Any, blocks: Any, islands: Any, g: Any, h: Any) -> None:
    """By the precision of `rows.moved`."""


@chosen_by(lambda rows, *_: (vector_solid if _is_single(rows) else solid).relax_cells)
def relax_cells(rows: Any, cells: Any, g: Any) -> None:
    """As `drift`."""


@chosen_by(lambda rows, *_: (vector_drift if _is_single(rows) else gas).drift_and_change)
def drift_and_change(rows: Any, blocks: Any, islands: Any, g: Any, h: Any, air: Any) -> None:
    """As `drift`."""


@chosen_by(lambda rows, *_: (vector_air if _is_single(rows) else gas).push_apart)
def push_apart(rows: Any, air: Any, parts: Any, g: Any) -> None:
    """As `drift`."""


@chosen_by(lambda rows, *_: (vector_holding if _is_single(rows) else holding).hold_apart)
def hold_apart(rows: Any, contacts: Any, islands: Any, g: Any, done: Any, left: Any, h: Any) -> None:
    """As `drift`."""


@chosen_by(lambda rows, *_: (vector_ends if _is_single(rows) else local).settle)
def settle(rows: Any, blocks: Any, islands: Any, g: Any, h: Any, mass: Any, sums: Any) -> None:
    """As `drift`."""


@chosen_by(lambda *args: (vector_air if args[5].dtype == types.float32 else gas).triangle_normals)
def triangle_normals(
    rows: Any, blocks: Any, triangles: Any, block_start: Any, block_origin: Any, normal: Any, volume: Any
) -> None:
    """By the precision of `normal`."""


@chosen_by(lambda *args: (vector_air if args[7].dtype == types.float32 else gas).vertex_gradients)
def vertex_gradients(
    rows: Any, blocks: Any, ids: Any, normal: Any, corner_start: Any, corners: Any, block_start: Any, gradient: Any,
    weight: Any,
) -> None:
    """By the precision of `gradient`."""
