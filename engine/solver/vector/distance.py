"""Distance constraints, sixteen at a time: the vector twins of `constraints.distance`."""

from __future__ import annotations

from functools import partial
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ...compiler.kernels import kernel, parallel_kernel, prange
from ...mesh.graph.order.runs import KINDS
from ..constraints.distance import BACK
from ..constraints.islands import tasks_of
from .ir.lanes import I64, LANES, ROWS, Lanes, is_row_array
from .ir.writer import FLAGS

# Ends closer than this define no direction [m]; its square is within the range of single precision.
SHORTEST = 1e-12
# Springs are prefetched this far ahead: there are more streams than the hardware prefetcher tracks, and without it
# the springs of 32,000 vertices took twice the time.
AHEAD = 4 * LANES


# How the ends of sixteen springs lie in memory: one of the kinds of runs in `order.runs`, or anywhere.
RUN, TWINS_OF_ONE, TWINS_OF_TWO, ANYWHERE = range(KINDS + 1)


def load_ends(
    lanes: Lanes, kind: int, rows: Any, i: Any, j: Any, place: Any
) -> tuple[list[Any], list[Any], list[Any]]:
    """Both ends of sixteen springs in four registers each, and the addresses they were loaded from."""
    if kind == ANYWHERE:
        at = [lanes.row_addresses(rows, ids, place) for ids in (i, j)]
        return *(lanes.load_quarters(addresses) for addresses in at), at
    if kind == RUN:
        at = [lanes.run_addresses(rows, ids, place) for ids in (i, j)]
        return *(lanes.load_run(addresses) for addresses in at), at
    at = lanes.run_addresses(rows, i, place, 2 * ROWS)
    return *lanes.part_twins(lanes.load_run(at), kind), at


def store_ends(lanes: Lanes, kind: int, row_i: list[Any], row_j: list[Any], at: list[Any]) -> None:
    """The inverse of `load_ends`."""
    if kind == ANYWHERE:
        for rows, addresses in zip((row_i, row_j), at, strict=True):
            lanes.store_quarters(rows, addresses)
    elif kind == RUN:
        for rows, addresses in zip((row_i, row_j), at, strict=True):
            lanes.store_run(rows, addresses)
    else:
        lanes.store_run(lanes.join_twins(row_i, row_j, kind), at)


@intrinsic(prefer_literal=True)
def relax_sixteen(typing_context, moved, springs, place, back, damped, kind):
    """Project the springs place : place + 16, no two of which share a particle; springs: `SpringColumns`.

    `back`, `damped` and `kind` are literals. The forward pass starts lam at 0. The backward pass continues it and
    takes half of each elastic correction, and all of a dashpot's.
    """
    literals = back, damped, kind
    if not (all(isinstance(literal, types.Literal) for literal in literals) and is_row_array(moved)):
        return None
    signature = types.void(moved, springs, types.int64, *literals)
    return signature, _RELAX[tuple(literal.literal_value for literal in literals)]


