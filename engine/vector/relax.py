"""Distance constraints, sixteen at a time: the vector twins of `constraints.distance`."""

from __future__ import annotations

from functools import partial
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ..constraints.distance import BACK
from ..jit import kernel, parallel_kernel, prange
from .lanes import FLAGS, I64, LANES, ROW, Lanes, is_row_array

# Two ends closer than this have no direction [m]; single precision has room for its square.
SHORTEST = 1e-12
# Springs ahead that are fetched from the outer caches: there are more streams than the processor follows by itself,
# and without it springs of 32,000 vertices took twice the time.
AHEAD = 4 * LANES


@intrinsic(prefer_literal=True)
def relax_sixteen(typing_context, moved, i, j, base, goal, kappa, follow, lam, place, back, damped, is_run):
    """Project the springs place : place + 16, of which no two share a particle.

    `back`, `damped` and `is_run` are literals: there, lam counts from nought, back it goes on from what there is, and
    half as far for what is not a dashpot's. In a run (`graph.runs`) sixteen rows follow the first one's on either side.
    """
    literals = back, damped, is_run
    if not (all(isinstance(literal, types.BooleanLiteral) for literal in literals) and is_row_array(moved)):
        return None
    signature = types.void(moved, i, j, base, goal, kappa, follow, lam, types.int64, *literals)
    return signature, _RELAX[tuple(literal.literal_value for literal in literals)]


def _relax_sixteen(
    context: Any, builder: Any, signature: Any, arguments: Any, back: bool = False, damped: bool = False,
    is_run: bool = False,
) -> Any:
    lanes = Lanes(context, builder)
    moved, i, j, base, goal, kappa, follow, lam = (
        lanes.pointer(kind, array) for kind, array in zip(signature.args[:8], arguments[:8], strict=True)
    )
    planes = _planes(lanes, base, lanes.extent(signature.args[3], arguments[3], 1))
    place = arguments[8]
    later = builder.add(place, ir.Constant(I64, -AHEAD if back else AHEAD))
    for stream in (i, j, *planes, goal, kappa, lam, *((follow,) if back and damped else ())):
        lanes.fetch(stream, later)
    load, store = (lanes.load_run, lanes.store_run) if is_run else (lanes.load_quarters, lanes.store_quarters)
    addresses = lanes.run_addresses if is_run else lanes.row_addresses
    at_i, at_j = (addresses(moved, ids, place) for ids in (i, j))
    row_i, row_j = load(at_i), load(at_j)
    apart, length = _lengths(lanes, row_i, row_j, planes, place)
    weight = lanes.transpose([lanes.add(a, b) for a, b in zip(row_i, row_j, strict=True)])[3]
    stiff = lanes.load(kappa, place)
    gain = lanes.div(lanes.constant(1.0), lanes.add(lanes.mul(stiff, weight), lanes.constant(1.0)))
    force = lanes.mul(stiff, lanes.sub(length, lanes.load(goal, place)))
    real = builder.fcmp_ordered(">", length, lanes.constant(SHORTEST), flags=FLAGS)
    if back:
        applied, way = lanes.load(lam, place), lanes.constant(BACK)
        if damped:
            way = lanes.add(way, lanes.mul(lanes.constant(1.0 - BACK), lanes.load(follow, place)))
        step = lanes.mul(lanes.mul(way, gain), lanes.add(force, applied))
        step = builder.select(real, step, lanes.constant(0.0))
        lanes.store(lanes.sub(applied, step), lam, place)
    else:
        step = builder.select(real, lanes.mul(gain, force), lanes.constant(0.0))
        lanes.store(lanes.sub(lanes.constant(0.0), step), lam, place)
    share = lanes.div(step, builder.select(real, length, lanes.constant(1.0)))
    moves = lanes.transpose([*(lanes.mul(share, part) for part in apart), lanes.constant(0.0)])
    new_i = [lanes.sub(row, lanes.mul(lanes.row_component(row, 3), move))
             for row, move in zip(row_i, moves, strict=True)]
    new_j = [lanes.add(row, lanes.mul(lanes.row_component(row, 3), move))
             for row, move in zip(row_j, moves, strict=True)]
    store(new_i, at_i)
    store(new_j, at_j)
    return context.get_dummy_value()


# By (back, damped, is_run).
_RELAX = {
    (back, damped, is_run): partial(_relax_sixteen, back=back, damped=damped, is_run=is_run)
    for back in (False, True) for damped in (False, True) for is_run in (False, True)
}


def _planes(lanes: Lanes, base: Any, count: Any) -> list[Any]:
    """Addresses of the x, y and z of (3, count) vectors."""
    return [lanes.builder.gep(base, [lanes.builder.mul(count, ir.Constant(I64, axis))]) for axis in range(3)]


def _lengths(
    lanes: Lanes, row_i: list[Any], row_j: list[Any], planes: list[Any], place: Any
) -> tuple[list[Any], Any]:
    """x, y and z of x_i - x_j and the sixteen distances."""
    moved = lanes.transpose([lanes.sub(a, b) for a, b in zip(row_i, row_j, strict=True)])
    apart = [lanes.add(lanes.load(plane, place), part) for plane, part in zip(planes, moved[:3], strict=True)]
    return apart, lanes.sqrt(lanes.square(apart))


