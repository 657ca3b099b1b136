"""Vectors and lengths of springs, sixteen at a time: the vector twins of `distance.span` and `distance.lengths`."""

from __future__ import annotations

from functools import partial
from typing import Any

from numba.core import types
from numba.extending import intrinsic

from ...compiler.kernels import kernel, parallel_kernel, prange
from ...mesh.graph.order.runs import KINDS
from ..constraints.islands import tasks_of
from .distance import ANYWHERE, RUN, TWINS_OF_ONE, TWINS_OF_TWO, load_ends, planes_of
from .ir.lanes import LANES, ROW, Lanes, is_row_array


@intrinsic(prefer_literal=True)
def span_sixteen(typing_context, at, i, j, base, place, kind):
    """base = x_i - x_j for the springs place : place + 16; `kind`, a literal, as in `relax_sixteen`."""
    if not (isinstance(kind, types.IntegerLiteral) and is_row_array(at, types.float64)):
        return None
    return types.void(at, i, j, base, types.int64, kind), _SPAN[kind.literal_value]


def _span_sixteen(context: Any, builder: Any, signature: Any, arguments: Any, kind: int = ANYWHERE) -> Any:
    lanes = Lanes(context, builder)
    at, i, j, base = (
        lanes.pointer(of, array) for of, array in zip(signature.args[:4], arguments[:4], strict=True)
    )
    planes = planes_of(lanes, base, lanes.extent(signature.args[3], arguments[3], 1))
    for plane, part in zip(planes, _apart(lanes, kind, at, i, j, arguments[4]), strict=True):
        lanes.store(part, plane, arguments[4])
    return context.get_dummy_value()


def _apart(lanes: Lanes, kind: int, at: Any, i: Any, j: Any, place: Any) -> list[Any]:
    """x, y and z of x_i - x_j for sixteen springs, subtracted in double precision if `at` has it."""
    builder = lanes.builder
    if kind == ANYWHERE:
        ends = [[builder.load(address, align=8) for address in lanes.row_addresses(at, ids, place)] for ids in (i, j)]
        apart = lanes.quarters([builder.fptrunc(builder.fsub(a, b), ROW) for a, b in zip(*ends, strict=True)])
    else:
        row_i, row_j, _addresses = load_ends(lanes, kind, at, i, j, place)
        apart = [lanes.narrow(builder.fsub(a, b)) for a, b in zip(row_i, row_j, strict=True)]
    return lanes.transpose(apart)[:3]


_SPAN = {kind: partial(_span_sixteen, kind=kind) for kind in range(KINDS + 1)}


@parallel_kernel
def span(at, springs, g):
    """base = x_i - x_j; as `constraints.distance.span`."""
    first, stop = tasks_of(springs, g)
    i = springs.i
    j = springs.j
    base = springs.base
    task = springs.task
    task_start = springs.task_start
    run_stop = springs.run_stop
    for place in prange(first, stop):
        _span_task(at, i, j, base, task_start, run_stop, task[place])


@kernel
def _span_task(at, i, j, base, task_start, run_stop, task):
    for block in range(task_start[task], run_stop[task, 0]):
        span_sixteen(at, i, j, base, block * LANES, RUN)
    for block in range(run_stop[task, 0], run_stop[task, 1]):
        span_sixteen(at, i, j, base, block * LANES, TWINS_OF_ONE)
    for block in range(run_stop[task, 1], run_stop[task, 2]):
        span_sixteen(at, i, j, base, block * LANES, TWINS_OF_TWO)
    for block in range(run_stop[task, 2], task_start[task + 1]):
        span_sixteen(at, i, j, base, block * LANES, ANYWHERE)


@intrinsic(prefer_literal=True)
def lengths_of_sixteen(typing_context, at, i, j, length, place, kind):
    """length = |x_i - x_j| for the springs place : place + 16; `kind`, a literal, as in `relax_sixteen`."""
    if not (isinstance(kind, types.IntegerLiteral) and is_row_array(at, types.float64)):
        return None
    return types.void(at, i, j, length, types.int64, kind), _LENGTHS[kind.literal_value]


def _lengths_of_sixteen(context: Any, builder: Any, signature: Any, arguments: Any, kind: int = ANYWHERE) -> Any:
    lanes = Lanes(context, builder)
    at, i, j, length = (
        lanes.pointer(of, array) for of, array in zip(signature.args[:4], arguments[:4], strict=True)
    )
    apart = _apart(lanes, kind, at, i, j, arguments[4])
    lanes.store(lanes.sqrt(lanes.square(apart)), length, arguments[4])
    return context.get_dummy_value()


_LENGTHS = {kind: partial(_lengths_of_sixteen, kind=kind) for kind in range(KINDS + 1)}


@parallel_kernel
def lengths(at, i, j, length, task_start, run_stop):
    """length = |x_i - x_j|; as `constraints.distance.lengths`."""
    for task in prange(run_stop.shape[0]):
        for block in range(task_start[task], run_stop[task, 0]):
            lengths_of_sixteen(at, i, j, length, block * LANES, RUN)
        for block in range(run_stop[task, 0], run_stop[task, 1]):
            lengths_of_sixteen(at, i, j, length, block * LANES, TWINS_OF_ONE)
        for block in range(run_stop[task, 1], run_stop[task, 2]):
            lengths_of_sixteen(at, i, j, length, block * LANES, TWINS_OF_TWO)
        for block in range(run_stop[task, 2], task_start[task + 1]):
            lengths_of_sixteen(at, i, j, length, block * LANES, ANYWHERE)
