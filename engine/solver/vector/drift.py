"""Unconstrained motion of an inner step, four rows at a time: the vector twin of `constraints.drift.drift`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ...compiler.kernels import kernel, parallel_kernel, prange
from ..constraints.drift import drift_row
from .air import are_consecutive, change_of_block
from .ir.lanes import I64, ROWS, Lanes, is_row_array
from .ir.writer import FLAGS, field_type


@intrinsic
def drift_four(typing_context, rows, h, per_h, row):
    """Four rows of `MovingRows` from `row` on, see `constraints.drift.drift`; the last column is unchanged."""
    if not is_row_array(field_type(rows, "moved")):
        return None
    number = types.float32
    return types.void(rows, number, number, types.int64), _drift_four


def _drift_four(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    moved, reached, began, speed, dv_per_step, dv_gradient = lanes.field_pointers(
        signature.args[0], arguments[0], ("moved", "reached", "began", "speed", "dv_per_step", "dv_gradient")
    )
    h, per_h = (lanes.spread(number) for number in arguments[1:3])
    place = builder.shl(arguments[3], ir.Constant(I64, 2))
    here, none = lanes.load(moved, place), lanes.constant(0.0)
    is_free = builder.fcmp_ordered(">", lanes.row_component(here, 3), none, flags=FLAGS)
    corrected = builder.select(is_free, lanes.sub(here, lanes.load(reached, place)), none)
    gained = lanes.add(
        lanes.load(dv_per_step, place), lanes.mul(lanes.load(dv_gradient, place), lanes.row_component(here, 2))
    )
    v = lanes.add(lanes.add(lanes.load(speed, place), lanes.mul(corrected, per_h)), gained)
    there = lanes.add(here, lanes.mul(h, v))
    for value, array in ((v, speed), (here, began), (there, moved), (there, reached)):
        lanes.store(value, array, place)
    return context.get_dummy_value()


@parallel_kernel
def drift(rows, blocks, islands, g, h):
    """As `constraints.drift.drift`."""
    per_h = rows.moved.dtype.type(1.0) / h
    own = islands.block
    start = blocks.start
    for place in prange(islands.block_start[g], islands.block_start[g + 1]):
        _drift_range(rows, h, per_h, start[own[place]], start[own[place] + 1])


@parallel_kernel
def drift_and_change(rows, blocks, islands, g, h, air):
    """As `gas.volume.drift_and_change`, in one loop, while a block's rows are still in the first-level cache."""
    per_h = rows.moved.dtype.type(1.0) / h
    begin = air.of_blocks[g]
    count = air.of_blocks[g + 1] - begin
    dry = air.of_others[g] - count
    for task in prange(air.of_others[g + 1] - dry):
        if task >= count:
            other = air.other[dry + task]
            _drift_range(rows, h, per_h, air.others[other, 0], air.others[other, 1])
        else:
            block = air.block[begin + task]
            first = air.block_start[block]
            stop = air.block_start[block + 1]
            if are_consecutive(air.ids, first, stop):
                row = air.ids[first]
                _drift_range(rows, h, per_h, row, row + stop - first)
            else:
                for q in range(first, stop):
                    drift_row(rows, h, per_h, air.ids[q])
            change_of_block(rows.moved, rows.began, air.ids, first, stop, air.gradient, air.change, block)


@kernel
def _drift_range(rows, h, per_h, first, stop):
    fours = (stop - first) // ROWS
    for four in range(fours):
        drift_four(rows, h, per_h, first + ROWS * four)
    for r in range(first + fours * ROWS, stop):
        drift_row(rows, h, per_h, r)
