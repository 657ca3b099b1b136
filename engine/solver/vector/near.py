"""Distance test of sixteen points against one: the vector twin of the loop in `neighbors.lists.test_run`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from .ir.lanes import LANES, Lanes
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
    number = builder.add(_spread_whole(lanes, first), ir.Constant(WHOLE, list(range(LANES))))
    is_near = builder.fcmp_ordered("<", lanes.square(apart), lanes.spread(square), flags=FLAGS)
    is_other = builder.icmp_signed("!=", number, _spread_whole(lanes, skip))
    mask = builder.and_(is_near, builder.and_(is_other, builder.icmp_signed("<", number, _spread_whole(lanes, stop))))
    packed = _pack(builder, number, mask)
    builder.store(packed, lanes._vector_at(near, arguments[9], WHOLE), align=4)
    found = builder.call(
        cgutils.get_or_insert_function(builder.module, ir.FunctionType(BITS, [BITS]), f"llvm.ctpop.i{LANES}"),
        [builder.bitcast(mask, BITS)],
    )
    return builder.add(arguments[9], builder.zext(found, arguments[9].type))


def _spread_whole(lanes: Lanes, value: Any) -> Any:
    return lanes.spread(lanes.builder.trunc(value, I32))


def _pack(builder: Any, number: Any, mask: Any) -> Any:
    """The lanes selected by the mask, moved to the front."""
    signature = ir.FunctionType(WHOLE, [WHOLE, MASK, WHOLE])
    pack = cgutils.get_or_insert_function(builder.module, signature, f"llvm.experimental.vector.compress.v{LANES}i32")
    return builder.call(pack, [number, mask, ir.Constant(WHOLE, ir.Undefined)])
