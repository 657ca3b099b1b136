"""Start and end of a solve, with x, y and z in vector lanes: the vector twins of `constraints.local`."""

from __future__ import annotations

from functools import partial
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ...compiler.kernels import parallel_kernel, prange
from ..constraints.momentum import TURN
from .ir.lanes import I64, is_row_array
from .ir.quads import YZX, ZXY, Quads, is_vectors
from .ir.writer import field_type


@intrinsic(prefer_literal=True)
def take_block(typing_context, particles, ids, gravity, fraction, rows, origin, sums, block, first, stop, is_spread):
    """The rows first : stop of a block, as `constraints.local.take_rows`.

    `is_spread`, a literal: whether there are spread forces.
    """
    is_right = is_vectors(field_type(particles, "x")) and is_row_array(field_type(rows, "speed"))
    if not (isinstance(is_spread, types.BooleanLiteral) and is_right):
        return None
    signature = types.void(
        particles, ids, gravity, types.float64, rows, origin, sums, *[types.int64] * 3, is_spread
    )
    return signature, _TAKE[is_spread.literal_value]


def _take_block(context: Any, builder: Any, signature: Any, arguments: Any, is_spread: bool = False) -> Any:
    quads = Quads(context, builder)
    of_particles, of_rows = signature.args[0], signature.args[4]
    x_n, v, spread_dv, spread_gradient, inv_mass, mass = quads.field_pointers(
        of_particles, arguments[0], ("x", "v", "dv_per_step", "dv_gradient", "inv_mass", "mass")
    )
    at, speed, dv_per_step, dv_gradient = quads.field_pointers(
        of_rows, arguments[4], ("at", "speed", "dv_per_step", "dv_gradient")
    )
    ids, origin, sums = (quads.pointer(signature.args[k], arguments[k]) for k in (1, 5, 6))
    fraction, block, first, stop = arguments[3], *arguments[7:10]
    block_origin = quads.three(origin, _times(builder, block, 3))
    gravity = quads.vector(*(builder.extract_value(arguments[2], axis) for axis in range(3)))
    fraction_lanes, zero = quads.spread(fraction), quads.constant(0.0)
    total_mass, first_moment, momentum, angular_momentum, impulse, angular_impulse, energy = quads.running_sums(7)
    last = builder.sub(stop, ir.Constant(I64, 1))
    with quads.rows(first, stop) as row:
        streams = (
            (x_n, 3), (v, 3), (inv_mass, 1), (mass, 1),
            *(((spread_dv, 3), (spread_gradient, 3)) if is_spread else ()),
        )
        quads.fetch_row(ids, row, last, *streams)
        i = quads.item(ids, row)
        xyz = _times(builder, i, 3)
        is_free = builder.fcmp_ordered(">", quads.item(inv_mass, i), quads.number(0.0))
        a, velocity = quads.sub(quads.three(x_n, xyz), block_origin), quads.three(v, xyz)
        dv = quads.add(gravity, quads.three(spread_dv, xyz)) if is_spread else gravity
        dv = builder.select(is_free, dv, zero)
        if is_spread:
            gradient = quads.mul(fraction_lanes, quads.three(spread_gradient, xyz))
            quads.store_row(quads.narrow(builder.select(is_free, gradient, zero)), dv_gradient, row)
        quads.store_three(a, at, builder.shl(row, ir.Constant(I64, 2)))
        quads.store_row(quads.narrow(quads.sub(velocity, dv)), speed, row)
        quads.store_row(quads.narrow(quads.mul(fraction_lanes, dv)), dv_per_step, row)
        weight = quads.spread(quads.item(mass, i))
        for running, value in (
            (impulse, dv), (angular_impulse, quads.cross(a, dv)), (first_moment, a), (momentum, velocity),
            (angular_momentum, quads.cross(a, velocity)), (energy, quads.mul(velocity, velocity)),
        ):
            quads.accumulate(running, quads.mul(weight, value))
        quads.accumulate(total_mass, weight)
    _write_sums(quads, sums, block, [
        (total_mass, (0,)), (first_moment, (0, 1, 2)), (momentum, (0, 1, 2)), (angular_momentum, YZX[:3]),
        (impulse, (0, 1, 2)), (angular_impulse, YZX[:3]),
    ], energy)
    return context.get_dummy_value()