def _relax_sixteen(
    context: Any, builder: Any, signature: Any, arguments: Any, back: bool = False, damped: bool = False,
    kind: int = ANYWHERE,
) -> Any:
    lanes = Lanes(context, builder)
    moved = lanes.pointer(signature.args[0], arguments[0])
    i, j, base, goal, kappa, follow, lam = lanes.field_pointers(
        signature.args[1], arguments[1], ("i", "j", "base", "goal", "kappa", "follow", "lam")
    )
    planes = planes_of(lanes, base, lanes.field_extent(signature.args[1], arguments[1], "base", 1))
    place = arguments[2]
    later = builder.add(place, ir.Constant(I64, -AHEAD if back else AHEAD))
    for stream in (i, j, *planes, goal, kappa, lam, *((follow,) if back and damped else ())):
        lanes.fetch(stream, later)
    row_i, row_j, at = load_ends(lanes, kind, moved, i, j, place)
    apart, length = _lengths(lanes, row_i, row_j, planes, place)
    weight = lanes.transpose([lanes.add(a, b) for a, b in zip(row_i, row_j, strict=True)])[3]
    stiff = lanes.load(kappa, place)
    gain = lanes.div(lanes.constant(1.0), lanes.add(lanes.mul(stiff, weight), lanes.constant(1.0)))
    force = lanes.mul(stiff, lanes.sub(length, lanes.load(goal, place)))
    real = builder.fcmp_ordered(">", length, lanes.constant(SHORTEST), flags=FLAGS)
    if back:
        applied, factor = lanes.load(lam, place), lanes.constant(BACK)
        if damped:
            factor = lanes.add(factor, lanes.mul(lanes.constant(1.0 - BACK), lanes.load(follow, place)))
        step = lanes.mul(lanes.mul(factor, gain), lanes.add(force, applied))
        step = builder.select(real, step, lanes.constant(0.0))
        lanes.store(lanes.sub(applied, step), lam, place)
    else:
        step = builder.select(real, lanes.mul(gain, force), lanes.constant(0.0))
        lanes.store(lanes.sub(lanes.constant(0.0), step), lam, place)
    step_per_length = lanes.div(step, builder.select(real, length, lanes.constant(1.0)))
    moves = lanes.transpose([*(lanes.mul(step_per_length, part) for part in apart), lanes.constant(0.0)])
    new_i = [lanes.sub(row, lanes.mul(lanes.row_component(row, 3), move))
             for row, move in zip(row_i, moves, strict=True)]
    new_j = [lanes.add(row, lanes.mul(lanes.row_component(row, 3), move))
             for row, move in zip(row_j, moves, strict=True)]
    store_ends(lanes, kind, new_i, new_j, at)
    return context.get_dummy_value()


# Keys: (back, damped, kind).
_RELAX = {
    (back, damped, kind): partial(_relax_sixteen, back=back, damped=damped, kind=kind)
    for back in (False, True) for damped in (False, True) for kind in range(KINDS + 1)
}


def planes_of(lanes: Lanes, base: Any, count: Any) -> list[Any]:
    """Addresses of the x, y and z rows of a (3, count) array."""
    return [lanes.builder.gep(base, [lanes.builder.mul(count, ir.Constant(I64, axis))]) for axis in range(3)]


def _lengths(
    lanes: Lanes, row_i: list[Any], row_j: list[Any], planes: list[Any], place: Any
) -> tuple[list[Any], Any]:
    """x, y and z of x_i - x_j, and the length, of sixteen springs."""
    moved = lanes.transpose([lanes.sub(a, b) for a, b in zip(row_i, row_j, strict=True)])
    apart = [lanes.add(lanes.load(plane, place), part) for plane, part in zip(planes, moved[:3], strict=True)]
    return apart, lanes.sqrt(lanes.square(apart))


@parallel_kernel
def relax(moved, springs, g):
    """The springs of island g once forward and once backward; arguments as in `constraints.distance.relax`."""
    begin = springs.island[g]
    stages = springs.island[g + 1] - begin - 1
    for pass_index in range(2 * stages - 1):
        stage = begin + min(pass_index, 2 * stages - 2 - pass_index)
        first = springs.stage_start[stage]
        stop = springs.stage_start[stage + 1]
        if springs.is_wide[stage]:
            for place in prange(first, stop):
                _relax_task(moved, springs, springs.task[place], pass_index, stages)
        else:
            for place in range(first, stop):
                _relax_task(moved, springs, springs.task[place], pass_index, stages)


@kernel
def _relax_task(moved, springs, task, pass_index, stages):
    """Solve the blocks of a task; the last stage runs backward at once, as its tasks share no rows."""
    if pass_index < stages:
        _relax_forward(moved, springs, task)
    if pass_index >= stages - 1:
        if springs.follow.shape[0] > 0:
            _relax_back_damped(moved, springs, task)
        else:
            _relax_back(moved, springs, task)


