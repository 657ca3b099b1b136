"""Springs as explicit forces, sixteen particles at a time: the vector twin of `forces.gather`.

A block's sums stay in registers over all its slots. Where its neighbours are consecutive (a run, see
`graph.neighbours`), they are three loads of columns. Elsewhere each neighbour is one load of a row, and shuffles within
quarters of registers transpose rows to x, y, z. 1 / l comes from an estimate and Newton's method, because a division
and a square root would take longer than everything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from ...compiler.kernels import parallel_kernel, prange
from .ir.lanes import I64, Lanes, is_row_array

# Ends closer than this define no direction [m].
NEAREST = 1e-12
# Fields of `GatherMotion`.
MOTION = ("shrink", "kick", "x", "v")


@intrinsic
def glide_sixteen(typing_context, old, new, old_columns, new_columns, slots, stiffness, motion, h, block):
    """One block through one substep; arguments as in `step_springs`."""
    if not (is_row_array(old) and is_row_array(new)):
        return None
    signature = types.void(
        old, new, old_columns, new_columns, slots, stiffness, motion, types.float64, types.int64
    )
    return signature, _glide_sixteen


def _glide_sixteen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    old, new, old_columns, new_columns, stiffness = (
        lanes.pointer(signature.args[k], arguments[k]) for k in (0, 1, 2, 3, 5)
    )
    neighbour, run_first, rest, slot_start, run_stop = lanes.field_pointers(
        signature.args[4], arguments[4], ("neighbour", "run_first", "rest", "slot_start", "run_stop")
    )
    motion = lanes.field_pointers(signature.args[6], arguments[6], MOTION)
    h, block = arguments[7:]
    places = lanes.extent(signature.args[2], arguments[2], 1)
    own = lanes.column_parts(old_columns, places, builder.shl(block, ir.Constant(I64, 4)), 4)
    sums = lanes.running_sums(3)
    start, runs_end = lanes.item(slot_start, block), lanes.item(run_stop, block)
    with slots(builder, start, runs_end) as slot:
        there = builder.sext(lanes.item(run_first, slot), I64)
        _pull(lanes, lanes.column_parts(old_columns, places, there, 3), own, lanes.load(rest, place_of(builder, slot)),
              sums)
    with slots(builder, runs_end, end_of(builder, slot_start, block)) as slot:
        place = place_of(builder, slot)
        _pull(lanes, lanes.columns(lanes.row_addresses(old, neighbour, place)), own, lanes.load(rest, place), sums)
    scale = lanes.mul(lanes.spread(builder.fptrunc(lanes.item(stiffness, block), lanes.number)), own[3])
    velocity_changes = [lanes.mul(scale, builder.load(total)) for total in sums]
    moved = _move(lanes, velocity_changes, own[3], motion, h, block, new, None)
    lanes.store_column_parts(moved, new_columns, places, builder.shl(block, ir.Constant(I64, 4)))
    return context.get_dummy_value()


def _pull(lanes: Lanes, there: list[Any], own: list[Any], rest: Any, sums: list[Any]) -> None:
    """Add (1 - l0 / l) d of one slot to the sums."""
    apart = _apart(lanes, there, own)
    nearness = lanes.inverse_root(lanes.square(apart), NEAREST)
    pull = lanes.sub(lanes.constant(1.0), lanes.mul(rest, nearness))
    for total, part in zip(sums, apart, strict=True):
        lanes.accumulate(total, lanes.mul(pull, part))


@intrinsic
def glide_sixteen_damped(
    typing_context, old, new, old_speeds, new_speeds, slots, stiffness, damping, motion, h, block
):
    """One block through one substep; arguments as in `forces.gather.glide_damped`."""
    if not (is_row_array(old) and is_row_array(old_speeds)):
        return None
    signature = types.void(
        old, new, old_speeds, new_speeds, slots, stiffness, damping, motion, types.float64, types.int64
    )
    return signature, _glide_sixteen_damped


def _glide_sixteen_damped(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    old, new, old_speeds, new_speeds, stiffness, damping = (
        lanes.pointer(signature.args[k], arguments[k]) for k in (0, 1, 2, 3, 5, 6)
    )
    neighbour, rest, slot_start = lanes.field_pointers(
        signature.args[4], arguments[4], ("neighbour", "rest", "slot_start")
    )
    shrink, kick, x, v = lanes.field_pointers(signature.args[7], arguments[7], MOTION)
    h, block = arguments[8:]
    own = lanes.columns(lanes.next_row_addresses(old, block))
    own_speed = lanes.columns(lanes.next_row_addresses(old_speeds, block))
    sums = lanes.running_sums(3)
    with slots(builder, lanes.item(slot_start, block), end_of(builder, slot_start, block)) as slot:
        place = place_of(builder, slot)
        apart = _apart(lanes, lanes.columns(lanes.row_addresses(old, neighbour, place)), own)
        parting = _apart(lanes, lanes.columns(lanes.row_addresses(old_speeds, neighbour, place)), own_speed)
        nearness = lanes.inverse_root(lanes.square(apart), NEAREST)
        along = lanes.mul(apart[0], parting[0])
        for part, rate in zip(apart[1:], parting[1:], strict=True):
            along = lanes.add(along, lanes.mul(part, rate))
        pull = lanes.sub(lanes.constant(1.0), lanes.mul(lanes.load(rest, place), nearness))
        drag = lanes.mul(lanes.load(damping, place), lanes.mul(nearness, nearness))
        pull = lanes.add(lanes.mul(lanes.load(stiffness, place), pull), lanes.mul(drag, along))
        for total, part in zip(sums, apart, strict=True):
            lanes.accumulate(total, lanes.mul(pull, part))
    scale = lanes.mul(lanes.spread(builder.fptrunc(h, lanes.number)), own[3])
    velocity_changes = [lanes.mul(scale, builder.load(total)) for total in sums]
    _move(lanes, velocity_changes, own[3], (shrink, kick, x, v), h, block, new, new_speeds)
    return context.get_dummy_value()


@contextmanager
def slots(builder: Any, start: Any, stop: Any) -> Iterator[Any]:
    """Loop over slots; the code written inside runs for each."""
    with cgutils.for_range_slice(builder, start, stop, ir.Constant(I64, 1), intp=I64) as (slot, _count):
        yield slot


def place_of(builder: Any, slot: Any) -> Any:
    """Index of the first of a slot's sixteen entries."""
    return builder.shl(slot, ir.Constant(I64, 4))


