"""Distance constraints, sixteen at a time: the vector twins of `constraints.distance`."""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import intrinsic

from ..jit import kernel, parallel_kernel, prange
from .lanes import FLAGS, LANES, Lanes, is_row_array

# Two ends closer than this have no direction [m]; single precision has room for its square.
SHORTEST = 1e-12


@intrinsic(prefer_literal=True)
def relax_sixteen(typing_context, moved, i, j, base, rest, kappa, gain, lam, place, back):
    """Project the springs place : place + 16, of which no two share a particle.

    `back` is a literal: there, lam counts from nought, back it goes on from what there is.
    """
    if not is_row_array(moved) or not isinstance(back, types.BooleanLiteral):
        return None
    signature = types.void(moved, i, j, base, rest, kappa, gain, lam, types.int64, back)
    return signature, _relax_back if back.literal_value else _relax_there


def _relax_there(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return _relax_sixteen(context, builder, signature, arguments, False)


def _relax_back(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return _relax_sixteen(context, builder, signature, arguments, True)


def _relax_sixteen(context: Any, builder: Any, signature: Any, arguments: Any, back: bool) -> Any:
    lanes = Lanes(context, builder)
    moved, i, j, base, rest, kappa, gain, lam = (
        lanes.pointer(kind, array) for kind, array in zip(signature.args[:8], arguments[:8], strict=True)
    )
    place = arguments[8]
    at_i, at_j = (lanes.row_addresses(moved, ids, place) for ids in (i, j))
    row_i, row_j = lanes.load_rows(at_i), lanes.load_rows(at_j)
    apart, length = _lengths(lanes, row_i, row_j, lanes.load_four(base, place))
    force = lanes.mul(lanes.load(kappa, place), lanes.sub(length, lanes.load(rest, place)))
    real = builder.fcmp_ordered(">", length, lanes.constant(SHORTEST), flags=FLAGS)
    if back:
        applied = lanes.load(lam, place)
        step = lanes.mul(lanes.load(gain, place), lanes.add(force, applied))
        step = builder.select(real, step, lanes.constant(0.0))
        lanes.store(lanes.sub(applied, step), lam, place)
    else:
        step = builder.select(real, lanes.mul(lanes.load(gain, place), force), lanes.constant(0.0))
        lanes.store(lanes.sub(lanes.constant(0.0), step), lam, place)
    share = lanes.div(step, builder.select(real, length, lanes.constant(1.0)))
    moves = [lanes.mul(part, row) for part, row in zip(lanes.to_rows(share), apart, strict=True)]
    new_i = [lanes.sub(row, lanes.mul(lanes.row_component(row, 3), move))
             for row, move in zip(row_i, moves, strict=True)]
    new_j = [lanes.add(row, lanes.mul(lanes.row_component(row, 3), move))
             for row, move in zip(row_j, moves, strict=True)]
    lanes.store_rows(new_i, at_i)
    lanes.store_rows(new_j, at_j)
    return context.get_dummy_value()


def _lengths(lanes: Lanes, row_i: list[Any], row_j: list[Any], base: list[Any]) -> tuple[list[Any], Any]:
    """Rows of x_i - x_j and the sixteen distances."""
    apart = [lanes.add(c, lanes.sub(a, b)) for a, b, c in zip(row_i, row_j, base, strict=True)]
    dx, dy, dz = (lanes.column(apart, component) for component in range(3))
    square = lanes.add(lanes.mul(dx, dx), lanes.add(lanes.mul(dy, dy), lanes.mul(dz, dz)))
    return apart, lanes.sqrt(square)


@parallel_kernel
def relax(moved, i, j, base, rest, kappa, gain, back_gain, lam, task_start, stage_start):
    """All springs once forward and once backward; arguments as in `constraints.distance.relax`."""
    stages = stage_start.shape[0] - 1
    for turn in range(2 * stages):
        back = turn >= stages
        stage = 2 * stages - 1 - turn if back else turn
        for task in prange(stage_start[stage], stage_start[stage + 1]):
            _relax_task(
                moved, i, j, base, rest, kappa, back_gain if back else gain, lam, task_start[task],
                task_start[task + 1], back,
            )


@kernel
def _relax_task(moved, i, j, base, rest, kappa, gain, lam, start, stop, back):
    if back:
        for block in range(start, stop):
            relax_sixteen(moved, i, j, base, rest, kappa, gain, lam, (start + stop - 1 - block) * LANES, True)
    else:
        for block in range(start, stop):
            relax_sixteen(moved, i, j, base, rest, kappa, gain, lam, block * LANES, False)


@intrinsic
def follow_sixteen(typing_context, moved, i, j, base, still, follow, rest, place):
    """rest = still + follow |x_i - x_j| for the springs place : place + 16."""
    if not is_row_array(moved):
        return None
    return types.void(moved, i, j, base, still, follow, rest, types.int64), _follow_sixteen


def _follow_sixteen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    moved, i, j, base, still, follow, rest = (
        lanes.pointer(kind, array) for kind, array in zip(signature.args[:7], arguments[:7], strict=True)
    )
    place = arguments[7]
    rows = (lanes.load_rows(lanes.row_addresses(moved, ids, place)) for ids in (i, j))
    _apart, length = _lengths(lanes, *rows, lanes.load_four(base, place))
    lanes.store(lanes.add(lanes.load(still, place), lanes.mul(lanes.load(follow, place), length)), rest, place)
    return context.get_dummy_value()


@parallel_kernel
def follow_lengths(moved, i, j, base, still, follow, rest):
    """rest = still + follow |x_i - x_j|; as `constraints.distance.follow_lengths`."""
    for block in prange(rest.shape[0] // LANES):
        follow_sixteen(moved, i, j, base, still, follow, rest, block * LANES)