@kernel
def _relax_forward(moved, springs, task):
    for block in range(springs.task_start[task], springs.run_stop[task, 0]):
        relax_sixteen(moved, springs, block * LANES, False, False, RUN)
    for block in range(springs.run_stop[task, 0], springs.run_stop[task, 1]):
        relax_sixteen(moved, springs, block * LANES, False, False, TWINS_OF_ONE)
    for block in range(springs.run_stop[task, 1], springs.run_stop[task, 2]):
        relax_sixteen(moved, springs, block * LANES, False, False, TWINS_OF_TWO)
    for block in range(springs.run_stop[task, 2], springs.task_start[task + 1]):
        relax_sixteen(moved, springs, block * LANES, False, False, ANYWHERE)


@kernel
def _relax_back(moved, springs, task):
    for block in range(springs.task_start[task + 1] - 1, springs.run_stop[task, 2] - 1, -1):
        relax_sixteen(moved, springs, block * LANES, True, False, ANYWHERE)
    for block in range(springs.run_stop[task, 2] - 1, springs.run_stop[task, 1] - 1, -1):
        relax_sixteen(moved, springs, block * LANES, True, False, TWINS_OF_TWO)
    for block in range(springs.run_stop[task, 1] - 1, springs.run_stop[task, 0] - 1, -1):
        relax_sixteen(moved, springs, block * LANES, True, False, TWINS_OF_ONE)
    for block in range(springs.run_stop[task, 0] - 1, springs.task_start[task] - 1, -1):
        relax_sixteen(moved, springs, block * LANES, True, False, RUN)


@kernel
def _relax_back_damped(moved, springs, task):
    for block in range(springs.task_start[task + 1] - 1, springs.run_stop[task, 2] - 1, -1):
        relax_sixteen(moved, springs, block * LANES, True, True, ANYWHERE)
    for block in range(springs.run_stop[task, 2] - 1, springs.run_stop[task, 1] - 1, -1):
        relax_sixteen(moved, springs, block * LANES, True, True, TWINS_OF_TWO)
    for block in range(springs.run_stop[task, 1] - 1, springs.run_stop[task, 0] - 1, -1):
        relax_sixteen(moved, springs, block * LANES, True, True, TWINS_OF_ONE)
    for block in range(springs.run_stop[task, 0] - 1, springs.task_start[task] - 1, -1):
        relax_sixteen(moved, springs, block * LANES, True, True, RUN)


@intrinsic
def follow_sixteen(typing_context, moved, springs, place):
    """goal = rest + follow (|x_i - x_j| - rest) for the springs place : place + 16; springs: `SpringColumns`."""
    if not is_row_array(moved):
        return None
    return types.void(moved, springs, types.int64), _follow_sixteen


def _follow_sixteen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    moved = lanes.pointer(signature.args[0], arguments[0])
    i, j, base, rest, follow, goal = lanes.field_pointers(
        signature.args[1], arguments[1], ("i", "j", "base", "rest", "follow", "goal")
    )
    place = arguments[2]
    planes = planes_of(lanes, base, lanes.field_extent(signature.args[1], arguments[1], "base", 1))
    row_i, row_j = (lanes.load_quarters(lanes.row_addresses(moved, ids, place)) for ids in (i, j))
    _apart, length = _lengths(lanes, row_i, row_j, planes, place)
    still = lanes.load(rest, place)
    beyond = lanes.mul(lanes.load(follow, place), lanes.sub(length, still))
    lanes.store(lanes.add(still, beyond), goal, place)
    return context.get_dummy_value()


@parallel_kernel
def follow_lengths(moved, springs, g):
    """goal = rest + follow (|x_i - x_j| - rest); as `constraints.distance.follow_lengths`."""
    first, stop = tasks_of(springs, g)
    for place in prange(first, stop):
        task = springs.task[place]
        for block in range(springs.task_start[task], springs.task_start[task + 1]):
            follow_sixteen(moved, springs, block * LANES)
