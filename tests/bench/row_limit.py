"""Kernels that only move the rows that springs need: the upper bound for the speed of spring kernels.

Both kernels access memory like the solver's, in the same order and on the same threads, without the physics.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from flotsam.engine.compiler.kernels import kernel, parallel_kernel, prange
from flotsam.engine.mesh.graph.order.runs import KINDS
from flotsam.engine.solver.vector.distance import ANYWHERE, RUN, TWINS_OF_ONE, TWINS_OF_TWO, load_ends, store_ends
from flotsam.engine.solver.vector.gather import end_of, place_of, slots
from flotsam.engine.solver.vector.ir.lanes import LANES, Lanes, is_row_array
from numba.core import types
from numba.extending import intrinsic


@intrinsic(prefer_literal=True)
def _touch_sixteen(typing_context, rows, i, j, place, kind):
    """Load the rows of both ends of sixteen springs, change them, store them."""
    if not (isinstance(kind, types.IntegerLiteral) and is_row_array(rows)):
        return None
    return types.void(rows, i, j, types.int64, kind), _TOUCH[kind.literal_value]


def _touch(context: Any, builder: Any, signature: Any, arguments: Any, kind: int = ANYWHERE) -> Any:
    lanes = Lanes(context, builder)
    rows, i, j = (lanes.pointer(of, array) for of, array in zip(signature.args[:3], arguments[:3], strict=True))
    row_i, row_j, at = load_ends(lanes, kind, rows, i, j, arguments[3])
    increment = lanes.constant(1e-9)
    row_i, row_j = ([lanes.add(row, increment) for row in ends] for ends in (row_i, row_j))
    store_ends(lanes, kind, row_i, row_j, at)
    return context.get_dummy_value()


_TOUCH = {kind: partial(_touch, kind=kind) for kind in range(KINDS + 1)}


@kernel
def _touch_task(rows, i, j, task, task_start, run_stop):
    for block in range(task_start[task], run_stop[task, 0]):
        _touch_sixteen(rows, i, j, block * LANES, RUN)
    for block in range(run_stop[task, 0], run_stop[task, 1]):
        _touch_sixteen(rows, i, j, block * LANES, TWINS_OF_ONE)
    for block in range(run_stop[task, 1], run_stop[task, 2]):
        _touch_sixteen(rows, i, j, block * LANES, TWINS_OF_TWO)
    for block in range(run_stop[task, 2], task_start[task + 1]):
        _touch_sixteen(rows, i, j, block * LANES, ANYWHERE)


@parallel_kernel
def touch_rows(rows, i, j, task_start, run_stop, stage_start):
    """Access rows forward and backward like `vector.distance.relax`; args: rows, and columns of its springs."""
    stages = stage_start.shape[0] - 1
    for iteration in range(2 * stages):
        stage = 2 * stages - 1 - iteration if iteration >= stages else iteration
        for task in prange(stage_start[stage], stage_start[stage + 1]):
            _touch_task(rows, i, j, task, task_start, run_stop)


@intrinsic
def _gather_sixteen(typing_context, rows, new, neighbour, slot_start, block):
    """Sum the neighbours' rows of a block of sixteen particles."""
    if not is_row_array(rows):
        return None
    return types.void(rows, new, neighbour, slot_start, types.int64), _gather


def _gather(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    rows, new, neighbour, slot_start = (
        lanes.pointer(kind, array) for kind, array in zip(signature.args[:4], arguments[:4], strict=True)
    )
    sums = lanes.running_sums(4)
    block = arguments[4]
    with slots(builder, lanes.item(slot_start, block), end_of(builder, slot_start, block)) as slot:
        found = lanes.load_quarters(lanes.row_addresses(rows, neighbour, place_of(builder, slot)))
        for total, part in zip(sums, found, strict=True):
            lanes.accumulate(total, part)
    lanes.store_quarters([builder.load(total) for total in sums], lanes.next_row_addresses(new, block))
    return context.get_dummy_value()


@parallel_kernel
def gather_rows(rows, new, neighbour, slot_start):
    """Access neighbours once, like `vector.gather.step_springs`."""
    for block in prange(slot_start.shape[0] - 1):
        _gather_sixteen(rows, new, neighbour, slot_start, block)
