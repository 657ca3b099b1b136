"""Moving on by speed, four rows at a time: the vector twin of `constraints.local.drift`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ..constraints.local import drift_row
from ..jit import parallel_kernel, prange
from .lanes import I64, LANES, ROWS, Lanes, is_row_array
from .writer import FLAGS


@intrinsic
def drift_four(typing_context, moved, reached, began, speed, gust, slope, h, per_h, block):
    """The rows of a block, see `constraints.local.drift`; the last column stays as it is."""
    if not is_row_array(moved):
        return None
    return types.void(moved, reached, began, speed, gust, slope, types.float32, types.float32, types.int64), _drift_four


def _drift_four(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    moved, reached, began, speed, gust, slope = (
        lanes.pointer(kind, array) for kind, array in zip(signature.args[:6], arguments[:6], strict=True)
    )
    h, per_h = (lanes.spread(number) for number in arguments[6:8])
    place = builder.mul(arguments[8], ir.Constant(I64, LANES))
    here, none = lanes.load(moved, place), lanes.constant(0.0)
    is_free = builder.fcmp_ordered(">", lanes.row_component(here, 3), none, flags=FLAGS)
    corrected = builder.select(is_free, lanes.sub(here, lanes.load(reached, place)), none)
    gained = lanes.add(lanes.load(gust, place), lanes.mul(lanes.load(slope, place), lanes.row_component(here, 2)))
    v = lanes.add(lanes.add(lanes.load(speed, place), lanes.mul(corrected, per_h)), gained)
    there = lanes.add(here, lanes.mul(h, v))
    for value, array in ((v, speed), (here, began), (there, moved), (there, reached)):
        lanes.store(value, array, place)
    return context.get_dummy_value()


@parallel_kernel
def drift(moved, reached, began, speed, gust, slope, h):
    """As `constraints.local.drift`."""
    per_h = moved.dtype.type(1.0) / h
    blocks = moved.shape[0] // ROWS
    for block in prange(blocks):
        drift_four(moved, reached, began, speed, gust, slope, h, per_h, block)
    for r in range(blocks * ROWS, moved.shape[0]):
        drift_row(moved, reached, began, speed, gust, slope, h, per_h, r)
