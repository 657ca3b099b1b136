"""Distance constraints, sixteen at a time: the vector twin of `constraints.distance.relax`."""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import intrinsic

from ..jit import kernel, parallel_kernel, prange
from .lanes import FLAGS, Lanes, is_row_array

# Two ends closer than this have no direction [m]; single precision has room for its square.
SHORTEST = 1e-12


@intrinsic
def relax_sixteen(typing_context, rows, i, j, rest, kappa, gain, lam, place, over):
    """Project the springs place : place + 16, of which no two share a particle.

    d_lam = -over gain (kappa (|x_i - x_j| - rest) + lam), gain = 1 / (kappa (w_i + w_j) + 1)
    x_i += w_i n d_lam,  x_j -= w_j n d_lam
    """
    if not is_row_array(rows):
        return None
    signature = types.void(rows, i, j, rest, kappa, gain, lam, types.int64, types.float32)
    return signature, _relax_sixteen


def _relax_sixteen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    rows, i, j, rest, kappa, gain, lam = (
        lanes.pointer(kind, array) for kind, array in zip(signature.args[:7], arguments[:7], strict=True)
    )
    place, over = arguments[7], lanes.spread(arguments[8])
    at_i, at_j = (lanes.row_addresses(rows, ids, place) for ids in (i, j))
    row_i, row_j = lanes.load_rows(at_i), lanes.load_rows(at_j)
    apart, length = _lengths(lanes, row_i, row_j)
    stretch = lanes.sub(length, lanes.load(rest, place))
    applied = lanes.load(lam, place)
    force = lanes.add(lanes.mul(lanes.load(kappa, place), stretch), applied)
    step = lanes.mul(lanes.mul(over, lanes.load(gain, place)), force)
    real = builder.fcmp_ordered(">", length, lanes.constant(SHORTEST), flags=FLAGS)
    step = builder.select(real, step, lanes.constant(0.0))
    lanes.store(lanes.sub(applied, step), lam, place)
    share = lanes.div(step, builder.select(real, length, lanes.constant(1.0)))
    moves = [lanes.mul(part, row) for part, row in zip(lanes.to_rows(share), apart, strict=True)]
    new_i = [lanes.sub(row, lanes.mul(lanes.row_component(row, 3), move))
             for row, move in zip(row_i, moves, strict=True)]
    new_j = [lanes.add(row, lanes.mul(lanes.row_component(row, 3), move))
             for row, move in zip(row_j, moves, strict=True)]
    lanes.store_rows(new_i, at_i)
    lanes.store_rows(new_j, at_j)
    return context.get_dummy_value()


def _lengths(lanes: Lanes, row_i: list[Any], row_j: list[Any]) -> tuple[list[Any], Any]:
    """Rows of x_i - x_j and the sixteen distances."""
    apart = [lanes.sub(a, b) for a, b in zip(row_i, row_j, strict=True)]
    dx, dy, dz = (lanes.column(apart, component) for component in range(3))
    square = lanes.add(lanes.mul(dx, dx), lanes.add(lanes.mul(dy, dy), lanes.mul(dz, dz)))
    return apart, lanes.sqrt(square)


@parallel_kernel
def relax(rows, i, j, rest, kappa, gain, lam, task_start, stage_start, over):
    """All springs once forward and once backward; arguments as in `constraints.distance.relax`."""
    stages = stage_start.shape[0] - 1
    for turn in range(2 * stages):
        back = turn >= stages
        stage = 2 * stages - 1 - turn if back else turn
        for task in prange(stage_start[stage], stage_start[stage + 1]):
            _relax_task(rows, i, j, rest, kappa, gain, lam, task_start[task], task_start[task + 1], back, over)


@kernel
def _relax_task(rows, i, j, rest, kappa, gain, lam, start, stop, back, over):
    for block in range(start, stop):
        at = start + stop - 1 - block if back else block
        relax_sixteen(rows, i, j, rest, kappa, gain, lam, at * 16, over)


@intrinsic
def follow_sixteen(typing_context, rows, i, j, still, follow, rest, place):
    """rest = still + follow |x_i - x_j| for the springs place : place + 16."""
    if not is_row_array(rows):
        return None
    return types.void(rows, i, j, still, follow, rest, types.int64), _follow_sixteen


def _follow_sixteen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    rows, i, j, still, follow, rest = (
        lanes.pointer(kind, array) for kind, array in zip(signature.args[:6], arguments[:6], strict=True)
    )
    place = arguments[6]
    _apart, length = _lengths(lanes, *(lanes.load_rows(lanes.row_addresses(rows, ids, place)) for ids in (i, j)))
    lanes.store(lanes.add(lanes.load(still, place), lanes.mul(lanes.load(follow, place), length)), rest, place)
    return context.get_dummy_value()


@parallel_kernel
def follow_lengths(rows, i, j, still, follow, rest):
    """rest = still + follow |x_i - x_j|; as `constraints.distance.follow_lengths`."""
    for block in prange(rest.shape[0] // 16):
        follow_sixteen(rows, i, j, still, follow, rest, block * 16)
