"""Distance tests of sixteen points at a time: against one point, or against a box."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from .ir.lanes import I64, LANES, VECTOR, Lanes
from .ir.writer import FLAGS, I32

WHOLE = ir.VectorType(I32, LANES)
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
    number, whole = types.float32, types.int64
    return whole(columns, number, number, number, number, whole, whole, whole, near, whole), _test_sixteen


def _test_sixteen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    points, near = (lanes.pointer(signature.args[k], arguments[k]) for k in (0, 8))
    length = lanes.extent(signature.args[0], arguments[0], 1)
    square, first, stop, skip = (arguments[k] for k in range(4, 8))
    there = lanes.column_parts(points, length, first, 3)
    apart = [lanes.sub(part, lanes.spread(own)) for part, own in zip(there, arguments[1:4], strict=True)]
    number = builder.add(spread_whole(lanes, first), ir.Constant(WHOLE, list(range(LANES))))
    is_near = builder.fcmp_ordered("<", lanes.square(apart), lanes.spread(square), flags=FLAGS)
    is_other = builder.icmp_signed("!=", number, spread_whole(lanes, skip))
    mask = builder.and_(is_near, builder.and_(is_other, builder.icmp_signed("<", number, spread_whole(lanes, stop))))
    packed = pack(builder, number, mask)
    builder.store(packed, lanes._vector_at(near, arguments[9], WHOLE), align=4)
    return builder.add(arguments[9], popcount(lanes, mask))


@intrinsic
def list_near_box(typing_context, columns, box, square, first, stop, near, listed, count):
    """Append those of the points `first` to `stop`, up to sixteen, that are nearer than sqrt(square) to a box.

    Args:
        columns: (3, n + 16) float32 [m]; box: (6,) float32, its lowest and highest corner [m].
        near: int32, listed: (3, m) float32: numbers and places, with room for sixteen more than `count`; what stands
            behind the new count is overwritten.

    Returns the new count.
    """
    whole = types.int64
    return whole(columns, box, types.float32, whole, whole, near, listed, whole), _list_near_box


def _list_near_box(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    points, box, near, listed = (lanes.pointer(signature.args[k], arguments[k]) for k in (0, 1, 5, 6))
    length, room = (lanes.extent(signature.args[k], arguments[k], 1) for k in (0, 6))
    square, first, stop, count = arguments[2], arguments[3], arguments[4], arguments[7]
    there, parts = lanes.column_parts(points, length, first, 3), []
    for axis, part in enumerate(there):
        low, high = (lanes.spread(lanes.item(box, ir.Constant(I64, axis + k))) for k in (0, 3))
        below, above = lanes.sub(low, part), lanes.sub(part, high)
        away = builder.select(builder.fcmp_ordered(">", below, above), below, above)
        parts.append(builder.select(builder.fcmp_ordered(">", away, lanes.constant(0.0)), away, lanes.constant(0.0)))
    number = builder.add(spread_whole(lanes, first), ir.Constant(WHOLE, list(range(LANES))))
    is_near = builder.fcmp_ordered("<", lanes.square(parts), lanes.spread(square), flags=FLAGS)
    mask = builder.and_(is_near, builder.icmp_signed("<", number, spread_whole(lanes, stop)))
    builder.store(pack(builder, number, mask), lanes._vector_at(near, count, WHOLE), align=4)
    packed = [builder.bitcast(pack(builder, builder.bitcast(part, WHOLE), mask), VECTOR) for part in there]
    lanes.store_column_parts(packed, listed, room, count)
    return builder.add(count, popcount(lanes, mask))


@intrinsic
def test_listed(typing_context, near, listed, px, py, pz, square, first, stop, skip, found, count):
    """As `test_sixteen`, for the entries `first` to `stop` of what `list_near_box` has listed.

    Args: found: gets the numbers of those that are near.
    """
    number, whole = types.float32, types.int64
    return whole(near, listed, number, number, number, number, whole, whole, whole, found, whole), _test_listed


def _test_listed(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    near, listed, found = (lanes.pointer(signature.args[k], arguments[k]) for k in (0, 1, 9))
    room = lanes.extent(signature.args[1], arguments[1], 1)
    square, first, stop, skip, count = (arguments[k] for k in (5, 6, 7, 8, 10))
    there = lanes.column_parts(listed, room, first, 3)
    apart = [lanes.sub(part, lanes.spread(own)) for part, own in zip(there, arguments[2:5], strict=True)]
    number = builder.load(lanes._vector_at(near, first, WHOLE), align=4)
    entry = builder.add(spread_whole(lanes, first), ir.Constant(WHOLE, list(range(LANES))))
    is_near = builder.fcmp_ordered("<", lanes.square(apart), lanes.spread(square), flags=FLAGS)
    is_other = builder.icmp_signed("!=", number, spread_whole(lanes, skip))
    mask = builder.and_(is_near, builder.and_(is_other, builder.icmp_signed("<", entry, spread_whole(lanes, stop))))
    builder.store(pack(builder, number, mask), lanes._vector_at(found, count, WHOLE), align=4)
    return builder.add(count, popcount(lanes, mask))


@intrinsic
def turn_lists(typing_context, found, first, entry, neighbor, slot, stop):
    """Entries from `entry` on of sixteen lists become slots from `slot` on, up to sixteen and before `stop`.

    Args: found: (m, w) int32, the lists are rows from `first` on; neighbor: (slots, 16) int32, filled.
    """
    whole = types.int64
    return types.void(found, whole, whole, neighbor, whole, whole), _turn_lists


def _turn_lists(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    found, neighbor = (lanes.pointer(signature.args[k], arguments[k]) for k in (0, 3))
    width = lanes.extent(signature.args[0], arguments[0], 1)
    first, entry, slot, stop = (arguments[k] for k in (1, 2, 4, 5))
    rows = []
    for lane in range(LANES):
        row = builder.mul(builder.add(first, ir.Constant(I64, lane)), width)
        rows.append(builder.load(lanes._vector_at(found, builder.add(row, entry), WHOLE), align=4))
    for bit in (1, 2, 4, 8):
        # Each step changes one bit of a row's number for the same bit of a column's.
        low = [c if not c & bit else LANES + c - bit for c in range(LANES)]
        high = [c + bit if not c & bit else LANES + c for c in range(LANES)]
        for r in range(LANES):
            if not r & bit:
                a, b = rows[r], rows[r | bit]
                rows[r], rows[r | bit] = lanes.shuffle(a, b, low), lanes.shuffle(a, b, high)
    for lane, row in enumerate(rows):
        at = builder.add(slot, ir.Constant(I64, lane))
        with builder.if_then(builder.icmp_signed("<", at, stop)):
            builder.store(row, lanes._vector_at(neighbor, builder.shl(at, ir.Constant(I64, 4)), WHOLE), align=4)
    return context.get_dummy_value()


def popcount(lanes: Lanes, mask: Any) -> Any:
    """How many lanes of a mask are set, int64."""
    builder = lanes.builder
    kind = ir.FunctionType(BITS, [BITS])
    count = cgutils.get_or_insert_function(builder.module, kind, f"llvm.ctpop.i{LANES}")
    return builder.zext(builder.call(count, [builder.bitcast(mask, BITS)]), I64)


def spread_whole(lanes: Lanes, value: Any) -> Any:
    """An int64 in all lanes, int32."""
    return lanes.spread(lanes.builder.trunc(value, I32))


def pack(builder: Any, number: Any, mask: Any) -> Any:
    """The lanes selected by the mask, moved to the front."""
    signature = ir.FunctionType(WHOLE, [WHOLE, MASK, WHOLE])
    name = f"llvm.experimental.vector.compress.v{LANES}i32"
    compress = cgutils.get_or_insert_function(builder.module, signature, name)
    return builder.call(compress, [number, mask, ir.Constant(WHOLE, ir.Undefined)])
