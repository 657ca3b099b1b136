"""Distance tests of sixteen points at a time: against one point, or against a box."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from .ir.lanes import I64, LANES, VECTOR, Lanes
from .ir.writer import FLAGS, I32

INTEGERS = ir.VectorType(I32, LANES)
MASK = ir.VectorType(ir.IntType(1), LANES)
BITS = ir.IntType(LANES)


@intrinsic
def test_sixteen(typing_context, columns, px, py, pz, square, first, stop, skip, near, count):
    """Append the points from `first` on, up to sixteen and below `stop`, that are nearer than sqrt(square) to p.

    Args:
        columns: (3, n + 16) float32 [m]; px, py, pz: the point p [m]; skip: a point that is excluded.
        near: int32, with space for sixteen more than `count`; entries after the new count are overwritten.

    Returns the new count.
    """
    number, index = types.float32, types.int64
    return index(columns, number, number, number, number, index, index, index, near, index), _test_sixteen


def _test_sixteen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    points, near = (lanes.pointer(signature.args[k], arguments[k]) for k in (0, 8))
    length = lanes.extent(signature.args[0], arguments[0], 1)
    square, first, stop, skip = (arguments[k] for k in range(4, 8))
    there = lanes.column_parts(points, length, first, 3)
    apart = [lanes.sub(part, lanes.spread(own)) for part, own in zip(there, arguments[1:4], strict=True)]
    number = builder.add(spread_integer(lanes, first), ir.Constant(INTEGERS, list(range(LANES))))
    is_near = builder.fcmp_ordered("<", lanes.square(apart), lanes.spread(square), flags=FLAGS)
    is_other = builder.icmp_signed("!=", number, spread_integer(lanes, skip))
    mask = builder.and_(is_near, builder.and_(is_other, builder.icmp_signed("<", number, spread_integer(lanes, stop))))
    packed = pack(builder, number, mask)
    builder.store(packed, lanes._vector_at(near, arguments[9], INTEGERS), align=4)
    return builder.add(arguments[9], popcount(lanes, mask))


@intrinsic
def list_near_box(typing_context, columns, box, square, first, stop, near, listed, count):
    """Append those of the points `first` to `stop`, up to sixteen, that are nearer than sqrt(square) to a box.

    Args:
        columns: (3, n + 16) float32 [m]; box: (6,) float32, its lowest and highest corner [m].
        near: int32, listed: (3, m) float32: indices and positions, with capacity for sixteen more than `count`; entries
            after the new count are overwritten.

    Returns the new count.
    """
    index = types.int64
    return index(columns, box, types.float32, index, index, near, listed, index), _list_near_box


def _list_near_box(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    points, box, near, listed = (lanes.pointer(signature.args[k], arguments[k]) for k in (0, 1, 5, 6))
    length, capacity = (lanes.extent(signature.args[k], arguments[k], 1) for k in (0, 6))
    square, first, stop, count = arguments[2], arguments[3], arguments[4], arguments[7]
    there, parts = lanes.column_parts(points, length, first, 3), []
    for axis, part in enumerate(there):
        low, high = (lanes.spread(lanes.item(box, ir.Constant(I64, axis + k))) for k in (0, 3))
        below, above = lanes.sub(low, part), lanes.sub(part, high)
        away = builder.select(builder.fcmp_ordered(">", below, above), below, above)
        parts.append(builder.select(builder.fcmp_ordered(">", away, lanes.constant(0.0)), away, lanes.constant(0.0)))
    number = builder.add(spread_integer(lanes, first), ir.Constant(INTEGERS, list(range(LANES))))
    is_near = builder.fcmp_ordered("<", lanes.square(parts), lanes.spread(square), flags=FLAGS)
    mask = builder.and_(is_near, builder.icmp_signed("<", number, spread_integer(lanes, stop)))
    builder.store(pack(builder, number, mask), lanes._vector_at(near, count, INTEGERS), align=4)
    packed = [builder.bitcast(pack(builder, builder.bitcast(part, INTEGERS), mask), VECTOR) for part in there]
    lanes.store_column_parts(packed, listed, capacity, count)
    return builder.add(count, popcount(lanes, mask))


@intrinsic
def test_listed(typing_context, near, listed, px, py, pz, square, first, stop, skip, found, count):
    """As `test_sixteen`, for the entries `first` to `stop` of the list that `list_near_box` made.

    Args: found: out, indices of the points that are near.
    """
    number, index = types.float32, types.int64
    return index(near, listed, number, number, number, number, index, index, index, found, index), _test_listed


def _test_listed(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    near, listed, found = (lanes.pointer(signature.args[k], arguments[k]) for k in (0, 1, 9))
    capacity = lanes.extent(signature.args[1], arguments[1], 1)
    square, first, stop, skip, count = (arguments[k] for k in (5, 6, 7, 8, 10))
    there = lanes.column_parts(listed, capacity, first, 3)
    apart = [lanes.sub(part, lanes.spread(own)) for part, own in zip(there, arguments[2:5], strict=True)]
    number = builder.load(lanes._vector_at(near, first, INTEGERS), align=4)
    entry = builder.add(spread_integer(lanes, first), ir.Constant(INTEGERS, list(range(LANES))))
    is_near = builder.fcmp_ordered("<", lanes.square(apart), lanes.spread(square), flags=FLAGS)
    is_other = builder.icmp_signed("!=", number, spread_integer(lanes, skip))
    mask = builder.and_(is_near, builder.and_(is_other, builder.icmp_signed("<", entry, spread_integer(lanes, stop))))
    builder.store(pack(builder, number, mask), lanes._vector_at(found, count, INTEGERS), align=4)
    return builder.add(count, popcount(lanes, mask))


@intrinsic
def transpose_lists(typing_context, found, first, entry, neighbor, slot, stop):
    """Transpose entries from `entry` on of sixteen lists into slots from `slot` on, up to sixteen and before `stop`.

    Args: found: (m, w) int32, the lists are its rows from `first` on; neighbor: out (slots, 16) int32.
    """
    index = types.int64
    return types.void(found, index, index, neighbor, index, index), _turn_lists


def _turn_lists(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    found, neighbor = (lanes.pointer(signature.args[k], arguments[k]) for k in (0, 3))
    width = lanes.extent(signature.args[0], arguments[0], 1)
    first, entry, slot, stop = (arguments[k] for k in (1, 2, 4, 5))
    rows = []
    for lane in range(LANES):
        row = builder.mul(builder.add(first, ir.Constant(I64, lane)), width)
        rows.append(builder.load(lanes._vector_at(found, builder.add(row, entry), INTEGERS), align=4))
    for bit in (1, 2, 4, 8):
        # Each step exchanges one bit of the row index with the same bit of the column index.
        low = [c if not c & bit else LANES + c - bit for c in range(LANES)]
        high = [c + bit if not c & bit else LANES + c for c in range(LANES)]
        for r in range(LANES):
            if not r & bit:
                a, b = rows[r], rows[r | bit]
                rows[r], rows[r | bit] = lanes.shuffle(a, b, low), lanes.shuffle(a, b, high)
    for lane, row in enumerate(rows):
        at = builder.add(slot, ir.Constant(I64, lane))
        with builder.if_then(builder.icmp_signed("<", at, stop)):
            builder.store(row, lanes._vector_at(neighbor, builder.shl(at, ir.Constant(I64, 4)), INTEGERS), align=4)
    return context.get_dummy_value()


def popcount(lanes: Lanes, mask: Any) -> Any:
    """Number of lanes of a mask that are set, int64."""
    builder = lanes.builder
    kind = ir.FunctionType(BITS, [BITS])
    count = cgutils.get_or_insert_function(builder.module, kind, f"llvm.ctpop.i{LANES}")
    return builder.zext(builder.call(count, [builder.bitcast(mask, BITS)]), I64)


def spread_integer(lanes: Lanes, value: Any) -> Any:
    """Broadcast an int64 to all lanes, as int32."""
    return lanes.spread(lanes.builder.trunc(value, I32))


def pack(builder: Any, number: Any, mask: Any) -> Any:
    """The lanes selected by the mask, moved to the front."""
    signature = ir.FunctionType(INTEGERS, [INTEGERS, MASK, INTEGERS])
    name = f"llvm.experimental.vector.compress.v{LANES}i32"
    compress = cgutils.get_or_insert_function(builder.module, signature, name)
    return builder.call(compress, [number, mask, ir.Constant(INTEGERS, ir.Undefined)])