def end_of(builder: Any, slot_start: Any, block: Any) -> Any:
    """The slot after the last one of a block."""
    return builder.load(builder.gep(slot_start, [builder.add(block, ir.Constant(I64, 1))]))


def _apart(lanes: Lanes, there: list[Any], here: list[Any]) -> list[Any]:
    return [lanes.sub(a, b) for a, b in zip(there[:3], here[:3], strict=True)]


def _move(
    lanes: Lanes, velocity_changes: list[Any], inv_mass: Any, arrays: Sequence[Any], h: Any, block: Any, rows: Any,
    speeds: Any | None,
) -> list[Any]:
    """v = r (v + change) + kick where inv_mass > 0; x += h v; stores the new rows; returns x in single precision."""
    builder = lanes.builder
    shrink, kick, x, v = arrays
    free = builder.fcmp_ordered(">", inv_mass, lanes.constant(0.0))
    step, keep = lanes.spread(h), lanes.spread(lanes.item(shrink, block))
    positions, velocities = [], []
    for axis, change in enumerate(velocity_changes):
        nth = builder.add(builder.mul(block, ir.Constant(I64, 3)), ir.Constant(I64, axis))
        at = builder.shl(nth, ir.Constant(I64, 4))
        before = lanes.load(v, at)
        damped = lanes.mul(keep, lanes.add(before, lanes.widen(change)))
        velocity = builder.select(free, lanes.add(damped, lanes.spread(lanes.item(kick, nth))), before)
        moved = lanes.add(lanes.load(x, at), lanes.mul(step, velocity))
        lanes.store(velocity, v, at)
        lanes.store(moved, x, at)
        positions.append(lanes.narrow(moved))
        velocities.append(lanes.narrow(velocity))
    lanes.store_columns([*positions, inv_mass], rows, block)
    if speeds is not None:
        lanes.store_columns([*velocities, lanes.constant(0.0)], speeds, block)
    return positions


@parallel_kernel
def step_springs(buffers, slots, stiffness, motion, h, count):
    """`count` substeps; arguments as in `forces.gather.step_springs`."""
    rows = buffers.rows
    spare_rows = buffers.spare_rows
    columns = buffers.columns
    spare_columns = buffers.spare_columns
    for substep in range(count):
        old = rows if substep % 2 == 0 else spare_rows
        new = spare_rows if substep % 2 == 0 else rows
        old_columns = columns if substep % 2 == 0 else spare_columns
        new_columns = spare_columns if substep % 2 == 0 else columns
        for block in prange(stiffness.shape[0]):
            glide_sixteen(old, new, old_columns, new_columns, slots, stiffness, motion, h, block)


@parallel_kernel
def glide_damped(rows, spare_rows, speeds, spare_speeds, slots, stiffness, damping, motion, h, count):
    """`count` substeps; arguments as in `forces.gather.glide_damped`."""
    for substep in range(count):
        old = rows if substep % 2 == 0 else spare_rows
        new = spare_rows if substep % 2 == 0 else rows
        old_speeds = speeds if substep % 2 == 0 else spare_speeds
        new_speeds = spare_speeds if substep % 2 == 0 else speeds
        for block in prange(motion.shrink.shape[0]):
            glide_sixteen_damped(old, new, old_speeds, new_speeds, slots, stiffness, damping, motion, h, block)
