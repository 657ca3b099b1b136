"""Air pushes rows four at a time: the vector twin of `constraints.volume.push_apart`, with the same bits.

Rows of a piece stand side by side unless several hollow bodies are tied into one piece, so gradients, which are rows of
four as well, meet them without a gather. Where they do not stand so, the plain loop does it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ..constraints.volume import push_rows
from ..jit import kernel, parallel_kernel, prange
from .lanes import I64, ROWS, Lanes, is_row_array


@intrinsic
def push_four(typing_context, rows, gradient, scale, row, place):
    """x += scale w dV/dx of four rows; gradients have nought in their last column."""
    if not (is_row_array(rows) and is_row_array(gradient)):
        return None
    return types.void(rows, gradient, types.float64, types.int64, types.int64), _push_four


def _push_four(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    rows, gradient = (
        lanes.pointer(kind, array) for kind, array in zip(signature.args[:2], arguments[:2], strict=True)
    )
    scale, row, place = arguments[2:]
    first, second = (builder.shl(start, ir.Constant(I64, 2)) for start in (row, place))
    here = lanes.load(rows, first)
    slope = lanes.widen(lanes.load(gradient, second))
    share = lanes.mul(lanes.spread(scale), lanes.widen(lanes.row_component(here, 3)))
    there = lanes.narrow(lanes.add(lanes.widen(here), lanes.mul(share, slope)))
    lanes.store(there, rows, first)
    return context.get_dummy_value()


@kernel
def _stand_side_by_side(ids, first, stop):
    """Whether the rows ids[first : stop], which ascend, follow one another."""
    return stop > first and ids[stop - 1] - ids[first] == stop - 1 - first


@parallel_kernel
def push_apart(rows, reached, began, ids, block_start, block_part, gradient, push, still):
    """As `constraints.volume.push_apart`."""
    for block in prange(block_start.shape[0] - 1):
        scale = push[block_part[block]]
        without = still[block_part[block]]
        if scale != 0.0:
            first = block_start[block]
            stop = block_start[block + 1]
            if without == 0.0 and _stand_side_by_side(ids, first, stop):
                row = ids[first] - first
                fours = (stop - first) // ROWS
                for four in range(fours):
                    place = first + ROWS * four
                    push_four(rows, gradient, scale, row + place, place)
                first += ROWS * fours
            push_rows(rows, reached, began, ids, first, stop, gradient, scale, without)
