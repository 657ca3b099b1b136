"""Sums over a fluid's neighbours, sixteen particles at a time; the numpy twin is in `tests/fluid/fluid_naive.py`.

The smoothing kernel is Wendland's C2 function of q = r / support < 1, with t = 1 - q:

    W = 21 / (2 pi support^3) t^4 (1 + 4 q)        grad W = -20 / support^2 * 21 / (2 pi support^3) t^3 d

with d from the neighbour to the particle. Its gradient needs no division by the distance. Beyond the support t = 0, so
the lists may contain particles that are farther away. Wendland 1995; Dehnen and Aly 2012, "Improving convergence in
smoothed particle hydrodynamics simulations without pairing instability".
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from .gather import end_of, place_of, slots
from .ir.lanes import I64, LANES, Lanes, is_row_array

# Particles closer than this define no direction [m]; the kernel needs none.
NEAREST = 1e-12
# Neighbour lists are prefetched this many slots ahead: they exceed the caches, and each pass reads them once.
SLOTS_AHEAD = 96
# Number of rows of `sums` that each pass fills.
DENSITY_SUMS, MOTION_SUMS, SHIFT_SUMS = 5, 3, 3


@intrinsic
def sum_density(typing_context, rows, blocks, per_support, sums, block, part):
    """Sums over the neighbours of a block's particles, into the first five rows of `sums` (s, 16 m).

    sum t^4 (1 + 4 q); sum t^3 d (three rows) [m]; sum (t^3 r)^2 [m²].

    Args:
        rows: (p, 4) float32, positions [m] in the first three columns.
        blocks: see `neighbors.Blocks`; per_support: float32 [1/m].
        sums: out, from column 16 `part` on.
    """
    if not is_row_array(rows):
        return None
    return types.void(rows, blocks, types.float32, sums, types.int64, types.int64), _sum_density


def _sum_density(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    rows, per_support, block = lanes.pointer(signature.args[0], arguments[0]), lanes.spread(arguments[2]), arguments[4]
    blocks = _block(lanes, signature.args[1], arguments[1], block)
    totals = lanes.running_sums(DENSITY_SUMS)
    with _neighbors(lanes, rows, blocks) as (pair, _own, _place):
        nearness, cube, square = _weigh(lanes, pair, per_support)
        bulge = lanes.sub(lanes.constant(5.0), lanes.mul(lanes.constant(4.0), nearness))
        lanes.accumulate(totals[0], lanes.mul(lanes.mul(cube, nearness), bulge))
        for total, part in zip(totals[1:4], pair, strict=True):
            lanes.accumulate(total, lanes.mul(cube, part))
        lanes.accumulate(totals[4], lanes.mul(lanes.mul(cube, cube), square))
    _store(lanes, signature.args[3], arguments[3], totals, arguments[5], 0)
    return context.get_dummy_value()


@intrinsic
def sum_motion(typing_context, rows, speeds, blocks, per_support, sums, block, part):
    """Sums of (c_i + c_j) / 2 t^4 (1 + 4 q) (v_j - v_i) [m/s] into three rows of `sums`, from the sixth on.

    Args: speeds: (p, 4) float32, v [m/s] and c.
    """
    if not (is_row_array(rows) and is_row_array(speeds)):
        return None
    return types.void(rows, speeds, blocks, types.float32, sums, types.int64, types.int64), _sum_motion


def _sum_motion(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    rows, speeds = (lanes.pointer(signature.args[k], arguments[k]) for k in range(2))
    per_support, block = lanes.spread(arguments[3]), arguments[5]
    blocks = _block(lanes, signature.args[2], arguments[2], block)
    own = _own_rows(lanes, speeds, blocks)
    totals = lanes.running_sums(MOTION_SUMS)
    with _neighbors(lanes, rows, blocks) as (pair, _there, place):
        nearness, cube, _square = _weigh(lanes, pair, per_support)
        bulge = lanes.sub(lanes.constant(5.0), lanes.mul(lanes.constant(4.0), nearness))
        there = lanes.columns(lanes.row_addresses(speeds, blocks.neighbor, place))
        mean_c = lanes.mul(lanes.constant(0.5), lanes.add(own[3], there[3]))
        weight = lanes.mul(lanes.mul(lanes.mul(cube, nearness), bulge), mean_c)
        for total, theirs, ours in zip(totals, there[:3], own[:3], strict=True):
            lanes.accumulate(total, lanes.mul(weight, lanes.sub(theirs, ours)))
    _store(lanes, signature.args[4], arguments[4], totals, arguments[6], DENSITY_SUMS)
    return context.get_dummy_value()


@intrinsic
def sum_shift(typing_context, rows, blocks, per_support, sums, block, part):
    """Sums of (a_i + a_j) t^3 d into the first three rows of `sums`; a is the fourth column of the rows."""
    if not is_row_array(rows):
        return None
    return types.void(rows, blocks, types.float32, sums, types.int64, types.int64), _sum_shift


def _sum_shift(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    rows, per_support, block = lanes.pointer(signature.args[0], arguments[0]), lanes.spread(arguments[2]), arguments[4]
    blocks = _block(lanes, signature.args[1], arguments[1], block)
    own = _own_rows(lanes, rows, blocks)
    totals = lanes.running_sums(SHIFT_SUMS)
    with _neighbors(lanes, rows, blocks) as (pair, there, _place):
        _nearness, cube, _square = _weigh(lanes, pair, per_support)
        factor = lanes.mul(cube, lanes.add(own[3], there[3]))
        for total, part in zip(totals, pair, strict=True):
            lanes.accumulate(total, lanes.mul(factor, part))
    _store(lanes, signature.args[3], arguments[3], totals, arguments[5], 0)
    return context.get_dummy_value()


class _Block(NamedTuple):
    """IR values of a block: index of its first row, array of neighbours, first slot, and the slot after the last."""

    row: Any
    neighbor: Any
    first: Any
    stop: Any


def _block(lanes: Lanes, kind: Any, fields: Any, block: Any) -> _Block:
    start, slot_start, neighbor = lanes.field_pointers(kind, fields, ("start", "slot_start", "neighbor"))
    row = lanes.builder.sext(lanes.item(start, block), I64)
    return _Block(row, neighbor, lanes.item(slot_start, block), end_of(lanes.builder, slot_start, block))


def _own_rows(lanes: Lanes, rows: Any, block: _Block) -> list[Any]:
    """Columns of sixteen rows from a block's first one on."""
    first, kind = lanes.builder.shl(block.row, ir.Constant(I64, 2)), ir.VectorType(rows.type.pointee, 4)
    return lanes.columns([
        lanes._vector_at(rows, lanes.builder.add(first, ir.Constant(I64, 4 * lane)), kind) for lane in range(LANES)
    ])


