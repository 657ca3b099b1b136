"""Kernels that exist twice: as vector code for single precision and as plain kernels for double precision.

The one to call is chosen by the type of its arguments, when the caller is compiled.
"""

from __future__ import annotations

from typing import Any

from ...compiler.choice import twins
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


def _of_moved(moved: Any, *_: Any) -> Any:
    return moved.dtype


def _of_rows(rows: Any, *_: Any) -> Any:
    return field_type(rows, "moved").dtype


relax = twins(vector.relax, distance.relax, _of_moved)
relax_hinges = twins(vector_bending.relax_hinges, bending.relax_hinges, _of_moved)
follow_lengths = twins(vector.follow_lengths, distance.follow_lengths, _of_moved)
span = twins(vector_span.span, distance.span, lambda _at, springs, *_: field_type(springs, "base").dtype)
drift = twins(vector_drift.drift, plain_drift.drift, _of_rows)
relax_cells = twins(vector_solid.relax_cells, solid.relax_cells, _of_rows)
drift_and_change = twins(vector_drift.drift_and_change, gas.drift_and_change, _of_rows)
push_apart = twins(vector_air.push_apart, gas.push_apart, _of_rows)
hold_apart = twins(vector_holding.hold_apart, holding.hold_apart, _of_rows)
settle = twins(vector_ends.settle, local.settle, _of_rows)
# Chosen by the type of the normals and of the gradients, which they write.
triangle_normals = twins(vector_air.triangle_normals, gas.triangle_normals, lambda *types: types[5].dtype)
vertex_gradients = twins(vector_air.vertex_gradients, gas.vertex_gradients, lambda *types: types[7].dtype)