@parallel_kernel
def relax(moved, i, j, base, goal, kappa, follow, lam, task_start, run_stop, stage_start):
    """All springs once forward and once backward; arguments as in `constraints.distance.relax`."""
    stages = stage_start.shape[0] - 1
    for turn in range(2 * stages - 1):
        stage = min(turn, 2 * stages - 2 - turn)
        # A task of the last stage goes back at once: no other touches its particles in between.
        for task in prange(stage_start[stage], stage_start[stage + 1]):
            start = task_start[task]
            middle = run_stop[task]
            stop = task_start[task + 1]
            if turn < stages:
                _relax_there(moved, i, j, base, goal, kappa, follow, lam, start, middle, stop)
            if turn >= stages - 1:
                if follow.shape[0] > 0:
                    _relax_back_damped(moved, i, j, base, goal, kappa, follow, lam, start, middle, stop)
                else:
                    _relax_back(moved, i, j, base, goal, kappa, follow, lam, start, middle, stop)


@kernel
def _relax_there(moved, i, j, base, goal, kappa, follow, lam, start, middle, stop):
    for block in range(start, middle):
        relax_sixteen(moved, i, j, base, goal, kappa, follow, lam, block * LANES, False, False, True)
    for block in range(middle, stop):
        relax_sixteen(moved, i, j, base, goal, kappa, follow, lam, block * LANES, False, False, False)


@kernel
def _relax_back(moved, i, j, base, goal, kappa, follow, lam, start, middle, stop):
    for block in range(stop - 1, middle - 1, -1):
        relax_sixteen(moved, i, j, base, goal, kappa, follow, lam, block * LANES, True, False, False)
    for block in range(middle - 1, start - 1, -1):
        relax_sixteen(moved, i, j, base, goal, kappa, follow, lam, block * LANES, True, False, True)


@kernel
def _relax_back_damped(moved, i, j, base, goal, kappa, follow, lam, start, middle, stop):
    for block in range(stop - 1, middle - 1, -1):
        relax_sixteen(moved, i, j, base, goal, kappa, follow, lam, block * LANES, True, True, False)
    for block in range(middle - 1, start - 1, -1):
        relax_sixteen(moved, i, j, base, goal, kappa, follow, lam, block * LANES, True, True, True)


@intrinsic
def follow_sixteen(typing_context, moved, i, j, base, rest, follow, goal, place):
    """goal = rest + follow (|x_i - x_j| - rest) for the springs place : place + 16."""
    if not is_row_array(moved):
        return None
    return types.void(moved, i, j, base, rest, follow, goal, types.int64), _follow_sixteen


def _follow_sixteen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    moved, i, j, base, rest, follow, goal = (
        lanes.pointer(kind, array) for kind, array in zip(signature.args[:7], arguments[:7], strict=True)
    )
    place = arguments[7]
    planes = _planes(lanes, base, lanes.extent(signature.args[3], arguments[3], 1))
    row_i, row_j = (lanes.load_quarters(lanes.row_addresses(moved, ids, place)) for ids in (i, j))
    _apart, length = _lengths(lanes, row_i, row_j, planes, place)
    still = lanes.load(rest, place)
    beyond = lanes.mul(lanes.load(follow, place), lanes.sub(length, still))
    lanes.store(lanes.add(still, beyond), goal, place)
    return context.get_dummy_value()


@parallel_kernel
def follow_lengths(moved, i, j, base, rest, follow, goal):
    """goal = rest + follow (|x_i - x_j| - rest); as `constraints.distance.follow_lengths`."""
    for block in prange(goal.shape[0] // LANES):
        follow_sixteen(moved, i, j, base, rest, follow, goal, block * LANES)


@intrinsic(prefer_literal=True)
def span_sixteen(typing_context, at, i, j, base, place, is_run):
    """base = x_i - x_j for the springs place : place + 16; `is_run`, a literal, as in `relax_sixteen`."""
    if not (isinstance(is_run, types.BooleanLiteral) and is_row_array(at, types.float64)):
        return None
    return types.void(at, i, j, base, types.int64, is_run), _SPAN[is_run.literal_value]


def _span_sixteen(context: Any, builder: Any, signature: Any, arguments: Any, is_run: bool = False) -> Any:
    lanes = Lanes(context, builder)
    at, i, j, base = (
        lanes.pointer(kind, array) for kind, array in zip(signature.args[:4], arguments[:4], strict=True)
    )
    planes = _planes(lanes, base, lanes.extent(signature.args[3], arguments[3], 1))
    place = arguments[4]
    if is_run:
        ends = [[builder.load(address, align=8) for address in lanes.run_addresses(at, ids, place)] for ids in (i, j)]
        apart = [lanes.narrow(builder.fsub(a, b)) for a, b in zip(*ends, strict=True)]
    else:
        ends = [[builder.load(address, align=8) for address in lanes.row_addresses(at, ids, place)] for ids in (i, j)]
        apart = lanes.quarters([builder.fptrunc(builder.fsub(a, b), ROW) for a, b in zip(*ends, strict=True)])
    for plane, part in zip(planes, lanes.transpose(apart), strict=False):
        lanes.store(part, plane, place)
    return context.get_dummy_value()


_SPAN = {is_run: partial(_span_sixteen, is_run=is_run) for is_run in (False, True)}


@parallel_kernel
def span(at, i, j, base, task_start, run_stop):
    """base = x_i - x_j; as `constraints.distance.span`."""
    for task in prange(run_stop.shape[0]):
        for block in range(task_start[task], run_stop[task]):
            span_sixteen(at, i, j, base, block * LANES, True)
        for block in range(run_stop[task], task_start[task + 1]):
            span_sixteen(at, i, j, base, block * LANES, False)
