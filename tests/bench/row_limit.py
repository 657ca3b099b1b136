"""How fast the machine moves the rows that springs need, with nothing else to do: the roof over their kernels.

Both kernels go where the solver's go, in its order and on its threads, and do no physics.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from flotsam.engine.jit import kernel, parallel_kernel, prange
from flotsam.engine.vector.gather import end_of, place_of, slots
from flotsam.engine.vector.lanes import LANES, Lanes, is_row_array
from numba.core import types
from numba.extending import intrinsic


@intrinsic(prefer_literal=True)
def _touch_sixteen(typing_context, rows, i, j, place, is_run):
    """Load the rows of both ends of sixteen springs, change them, store them."""
    if not (isinstance(is_run, types.BooleanLiteral) and is_row_array(rows)):
        return None
    return types.void(rows, i, j, types.int64, is_run), _TOUCH[is_run.literal_value]


def _touch(context: Any, builder: Any, signature: Any, arguments: Any, is_run: bool = False) -> Any:
    lanes = Lanes(context, builder)
    rows, i, j = (lanes.pointer(kind, array) for kind, array in zip(signature.args[:3], arguments[:3], strict=True))
    load, store = (lanes.load_run, lanes.store_run) if is_run else (lanes.load_quarters, lanes.store_quarters)
    for ids in (i, j):
        at = (lanes.run_addresses if is_run else lanes.row_addresses)(rows, ids, arguments[3])
        store([lanes.add(row, lanes.constant(1e-9)) for row in load(at)], at)
    return context.get_dummy_value()


_TOUCH = {is_run: partial(_touch, is_run=is_run) for is_run in (False, True)}


@kernel
def _touch_task(rows, i, j, start, middle, stop):
    for block in range(start, middle):
        _touch_sixteen(rows, i, j, block * LANES, True)
    for block in range(middle, stop):
        _touch_sixteen(rows, i, j, block * LANES, False)


@parallel_kernel
def touch_rows(rows, i, j, task_start, run_stop, stage_start):
    """There and back as `vector.relax.relax`, arguments as there."""
    stages = stage_start.shape[0] - 1
    for turn in range(2 * stages):
        stage = 2 * stages - 1 - turn if turn >= stages else turn
        for task in prange(stage_start[stage], stage_start[stage + 1]):
            _touch_task(rows, i, j, task_start[task], run_stop[task], task_start[task + 1])


@intrinsic
def _look_sixteen(typing_context, rows, new, neighbour, slot_start, block):
    """Add up the neighbours' rows of a block of sixteen particles."""
    if not is_row_array(rows):
        return None
    return types.void(rows, new, neighbour, slot_start, types.int64), _look


def _look(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
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
def look_at_rows(rows, new, neighbour, slot_start):
    """Neighbours as `vector.gather.glide` looks at them, once."""
    for block in prange(slot_start.shape[0] - 1):
        _look_sixteen(rows, new, neighbour, slot_start, block)
