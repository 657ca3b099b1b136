"""Sight of flock agents: which of sixteen others an agent sees, the nearest of those, and sums over eight of them."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from .ir.lanes import F32, I64, LANES, Lanes
from .ir.writer import FLAGS, I32
from .near import INTEGERS, pack, popcount, spread_integer

# Columns of an agent's row: position [m], velocity [m/s], the signed square of the cosine of half its view angle times
# its squared speed, and an unused one.
ROW, POSITION, VELOCITY, SIDE = 8, 0, 3, 6
# Results of `sum_neighbours`: sums of row differences from 0 on, of separation vectors from APART on, and of distances.
APART, FAR, SUMS = 8, 11, 16
# Neighbours nearer than this fraction of the personal space define no direction.
COINCIDENT = 1e-6
_HALF = ir.VectorType(F32, ROW)


@intrinsic
def see_sixteen(typing_context, columns, rows, i, square, first, stop, skip, found, far, count):
    """Append those of the points `first` to `stop`, up to sixteen, that an agent sees within sqrt(square).

    Args:
        columns: (3, n + 16) float32 [m]; rows: (m, 8) float32, the agent's has index i; skip: a point that is excluded.
        found, far: int32 and float32, indices and squared distances of the points, with space for sixteen more than
            `count`; entries after the new count are overwritten.

    Returns the new count.
    """
    index = types.int64
    return index(columns, rows, index, types.float32, index, index, index, found, far, index), _see_sixteen


def _see_sixteen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    points, rows, found, far = (lanes.pointer(signature.args[k], arguments[k]) for k in (0, 1, 7, 8))
    length = lanes.extent(signature.args[0], arguments[0], 1)
    square, first, stop, skip, count = (arguments[k] for k in (3, 4, 5, 6, 9))
    row = builder.mul(arguments[2], ir.Constant(I64, ROW))
    own = [lanes.spread(lanes.item(rows, builder.add(row, ir.Constant(I64, k)))) for k in range(SIDE + 1)]
    there = lanes.column_parts(points, length, first, 3)
    apart = [lanes.sub(part, own[k]) for k, part in enumerate(there)]
    distance = lanes.square(apart)
    products = [lanes.mul(part, own[VELOCITY + k]) for k, part in enumerate(apart)]
    ahead = lanes.add(products[0], lanes.add(products[1], products[2]))
    is_ahead = builder.fcmp_ordered(">=", ahead, lanes.constant(0.0), flags=FLAGS)
    signed = builder.select(is_ahead, ahead, lanes.sub(lanes.constant(0.0), ahead))
    number = builder.add(spread_integer(lanes, first), ir.Constant(INTEGERS, list(range(LANES))))
    mask = builder.fcmp_ordered("<", distance, lanes.spread(square), flags=FLAGS)
    for test in (
        builder.fcmp_ordered(">=", lanes.mul(ahead, signed), lanes.mul(own[SIDE], distance), flags=FLAGS),
        builder.icmp_signed("!=", number, spread_integer(lanes, skip)),
        builder.icmp_signed("<", number, spread_integer(lanes, stop)),
    ):
        mask = builder.and_(mask, test)
    builder.store(pack(builder, number, mask), lanes._vector_at(found, count, INTEGERS), align=4)
    packed = pack(builder, builder.bitcast(distance, INTEGERS), mask)
    builder.store(builder.bitcast(packed, distance.type), lanes._vector_at(far, count, distance.type), align=4)
    return builder.add(count, popcount(lanes, mask))


@intrinsic
def keep_nearest(typing_context, found, far, count, most):
    """Keep the nearest `most` of no more than sixteen points, in their current order.

    Of equally distant points the first ones are kept. Args: found, far: see `see_sixteen`; most: at most sixteen.
    """
    index = types.int64
    return types.void(found, far, index, index), _keep_nearest


def _keep_nearest(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    found, far = (lanes.pointer(signature.args[k], arguments[k]) for k in (0, 1))
    zero, lane = ir.Constant(I64, 0), ir.Constant(INTEGERS, list(range(LANES)))
    number = builder.load(lanes._vector_at(found, zero, INTEGERS), align=4)
    is_there = builder.icmp_signed("<", lane, spread_integer(lanes, arguments[2]))
    distance = builder.select(is_there, lanes.load(far, zero), lanes.constant(float("inf")))
    rank = ir.Constant(INTEGERS, [0] * LANES)
    for other in range(LANES):
        its = lanes.shuffle(distance, None, [other] * LANES)
        is_nearer = builder.fcmp_ordered("<", its, distance, flags=FLAGS)
        is_as_far = builder.fcmp_ordered("==", its, distance, flags=FLAGS)
        is_in_front = ir.Constant(is_as_far.type, [own > other for own in range(LANES)])
        nearer = builder.or_(is_nearer, builder.and_(is_as_far, is_in_front))
        rank = builder.add(rank, builder.zext(nearer, INTEGERS))
    mask = builder.and_(is_there, builder.icmp_signed("<", rank, spread_integer(lanes, arguments[3])))
    builder.store(pack(builder, number, mask), lanes._vector_at(found, zero, INTEGERS), align=4)
    packed = pack(builder, builder.bitcast(distance, INTEGERS), mask)
    builder.store(builder.bitcast(packed, distance.type), lanes._vector_at(far, zero, distance.type), align=4)
    return context.get_dummy_value()


class _Eight(Lanes):
    """Writes code for eight lanes: one row, or one number of eight rows."""

    register = _HALF

    def load_row(self, rows: Any, i: Any) -> Any:
        """Row number i."""
        return self.builder.load(self._vector_at(rows, self.builder.mul(i, ir.Constant(I64, ROW)), _HALF), align=4)

    def largest(self, a: Any, b: Any) -> Any:
        """Lane-wise maximum."""
        return self.builder.select(self.builder.fcmp_ordered(">", a, b, flags=FLAGS), a, b)

    def root(self, value: Any) -> Any:
        """Square root of each lane."""
        kind = ir.FunctionType(_HALF, [_HALF])
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, "llvm.sqrt.v8f32"), [value])

    def column(self, rows: list[Any], k: int) -> Any:
        """Number k of eight rows, by shuffles of two, four and eight of them."""
        pairs = [self.shuffle(a, b, [k, ROW + k]) for a, b in zip(rows[::2], rows[1::2], strict=True)]
        fours = [self.shuffle(a, b, [0, 1, 2, 3]) for a, b in zip(pairs[::2], pairs[1::2], strict=True)]
        return self.shuffle(*fours, list(range(ROW)))

    def total(self, value: Any) -> Any:
        """Sum of all lanes, in the same order everywhere."""
        for half in (4, 2, 1):
            low, high = (self.shuffle(value, None, list(range(start, start + half))) for start in (0, half))
            value = self.add(low, high)
        return self.builder.extract_element(value, ir.Constant(I32, 0))


@intrinsic
def sum_neighbours(typing_context, rows, i, near, space, sums, count):
    """Sums over the neighbours of an agent; returns how many of them coincide with it.

    Args:
        rows: (n, 8) float32, see above, the agent's has index i; near: (n, k) int32, the first `count` are used.
        space: float32, personal space [m]; d is the vector from the agent to a neighbour.
        sums: (16,) float32, out: sum of the neighbours' rows minus its own; sum of -d (1 / |d| - 1 / space) over those
            within the personal space; and sum of |d|.
    """
    index = types.int64
    return index(rows, index, near, types.float32, sums, index), _sum_neighbours


def _sum_neighbours(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    eight = _Eight(context, builder)
    rows, near, sums = (eight.pointer(signature.args[k], arguments[k]) for k in (0, 2, 4))
    i, space, count = arguments[1], arguments[3], arguments[5]
    begin = builder.mul(i, eight.extent(signature.args[2], arguments[2], 1))
    own, totals = eight.load_row(rows, i), eight.running_sums(5)
    coincident_count = cgutils.alloca_once_value(builder, ir.Constant(I64, 0))
    per_space = eight.spread(builder.fdiv(ir.Constant(F32, 1.0), space))
    closest = eight.mul(eight.constant(COINCIDENT), eight.spread(space))
    zero = eight.constant(0.0)
    with cgutils.for_range_slice(builder, ir.Constant(I64, 0), count, ir.Constant(I64, ROW), intp=I64) as (first, _):
        differences = []
        for k in range(ROW):
            place = builder.add(first, ir.Constant(I64, k))
            is_there = builder.icmp_signed("<", place, count)
            # The agent's own row adds nothing.
            at = builder.add(begin, builder.select(is_there, place, ir.Constant(I64, 0)))
            other = builder.select(is_there, builder.sext(eight.item(near, at), I64), i)
            differences.append(eight.sub(eight.load_row(rows, other), own))
            eight.accumulate(totals[0], differences[-1])
        offset = [eight.column(differences, k) for k in range(3)]
        distance = eight.root(eight.square(offset))
        eight.accumulate(totals[4], distance)
        is_apart = builder.fcmp_ordered(">", distance, closest, flags=FLAGS)
        safe = builder.select(is_apart, distance, eight.constant(1.0))
        repulsion = eight.largest(eight.sub(eight.div(eight.constant(1.0), safe), per_space), zero)
        repulsion = builder.select(is_apart, repulsion, zero)
        for axis, component in enumerate(offset):
            eight.accumulate(totals[1 + axis], eight.mul(repulsion, component))
        here = builder.add(ir.Constant(ir.VectorType(I64, ROW), list(range(ROW))), eight.spread(first))
        is_there = builder.icmp_signed("<", here, eight.spread(count))
        is_coincident = builder.and_(is_there, builder.not_(is_apart))
        bits = builder.zext(builder.bitcast(is_coincident, ir.IntType(ROW)), I64)
        kind = ir.FunctionType(I64, [I64])
        count_bits = cgutils.get_or_insert_function(builder.module, kind, "llvm.ctpop.i64")
        builder.store(builder.add(builder.load(coincident_count), builder.call(count_bits, [bits])), coincident_count)
    builder.store(builder.load(totals[0]), eight._vector_at(sums, ir.Constant(I64, 0), _HALF), align=4)
    for k in range(4):
        total = eight.total(builder.load(totals[1 + k]))
        total = builder.fneg(total) if k < 3 else total
        builder.store(total, builder.gep(sums, [ir.Constant(I64, APART + k)]))
    return builder.load(coincident_count)
