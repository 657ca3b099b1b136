"""Strains and residuals of springs, sixteen at a time: the vector twins of `constraints.strain`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from ...compiler.kernels import kernel
from ..constraints.strain import clear_block, remaining_of_several, stretches_of_several
from .ir.lanes import F64, I64, LANES, WIDE, Lanes
from .ir.writer import FLAGS, I32


class _Found:
    """Running count, sum and maximum over springs, in lanes."""

    def __init__(self, lanes: Lanes, least: float) -> None:
        """Args: least: the maximum before any spring is added."""
        self._lanes, self._least = lanes, lanes.constant(least)
        self._count, self._most = (cgutils.alloca_once(lanes.builder, lanes.register) for _ in range(2))
        self._total = cgutils.alloca_once_value(lanes.builder, ir.Constant(WIDE, [0.0] * LANES))
        lanes.builder.store(lanes.constant(0.0), self._count)
        lanes.builder.store(self._least, self._most)

    def add(self, is_there: Any, values: Any) -> None:
        """Add sixteen values; `is_there` masks lanes, and masked-out values must be 0."""
        lanes, build = self._lanes, self._lanes.builder
        lanes.accumulate(self._count, build.select(is_there, lanes.constant(1.0), lanes.constant(0.0)))
        lanes.accumulate(self._total, lanes.widen(values))
        most, own = build.load(self._most), build.select(is_there, values, self._least)
        build.store(build.select(build.fcmp_ordered(">", own, most, flags=FLAGS), own, most), self._most)

    def store(self, sums: Any, place: Any) -> None:
        """Reduce the lanes, and store count, sum and maximum at `place` in an array of doubles."""
        lanes, build = self._lanes, self._lanes.builder
        joins = [lanes.add, lanes.add, lambda a, b: build.select(build.fcmp_ordered(">", a, b), a, b)]
        for nth, (register, join) in enumerate(zip((self._count, self._total, self._most), joins, strict=True)):
            parts = self._parts(register)
            while len(parts) > 1:
                parts = [join(one, other) for one, other in zip(parts[::2], parts[1::2], strict=True)]
            number = parts[0] if parts[0].type == F64 else build.fpext(parts[0], F64)
            build.store(number, build.gep(sums, [build.add(place, ir.Constant(I64, nth))]))

    def _parts(self, register: Any) -> list[Any]:
        build = self._lanes.builder
        return [build.extract_element(build.load(register), ir.Constant(I32, lane)) for lane in range(LANES)]


def _loop(lanes: Lanes, first: Any, stop: Any) -> Any:
    """Loop over the indices first, first + 16, ... of springs."""
    return cgutils.for_range_slice(lanes.builder, first, stop, ir.Constant(I64, LANES), intp=I64)


@intrinsic
def note_residuals(typing_context, length, goal, kappa, lam, sums, first, stop, place):
    """Count, sum and maximum residual of the springs first : stop (a multiple of sixteen), stored in `sums`."""
    return types.void(length, goal, kappa, lam, sums, *[types.int64] * 3), _note_residuals


def _note_residuals(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    *streams, sums = (lanes.pointer(kind, array) for kind, array in zip(signature.args[:5], arguments[:5], strict=True))
    found, none, one = _Found(lanes, 0.0), lanes.constant(0.0), lanes.constant(1.0)
    with _loop(lanes, *arguments[5:7]) as (place, _count):
        length, goal, kappa, lam = (lanes.load(stream, place) for stream in streams)
        is_there = builder.and_(*(builder.fcmp_ordered(">", each, none, flags=FLAGS) for each in (goal, kappa)))
        goal, kappa = (builder.select(is_there, each, one) for each in (goal, kappa))
        left = lanes.div(lanes.add(lanes.sub(length, goal), lanes.div(lam, kappa)), goal)
        size = builder.select(builder.fcmp_ordered("<", left, none, flags=FLAGS), lanes.sub(none, left), left)
        found.add(is_there, builder.select(is_there, size, none))
    found.store(sums, arguments[7])
    return context.get_dummy_value()


@intrinsic
def note_strains(typing_context, length, rest, sums, first, stop, place):
    """As `note_residuals`, for the strain l / l0 - 1, which also overwrites `length`."""
    return types.void(length, rest, sums, *[types.int64] * 3), _note_strains


def _note_strains(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    length, rest, sums = (
        lanes.pointer(kind, array) for kind, array in zip(signature.args[:3], arguments[:3], strict=True)
    )
    found, none = _Found(lanes, -1.0), lanes.constant(0.0)
    with _loop(lanes, *arguments[3:5]) as (place, _count):
        still = lanes.load(rest, place)
        is_there = builder.fcmp_ordered(">", still, none, flags=FLAGS)
        still = builder.select(is_there, still, lanes.constant(1.0))
        strain = lanes.div(lanes.sub(lanes.load(length, place), still), still)
        strain = builder.select(is_there, strain, none)
        lanes.store(strain, length, place)
        found.add(is_there, strain)
    found.store(sums, arguments[5])
    return context.get_dummy_value()


@kernel
def remaining(length, i, goal, kappa, lam, row_body, block_start, block_body, sums):
    """As `constraints.strain.remaining`, for blocks that are multiples of sixteen."""
    for block in range(block_start.shape[0] - 1):
        clear_block(sums, block, 0.0)
        first = block_start[block]
        stop = block_start[block + 1]
        if block_body[block] >= 0:
            place = 3 * (block * sums.shape[1] + block_body[block])
            note_residuals(length, goal, kappa, lam, sums, first, stop, place)
        else:
            remaining_of_several(length, i, goal, kappa, lam, row_body, block, first, stop, sums)


@kernel
def stretches(length, i, rest, row_body, block_start, block_body, sums):
    """As `constraints.strain.stretches`, for blocks that are multiples of sixteen."""
    for block in range(block_start.shape[0] - 1):
        clear_block(sums, block, -1.0)
        first = block_start[block]
        stop = block_start[block + 1]
        if block_body[block] >= 0:
            note_strains(length, rest, sums, first, stop, 3 * (block * sums.shape[1] + block_body[block]))
        else:
            stretches_of_several(length, i, rest, row_body, block, first, stop, sums)
