"""Bending, sixteen hinges at a time: the vector twin of `constraints.bending`."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ...compiler.kernels import kernel, parallel_kernel, prange
from ..constraints.bending import FLATTEST, MOST_TURN
from .ir.lanes import I64, LANES, Lanes, is_row_array
from .ir.writer import FLAGS

# Smallest |n|^2 of a triangle [m^4] that single precision can divide by safely.
SMALLEST = 1e-30
# Arctangent: arguments above tan(pi / 8) are reduced by 45 degrees; below it arctan x = x + x^3 (c0 + c1 x^2 + ...).
# The coefficients are a least-squares fit at Chebyshev points, with an error of at most 4.5e-8.
EIGHTH = math.tan(math.pi / 8.0)
ARC = (-0.33333288, 0.19991394, -0.1402655, 0.08529791)


@intrinsic(prefer_literal=True)
def relax_sixteen(typing_context, moved, hinges, place, back):
    """Project the hinges place : place + 16, no two of which share a particle; hinges: `HingeColumns`.

    `back` is a literal: the forward pass starts lam at 0, the backward pass continues it.
    """
    if not (isinstance(back, types.Literal) and is_row_array(moved)):
        return None
    signature = types.void(moved, hinges, types.int64, back)
    return signature, _RELAX[back.literal_value]


def _relax_sixteen(context: Any, builder: Any, signature: Any, arguments: Any, back: bool = False) -> Any:
    lanes = Lanes(context, builder)
    moved = lanes.pointer(signature.args[0], arguments[0])
    hinges, base, rest, kappa, lam = lanes.field_pointers(
        signature.args[1], arguments[1], ("corners", "base", "rest", "kappa", "lam")
    )
    count, place = lanes.field_extent(signature.args[1], arguments[1], "base", 1), arguments[2]
    planes = [builder.gep(base, [builder.mul(count, ir.Constant(I64, plane))]) for plane in range(9)]
    at = [
        lanes.row_addresses(moved, builder.gep(hinges, [builder.mul(count, ir.Constant(I64, corner))]), place)
        for corner in range(4)
    ]
    corners = [lanes.columns(addresses) for addresses in at]
    first, weights = corners[0][:3], [corner[3] for corner in corners]
    edge, to_corner_c, to_corner_d = (
        [
            lanes.add(lanes.load(planes[3 * k + axis], place), lanes.sub(corners[k + 1][axis], first[axis]))
            for axis in range(3)
        ]
        for k in range(3)
    )
    n_c, n_d = _cross(lanes, edge, to_corner_c), _cross(lanes, to_corner_d, edge)
    cc, dd, ee = (lanes.square(parts) for parts in (n_c, n_d, edge))
    length, stiff = lanes.sqrt(ee), lanes.load(kappa, place)
    least = lanes.add(lanes.mul(lanes.constant(FLATTEST), lanes.mul(ee, ee)), lanes.constant(SMALLEST))
    real = _all(lanes, (cc, least), (dd, least), (stiff, lanes.constant(0.0)))
    one = lanes.constant(1.0)
    # Hinges without area divide by one and are not moved.
    cc, dd, ee = (builder.select(real, square, one) for square in (cc, dd, ee))
    angle = _arc(lanes, lanes.mul(length, _dot(lanes, n_d, to_corner_c)), _dot(lanes, n_c, n_d))
    u_c, u_d = (
        [lanes.mul(lanes.div(length, square), part) for part in normal] for square, normal in ((cc, n_c), (dd, n_d))
    )
    f_c, f_d = (lanes.div(_dot(lanes, to_corner, edge), ee) for to_corner in (to_corner_c, to_corner_d))
    gradient_a, gradient_b = (
        [lanes.add(lanes.mul(c, x), lanes.mul(d, y)) for x, y in zip(u_c, u_d, strict=True)]
        for c, d in (
            (lanes.sub(f_c, one), lanes.sub(f_d, one)),
            (lanes.sub(lanes.constant(0.0), f_c), lanes.sub(lanes.constant(0.0), f_d)),
        )
    )
    gradients = (gradient_a, gradient_b, u_c, u_d)
    weight = lanes.constant(0.0)
    for w, gradient in zip(weights, gradients, strict=True):
        weight = lanes.add(weight, lanes.mul(w, lanes.square(gradient)))
    real = builder.and_(real, _above(lanes, weight, lanes.constant(0.0)))
    weight = builder.select(real, weight, one)
    pull = lanes.mul(stiff, _wrapped(lanes, lanes.sub(angle, lanes.load(rest, place))))
    if back:
        pull = lanes.add(pull, lanes.load(lam, place))
    step = lanes.div(lanes.sub(lanes.constant(0.0), pull), lanes.add(lanes.mul(stiff, weight), one))
    largest = lanes.div(lanes.constant(MOST_TURN), weight)
    step = builder.select(_above(lanes, step, largest), largest, step)
    smallest = lanes.sub(lanes.constant(0.0), largest)
    step = builder.select(_above(lanes, smallest, step), smallest, step)
    step = builder.select(real, step, lanes.constant(0.0))
    lanes.store(lanes.add(lanes.load(lam, place), step) if back else step, lam, place)
    for corner, w, gradient, addresses in zip(corners, weights, gradients, at, strict=True):
        weighted_step = lanes.mul(step, w)
        new = [lanes.add(x, lanes.mul(weighted_step, slope)) for x, slope in zip(corner[:3], gradient, strict=True)]
        lanes.store_quarters(lanes.transpose([*new, w]), addresses)
    return context.get_dummy_value()


_RELAX = {back: partial(_relax_sixteen, back=back) for back in (False, True)}


def _above(lanes: Lanes, a: Any, b: Any) -> Any:
    return lanes.builder.fcmp_ordered(">", a, b, flags=FLAGS)


def _all(lanes: Lanes, *pairs: tuple[Any, Any]) -> Any:
    """Lanes in which the first of each pair is greater than the second."""
    found = _above(lanes, *pairs[0])
    for pair in pairs[1:]:
        found = lanes.builder.and_(found, _above(lanes, *pair))
    return found


def _cross(lanes: Lanes, a: list[Any], b: list[Any]) -> list[Any]:
    return [lanes.sub(lanes.mul(a[k - 2], b[k - 1]), lanes.mul(a[k - 1], b[k - 2])) for k in range(3)]


def _dot(lanes: Lanes, a: list[Any], b: list[Any]) -> Any:
    x, y, z = (lanes.mul(one, other) for one, other in zip(a, b, strict=True))
    return lanes.add(x, lanes.add(y, z))


def _wrapped(lanes: Lanes, angle: Any) -> Any:
    """An angle between -2 pi and 2 pi, wrapped to -pi ... pi."""
    half_circle, full_circle = lanes.constant(math.pi), lanes.constant(2.0 * math.pi)
    select = lanes.builder.select
    lowered = select(_above(lanes, angle, half_circle), lanes.sub(angle, full_circle), angle)
    return select(_above(lanes, lanes.constant(-math.pi), angle), lanes.add(angle, full_circle), lowered)


def _arc(lanes: Lanes, y: Any, x: Any) -> Any:
    """The angle of (x, y), from -pi to pi, to within a few roundings."""
    build, zero, one = lanes.builder, lanes.constant(0.0), lanes.constant(1.0)
    size_x, size_y = (_size(lanes, part) for part in (x, y))
    is_steep = _above(lanes, size_y, size_x)
    larger, smaller = build.select(is_steep, size_y, size_x), build.select(is_steep, size_x, size_y)
    ratio = lanes.div(smaller, build.select(_above(lanes, larger, zero), larger, one))
    is_above_eighth = _above(lanes, ratio, lanes.constant(EIGHTH))
    reduced = build.select(is_above_eighth, lanes.div(lanes.sub(ratio, one), lanes.add(ratio, one)), ratio)
    square, series = lanes.mul(reduced, reduced), zero
    for coefficient in reversed(ARC):
        series = lanes.add(lanes.mul(series, square), lanes.constant(coefficient))
    angle = lanes.add(reduced, lanes.mul(lanes.mul(reduced, square), series))
    angle = lanes.add(angle, build.select(is_above_eighth, lanes.constant(0.25 * math.pi), zero))
    angle = build.select(is_steep, lanes.sub(lanes.constant(0.5 * math.pi), angle), angle)
    angle = build.select(_above(lanes, zero, x), lanes.sub(lanes.constant(math.pi), angle), angle)
    return build.select(_above(lanes, zero, y), lanes.sub(zero, angle), angle)


def _size(lanes: Lanes, value: Any) -> Any:
    less = lanes.sub(lanes.constant(0.0), value)
    return lanes.builder.select(_above(lanes, less, value), less, value)


@parallel_kernel
def relax_hinges(moved, hinges, g):
    """The hinges of island g once forward and once backward; arguments as in `constraints.bending.relax_hinges`."""
    begin = hinges.island[g]
    stages = hinges.island[g + 1] - begin - 1
    for pass_index in range(2 * stages - 1):
        stage = begin + min(pass_index, 2 * stages - 2 - pass_index)
        first = hinges.stage_start[stage]
        stop = hinges.stage_start[stage + 1]
        if hinges.is_wide[stage]:
            for place in prange(first, stop):
                _relax_task(moved, hinges, hinges.task[place], pass_index, stages)
        else:
            for place in range(first, stop):
                _relax_task(moved, hinges, hinges.task[place], pass_index, stages)


@kernel
def _relax_task(moved, hinges, task, pass_index, stages):
    """Solve the blocks of a task; the last stage runs backward at once."""
    first = hinges.task_start[task]
    stop = hinges.task_start[task + 1]
    if pass_index < stages:
        for block in range(first, stop):
            relax_sixteen(moved, hinges, block * LANES, False)
    if pass_index >= stages - 1:
        for block in range(stop - 1, first - 1, -1):
            relax_sixteen(moved, hinges, block * LANES, True)