_TAKE = {is_spread: partial(_take_block, is_spread=is_spread) for is_spread in (False, True)}


@intrinsic
def settle_block(typing_context, rows, mass, ids, sums, per_h, block, first, stop):
    """The rows first : stop of a block; arguments as in `constraints.local.settle`, and per_h = 1 / h."""
    if not (is_row_array(field_type(rows, "moved")) and is_vectors(field_type(rows, "at"))):
        return None
    return types.void(rows, mass, ids, sums, types.float32, *[types.int64] * 3), _settle_block


def _settle_block(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    quads = Quads(context, builder)
    moved, reached, speed, dv_per_step, dv_gradient, at = quads.field_pointers(
        signature.args[0], arguments[0], ("moved", "reached", "speed", "dv_per_step", "dv_gradient", "at")
    )
    mass, ids, sums = (quads.pointer(signature.args[k], arguments[k]) for k in (1, 2, 3))
    per_h, block, first, stop = arguments[4:8]
    rate = quads.spread(per_h)
    zero = ir.Constant(rate.type, [0.0] * 4)
    total_mass, first_moment, momentum, angular_momentum, second_moments, products, energy = quads.running_sums(7)
    last = builder.sub(stop, ir.Constant(I64, 1))
    with quads.rows(first, stop) as row:
        quads.fetch_row(ids, row, last, (mass, 1))
        here, there = quads.row(moved, row), quads.row(reached, row)
        velocity = quads.row(speed, row)
        is_free = builder.fcmp_ordered(">", quads.lane(here, 3), ir.Constant(here.type.element, 0.0))
        corrected = quads.mul(quads.with_last_of(quads.sub(here, there), zero), rate)
        velocity = builder.select(is_free, quads.add(velocity, corrected), velocity)
        quads.store_row(velocity, speed, row)
        rise = quads.mul(quads.row(dv_gradient, row), quads.permuted(here, (2, 2, 2, 2)))
        quads.store_row(quads.add(quads.row(dv_per_step, row), rise), dv_per_step, row)
        a = quads.add(quads.row(at, row), quads.widen(quads.with_last_of(here, zero)))
        quads.store_row(a, at, row)
        quads.store_row(quads.with_last_of(zero, here), moved, row)
        quads.store_row(quads.with_last_of(zero, there), reached, row)
        weight = quads.spread(quads.item(mass, quads.item(ids, row)))
        mass_moment, v = quads.mul(weight, a), quads.widen(velocity)
        for running, value in (
            (total_mass, weight), (first_moment, mass_moment), (momentum, quads.mul(weight, v)),
            (angular_momentum, quads.cross(mass_moment, v)), (second_moments, quads.mul(mass_moment, a)),
            (products, quads.mul(quads.permuted(mass_moment, (0, 0, 1, 3)), quads.permuted(a, (1, 2, 2, 3)))),
            (energy, quads.mul(weight, quads.mul(v, v))),
        ):
            quads.accumulate(running, value)
    _write_sums(quads, sums, block, [
        (total_mass, (0,)), (first_moment, (0, 1, 2)), (momentum, (0, 1, 2)), (angular_momentum, YZX[:3]),
        (second_moments, (0, 1, 2)), (products, (0, 1, 2)),
    ], energy)
    return context.get_dummy_value()


@intrinsic
def give_block(typing_context, rows, places, inv_mass, ids, origin, correction, h, block, piece, first, stop):
    """The rows first : stop of a block in a piece; arguments as in `constraints.local.give_rows`."""
    if not (is_row_array(field_type(rows, "speed")) and is_vectors(field_type(rows, "at"))):
        return None
    return types.void(rows, places, inv_mass, ids, origin, correction, types.float64, *[types.int64] * 4), _give_block


def _give_block(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    quads = Quads(context, builder)
    at, speed = quads.field_pointers(signature.args[0], arguments[0], ("at", "speed"))
    x, x_prev = quads.field_pointers(signature.args[1], arguments[1], ("x", "x_prev"))
    inv_mass, ids, origin, correction = (quads.pointer(signature.args[k], arguments[k]) for k in (2, 3, 4, 5))
    h, block, piece, first, stop = arguments[6:11]
    of_piece = _times(builder, piece, TURN)
    centre, shift, gain, spin, tilt = (
        quads.three(correction, builder.add(of_piece, ir.Constant(I64, column))) for column in (1, 4, 7, 10, 13)
    )
    kept = quads.spread(quads.item(correction, builder.add(of_piece, ir.Constant(I64, TURN - 1))))
    block_origin, step = quads.three(origin, _times(builder, block, 3)), quads.spread(h)
    last = builder.sub(stop, ir.Constant(I64, 1))
    with quads.rows(first, stop) as row:
        quads.fetch_row(ids, row, last, (x, 3), (x_prev, 3), (inv_mass, 1))
        i = quads.item(ids, row)
        with builder.if_then(builder.fcmp_ordered(">", quads.item(inv_mass, i), quads.number(0.0))):
            a = quads.row(at, row)
            lever = quads.sub(a, centre)
            lever_yzx, lever_zxy = quads.permuted(lever, YZX), quads.permuted(lever, ZXY)
            v = quads.add(quads.mul(kept, quads.widen(quads.row(speed, row))), gain)
            v = quads.add(v, quads.mul(quads.permuted(spin, YZX), lever_zxy))
            v = quads.sub(v, quads.mul(quads.permuted(spin, ZXY), lever_yzx))
            tilted = quads.sub(
                quads.mul(quads.permuted(tilt, YZX), lever_zxy), quads.mul(quads.permuted(tilt, ZXY), lever_yzx)
            )
            now = quads.add(block_origin, quads.add(quads.add(a, shift), tilted))
            quads.store_three(now, x, _times(builder, i, 3))
            quads.store_three(quads.sub(now, quads.mul(step, v)), x_prev, _times(builder, i, 3))
    return context.get_dummy_value()


def _write_sums(
    quads: Quads, sums: Any, block: Any, parts: list[tuple[Any, tuple[int, ...]]], energy: Any
) -> None:
    """Store chosen lanes of running sums in sequence, then half the sum of the first three lanes of `energy`."""
    builder = quads.builder
    values = [quads.lane(builder.load(total), lane) for total, lanes in parts for lane in lanes]
    xyz = builder.load(energy)
    double_energy = quads.add(quads.add(quads.lane(xyz, 0), quads.lane(xyz, 1)), quads.lane(xyz, 2))
    values.append(quads.mul(quads.number(0.5), double_energy))
    place = _times(builder, block, len(values))
    for nth, value in enumerate(values):
        builder.store(value, builder.gep(sums, [builder.add(place, ir.Constant(I64, nth))]))


def _times(builder: Any, place: Any, width: int) -> Any:
    return builder.mul(place, ir.Constant(I64, width))


@parallel_kernel
def take_rows(particles, blocks, gravity, fraction, rows, origin, sums):
    """As `constraints.local.take_rows`."""
    for block in prange(blocks.start.shape[0] - 1):
        first = blocks.start[block]
        stop = blocks.start[block + 1]
        for k in range(3):
            origin[block, k] = particles.x[blocks.first[block], k]
        if particles.dv_per_step.shape[0] > 0:
            take_block(particles, blocks.ids, gravity, fraction[block], rows, origin, sums, block, first, stop, True)
        else:
            take_block(particles, blocks.ids, gravity, fraction[block], rows, origin, sums, block, first, stop, False)


@parallel_kernel
def settle(rows, blocks, islands, g, h, mass, sums):
    """As `constraints.local.settle`."""
    per_h = rows.moved.dtype.type(1.0) / h
    own = islands.block
    start = blocks.start
    ids = blocks.ids
    for place in prange(islands.block_start[g], islands.block_start[g + 1]):
        block = own[place]
        settle_block(rows, mass, ids, sums, per_h, block, start[block], start[block + 1])


@parallel_kernel
def give_rows(rows, places, inv_mass, blocks, origin, correction, h):
    """As `constraints.local.give_rows`."""
    for block in prange(blocks.start.shape[0] - 1):
        give_block(
            rows, places, inv_mass, blocks.ids, origin, correction, h, block, blocks.piece[block], blocks.start[block],
            blocks.start[block + 1],
        )
