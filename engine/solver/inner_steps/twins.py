"""Kernels that exist twice: as vector code for single precision and as plain kernels for double precision.

The one to call is chosen by the type of its arguments, when the caller is compiled.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import overload

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


def relax(moved: Any, springs: Any, g: Any) -> None:
    """By the precision of `moved`."""


def relax_hinges(moved: Any, hinges: Any, g: Any) -> None:
    """As `relax`."""


def relax_cells(rows: Any, cells: Any, g: Any) -> None:
    """As `drift`."""


def drift(rows: Any, blocks: Any, islands: Any, g: Any, h: Any) -> None:
    """By the precision of `rows.moved`."""


def follow_lengths(moved: Any, springs: Any, g: Any) -> None:
    """As `relax`."""


def span(at: Any, springs: Any, g: Any) -> None:
    """By the precision of `springs.base`."""


def drift_and_change(rows: Any, blocks: Any, islands: Any, g: Any, h: Any, air: Any) -> None:
    """As `drift`."""


def push_apart(rows: Any, air: Any, parts: Any, g: Any) -> None:
    """As `drift`."""


def hold_apart(rows: Any, contacts: Any, islands: Any, g: Any, done: Any, left: Any, h: Any) -> None:
    """As `drift`."""


def settle(rows: Any, blocks: Any, islands: Any, g: Any, h: Any, mass: Any, sums: Any) -> None:
    """As `drift`."""


def _is_single(rows: Any) -> bool:
    """Whether the type of a `MovingRows` is of single precision."""
    return field_type(rows, "moved").dtype == types.float32


@overload(relax_cells)
def _choose_cells(rows, cells, g) -> Any:
    law = (vector_solid if _is_single(rows) else solid).relax_cells
    return lambda rows, cells, g: law(rows, cells, g)


@overload(drift_and_change)
def _choose_change(rows, blocks, islands, g, h, air) -> Any:
    law = (vector_drift if _is_single(rows) else gas).drift_and_change
    return lambda rows, blocks, islands, g, h, air: law(rows, blocks, islands, g, h, air)


@overload(push_apart)
def _choose_push(rows, air, parts, g) -> Any:
    law = (vector_air if _is_single(rows) else gas).push_apart
    return lambda rows, air, parts, g: law(rows, air, parts, g)


@overload(drift)
def _choose_drift(rows, blocks, islands, g, h) -> Any:
    law = (vector_drift if _is_single(rows) else plain_drift).drift
    return lambda rows, blocks, islands, g, h: law(rows, blocks, islands, g, h)


@overload(hold_apart)
def _choose_hold(rows, contacts, islands, g, done, left, h) -> Any:
    law = (vector_holding if _is_single(rows) else holding).hold_apart
    return lambda rows, contacts, islands, g, done, left, h: law(rows, contacts, islands, g, done, left, h)


@overload(relax)
def _choose_relax(moved, springs, g) -> Any:
    law = (vector if moved.dtype == types.float32 else distance).relax
    return lambda moved, springs, g: law(moved, springs, g)


@overload(settle)
def _choose_settle(rows, blocks, islands, g, h, mass, sums) -> Any:
    law = (vector_ends if _is_single(rows) else local).settle
    return lambda rows, blocks, islands, g, h, mass, sums: law(rows, blocks, islands, g, h, mass, sums)


@overload(relax_hinges)
def _choose_hinges(moved, hinges, g) -> Any:
    law = (vector_bending if moved.dtype == types.float32 else bending).relax_hinges
    return lambda moved, hinges, g: law(moved, hinges, g)


@overload(follow_lengths)
def _choose_follow(moved, springs, g) -> Any:
    law = (vector if moved.dtype == types.float32 else distance).follow_lengths
    return lambda moved, springs, g: law(moved, springs, g)


@overload(span)
def _choose_span(at, springs, g) -> Any:
    law = (vector_span if field_type(springs, "base").dtype == types.float32 else distance).span
    return lambda at, springs, g: law(at, springs, g)


def triangle_normals(air: Any, at: Any, blocks: Any, surface: Any) -> None:
    """By the precision of `air.gradient`."""


def vertex_gradients(air: Any, at: Any, blocks: Any, surface: Any) -> None:
    """As `triangle_normals`."""


def _twin(air: Any) -> Any:
    return vector_air if field_type(air, "gradient").dtype == types.float32 else gas


@overload(triangle_normals)
def _choose_normals(air, at, blocks, surface) -> Any:
    law = _twin(air).triangle_normals
    return lambda air, at, blocks, surface: law(
        at, blocks, surface.triangles, surface.block_start, surface.block_origin, surface.normal, surface.tri_value
    )


@overload(vertex_gradients)
def _choose_gradients(air, at, blocks, surface) -> Any:
    law = _twin(air).vertex_gradients
    return lambda air, at, blocks, surface: law(
        at, blocks, air.ids, surface.normal, surface.corner_start, surface.corners, air.block_start, air.gradient,
        surface.id_value,
    )
