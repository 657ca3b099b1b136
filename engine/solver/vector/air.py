"""Vector kernels for enclosed air: the twins of kernels in `gas.volume`; displacements have the same bits.

The rows of a piece are consecutive, unless several hollow bodies are tied into one piece. Gradients are rows of four
too, so consecutive rows and gradients are loaded side by side, without a gather. Other rows use the plain loop.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from ...compiler.kernels import kernel, parallel_kernel, prange
from ..constraints.gas.volume import change_of_row, push_rows
from .ir.lanes import I64, LANES, ROWS, WIDE, Lanes, is_row_array
from .ir.quads import YZX, Quads, is_vectors
from .ir.writer import I32

# Blocks with fewer rows than this are summed by the plain loop.
MANY = 256
# Triangle normals are prefetched this many corners ahead, because rows and triangles are in different orders.
CORNERS_AHEAD = 24


@intrinsic
def move_four(typing_context, rows, gradient, scale, row, place):
    """x += scale w dV/dx for four rows; the last column of gradients is 0."""
    if not (is_row_array(rows) and is_row_array(gradient)):
        return None
    return types.void(rows, gradient, types.float64, types.int64, types.int64), _move_four


def _move_four(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = Lanes(context, builder)
    rows, gradient = (
        lanes.pointer(kind, array) for kind, array in zip(signature.args[:2], arguments[:2], strict=True)
    )
    scale, row, place = arguments[2:]
    first, second = (builder.shl(start, ir.Constant(I64, 2)) for start in (row, place))
    here = lanes.load(rows, first)
    dv_gradient = lanes.widen(lanes.load(gradient, second))
    weighted_scale = lanes.mul(lanes.spread(scale), lanes.widen(lanes.row_component(here, 3)))
    there = lanes.narrow(lanes.add(lanes.widen(here), lanes.mul(weighted_scale, dv_gradient)))
    lanes.store(there, rows, first)
    return context.get_dummy_value()


@kernel
def are_consecutive(ids, first, stop):
    """Whether the ascending rows ids[first : stop] are consecutive."""
    return stop > first and ids[stop - 1] - ids[first] == stop - 1 - first


@parallel_kernel
def push_apart(rows, air, parts, g):
    """As `gas.volume.push_apart`."""
    for place in prange(air.of_blocks[g], air.of_blocks[g + 1]):
        block = air.block[place]
        scale = parts.push[air.block_part[block]]
        without = parts.still[air.block_part[block]]
        if scale != 0.0:
            first = air.block_start[block]
            stop = air.block_start[block + 1]
            if without == 0.0 and are_consecutive(air.ids, first, stop):
                row = air.ids[first] - first
                fours = (stop - first) // ROWS
                for four in range(fours):
                    place = first + ROWS * four
                    move_four(rows.moved, air.gradient, scale, row + place, place)
                first += ROWS * fours
            push_rows(rows, air, first, stop, scale, without)


@intrinsic
def change_of_fours(typing_context, rows, gradient, row, place, fours):
    """Sum of dV/dx . dx over `fours` times four consecutive rows; the last column of gradients is 0."""
    if not (is_row_array(rows) and is_row_array(gradient)):
        return None
    return types.float64(rows, gradient, *[types.int64] * 3), _change_of_fours


def _change_of_fours(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes, quads = Lanes(context, builder), Quads(context, builder)
    rows, gradient = (
        lanes.pointer(kind, array) for kind, array in zip(signature.args[:2], arguments[:2], strict=True)
    )
    first, second = (builder.shl(start, ir.Constant(I64, 2)) for start in arguments[2:4])
    total = cgutils.alloca_once_value(builder, ir.Constant(WIDE, [0.0] * LANES))
    with quads.rows(ir.Constant(I64, 0), arguments[4]) as four:
        off = builder.shl(four, ir.Constant(I64, 4))
        here, dv_gradient = lanes.load(rows, builder.add(first, off)), lanes.load(gradient, builder.add(second, off))
        lanes.accumulate(total, lanes.widen(lanes.mul(here, dv_gradient)))
    found = [builder.extract_element(builder.load(total), ir.Constant(I32, lane)) for lane in range(LANES)]
    while len(found) > 1:
        found = [lanes.add(one, other) for one, other in zip(found[::2], found[1::2], strict=True)]
    return found[0]


@intrinsic
def normals_of_block(typing_context, rows, triangles, normal, first, stop, origin):
    """As `gas.volume.normals_of_block`: normals of the triangles first : stop; returns their volume from `origin`."""
    if not (is_vectors(rows) and is_vectors(normal)):
        return None
    return types.float64(rows, triangles, normal, *[types.int64] * 3), _normals_of_block


def _normals_of_block(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    quads = Quads(context, builder)
    rows, triangles, normal = quads.pointers(signature, arguments, 3)
    first, stop, origin = arguments[3:]
    total, origin_row = cgutils.alloca_once_value(builder, quads.number(0.0)), quads.row(rows, origin)
    with quads.rows(first, stop) as triangle:
        corner = builder.mul(triangle, ir.Constant(I64, 3))
        places = [builder.add(corner, ir.Constant(I64, k)) for k in range(3)]
        a, b, c = (quads.row(rows, _wide(builder, quads.item(triangles, place))) for place in places)
        found = quads.permuted(quads.cross(quads.sub(b, a), quads.sub(c, a)), YZX)
        found = quads.with_last_of(found, quads.constant(0.0))
        quads.store_row(found, normal, triangle)
        products = quads.mul(quads.sub(a, origin_row), found)
        x, y, z = (quads.lane(products, axis) for axis in range(3))
        quads.accumulate(total, quads.add(quads.add(x, y), z))
    return builder.fdiv(builder.load(total), quads.number(6.0), flags=("arcp",))


@intrinsic
def gradients_of_block(typing_context, rows, ids, normal, corner_start, corners, gradient, begin, end):
    """As `gas.volume.gradients_of_block`: gradients at the places begin : end; returns the sum of w |dV/dx|^2."""
    if not (is_vectors(rows) and is_vectors(normal) and is_row_array(gradient)):
        return None
    signature = types.float64(rows, ids, normal, corner_start, corners, gradient, types.int64, types.int64)
    return signature, _gradients_of_block


def _gradients_of_block(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    quads = Quads(context, builder)
    rows, ids, normal, corner_start, corners, gradient = quads.pointers(signature, arguments, 6)
    begin, end = arguments[6:]
    one = ir.Constant(I64, 1)
    last = builder.sub(quads.item(corner_start, end), one)
    total, (around,) = cgutils.alloca_once_value(builder, quads.number(0.0)), quads.running_sums(1)
    with quads.rows(begin, end) as place:
        first = quads.item(corner_start, place)
        builder.store(quads.row(normal, _wide(builder, quads.item(corners, first))), around)
        stop = quads.item(corner_start, builder.add(place, one))
        with quads.rows(builder.add(first, one), stop) as corner:
            quads.fetch_row(corners, corner, last, (normal, 4), ahead=CORNERS_AHEAD)
            quads.accumulate(around, quads.row(normal, _wide(builder, quads.item(corners, corner))))
        found = builder.load(around)
        quads.store_row(quads.narrow(builder.fdiv(found, quads.constant(6.0), flags=("arcp",))), gradient, place)
        x, y, z = (quads.lane(found, axis) for axis in range(3))
        square = quads.add(quads.add(quads.mul(x, x), quads.mul(y, y)), quads.mul(z, z))
        row = builder.shl(_wide(builder, quads.item(ids, place)), ir.Constant(I64, 2))
        row_inv_mass = quads.item(rows, builder.add(row, ir.Constant(I64, 3)))
        quads.accumulate(total, quads.mul(row_inv_mass, square))
    return builder.fdiv(builder.load(total), quads.number(36.0), flags=("arcp",))


def _wide(builder: Any, number: Any) -> Any:
    return builder.sext(number, I64)


@kernel
def change_of_block(moved, began, ids, first, stop, gradient, change, block):
    """As one block of `gas.volume.block_changes`; consecutive rows are summed in lanes."""
    total = 0.0
    before = 0.0
    if stop - first >= MANY and are_consecutive(ids, first, stop):
        row = ids[first]
        fours = (stop - first) // ROWS
        total = change_of_fours(moved, gradient, row, first, fours)
        before = change_of_fours(began, gradient, row, first, fours)
        first += ROWS * fours
    for q in range(first, stop):
        total += change_of_row(moved, gradient, ids[q], q)
        before += change_of_row(began, gradient, ids[q], q)
    change[block, 0] = total
    change[block, 1] = before


@parallel_kernel
def triangle_normals(rows, blocks, triangles, block_start, block_origin, normal, volume):
    """As `gas.volume.triangle_normals`; normals (t, 4) get 0 in their last column."""
    for place in prange(blocks.shape[0]):
        block = blocks[place]
        volume[block] = normals_of_block(
            rows, triangles, normal, block_start[block], block_start[block + 1], block_origin[block]
        )


@parallel_kernel
def vertex_gradients(rows, blocks, ids, normal, corner_start, corners, block_start, gradient, weight):
    """As `gas.volume.vertex_gradients`, with normals from `triangle_normals`."""
    for place in prange(blocks.shape[0]):
        block = blocks[place]
        weight[block] = gradients_of_block(
            rows, ids, normal, corner_start, corners, gradient, block_start[block], block_start[block + 1]
        )
