"""Moving on by speed, four rows at a time: the vector twin of `constraints.local.drift`, alone and with air."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ...compiler.kernels import kernel, parallel_kernel, prange
from ..constraints.local import drift_row
from .air import change_of_block, stand_side_by_side
from .ir.lanes import I64, ROWS, Lanes, is_row_array
from .ir.writer import FLAGS


@intrinsic
def drift_four(typing_context, moved, reached, began, speed, dv_per_step, dv_gradient, h, per_h, row):
    """Four rows from `row` on, see `constraints.local.drift`; the last column stays as it is."""
    if not is_row_array(moved):
        return None
    number = types.float32
    signature = types.void(moved, reached, began, speed, dv_per_step, dv_gradient, number, number, types.int64)
    return signature, _drift_four


def _drift_four(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    moved, reached, began, speed, dv_per_step, dv_gradient = (
        lanes.pointer(kind, array) for kind, array in zip(signature.args[:6], arguments[:6], strict=True)
    )
    h, per_h = (lanes.spread(number) for number in arguments[6:8])
    place = builder.shl(arguments[8], ir.Constant(I64, 2))
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
def drift(moved, reached, began, speed, dv_per_step, dv_gradient, h):
    """As `constraints.local.drift`."""
    per_h = moved.dtype.type(1.0) / h
    fours = moved.shape[0] // ROWS
    for four in prange(fours):
        drift_four(moved, reached, began, speed, dv_per_step, dv_gradient, h, per_h, ROWS * four)
    for r in range(fours * ROWS, moved.shape[0]):
        drift_row(moved, reached, began, speed, dv_per_step, dv_gradient, h, per_h, r)


@parallel_kernel
def drift_and_change(
    moved, reached, began, speed, dv_per_step, dv_gradient, h, ids, block_start, gradient, change, others,
):
    """As `gas.volume.drift_and_change`, while a block's rows are still in the innermost cache.

    Args: ids ... change: see there; others: (k, 2) ranges of the rows that are in no block.
    """
    per_h = moved.dtype.type(1.0) / h
    blocks = block_start.shape[0] - 1
    for task in prange(blocks + others.shape[0]):
        if task >= blocks:
            first = others[task - blocks, 0]
            stop = others[task - blocks, 1]
            _drift_range(moved, reached, began, speed, dv_per_step, dv_gradient, h, per_h, first, stop)
        else:
            first = block_start[task]
            stop = block_start[task + 1]
            if stand_side_by_side(ids, first, stop):
                row = ids[first]
                _drift_range(moved, reached, began, speed, dv_per_step, dv_gradient, h, per_h, row, row + stop - first)
            else:
                for q in range(first, stop):
                    drift_row(moved, reached, began, speed, dv_per_step, dv_gradient, h, per_h, ids[q])
            change_of_block(moved, began, ids, first, stop, gradient, change, task)


@kernel
def _drift_range(moved, reached, began, speed, dv_per_step, dv_gradient, h, per_h, first, stop):
    fours = (stop - first) // ROWS
    for four in range(fours):
        drift_four(moved, reached, began, speed, dv_per_step, dv_gradient, h, per_h, first + ROWS * four)
    for r in range(first + fours * ROWS, stop):
        drift_row(moved, reached, began, speed, dv_per_step, dv_gradient, h, per_h, r)