@contextmanager
def _neighbors(lanes: Lanes, rows: Any, block: _Block) -> Iterator[tuple[list[Any], list[Any], Any]]:
    """Loop over a block's slots: d of sixteen pairs, columns of the neighbours, and the place of their indices."""
    own = _own_rows(lanes, rows, block)
    with slots(lanes.builder, block.first, block.stop) as slot:
        place = place_of(lanes.builder, slot)
        lanes.fetch(block.neighbor, lanes.builder.add(place, ir.Constant(I64, LANES * SLOTS_AHEAD)))
        there = lanes.columns(lanes.row_addresses(rows, block.neighbor, place))
        yield [lanes.sub(ours, theirs) for ours, theirs in zip(own[:3], there[:3], strict=True)], there, place


def _weigh(lanes: Lanes, pair: list[Any], per_support: Any) -> tuple[Any, Any, Any]:
    """t, t^3 and r^2 of sixteen pairs."""
    square = lanes.square(pair)
    q = lanes.mul(lanes.mul(square, lanes.inverse_root(square, NEAREST)), per_support)
    nearness = lanes.sub(lanes.constant(1.0), q)
    is_near = lanes.builder.fcmp_ordered(">", nearness, lanes.constant(0.0))
    nearness = lanes.builder.select(is_near, nearness, lanes.constant(0.0))
    return nearness, lanes.mul(nearness, lanes.mul(nearness, nearness)), square


def _store(lanes: Lanes, kind: Any, array: Any, totals: list[Any], part: Any, first: int) -> None:
    """Store running sums in rows of an array (s, 16 m), from row `first` and column 16 `part` on."""
    builder, sums, length = lanes.builder, lanes.pointer(kind, array), lanes.extent(kind, array, 1)
    place = builder.add(builder.shl(part, ir.Constant(I64, 4)), builder.mul(length, ir.Constant(I64, first)))
    lanes.store_column_parts([builder.load(total) for total in totals], sums, length, place)
