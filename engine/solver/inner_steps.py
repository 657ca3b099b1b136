"""The steps that springs and air take within a substep: all in one call, so that a step costs what its springs cost.

An inner step is a whole step of XPBD for springs and air alone: move on, air, springs, velocities. Many small steps
with one pass each come closer than one step with many passes (Macklin et al. 2019), and what else is in the world need
not be asked each time: forces from outside are spread evenly, and air keeps the direction in which it pushes each
vertex as long as no volume has changed much.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import overload

from ..compiler.kernels import kernel
from .constraints import bending, distance, local
from .constraints.contact import contacts as holding
from .constraints.gas.volume import drift_and_change as _plain_change
from .constraints.gas.volume import gas_pressures, has_changed, volume_changes, would_turn
from .constraints.gas.volume import push_apart as _plain_push
from .constraints.gas.volume_around import push_around
from .vector import bending as vector_bending
from .vector import contacts as vector_holding
from .vector import distance as vector
from .vector import drift as vector_drift
from .vector import span as vector_span
from .vector.air import push_apart as _vector_push

# Air looks again which way it pushes when a volume has changed by this share of it; more would let energy in: at 0.03
# stretched rings found some (see `tests/engine/test_fuzz.py`).
MOST_CHANGE = 0.01

_plain_drift, _plain_relax, _plain_follow = local.drift, distance.relax, distance.follow_lengths
_vector_drift, _vector_relax, _vector_follow = vector_drift.drift, vector.relax, vector.follow_lengths
_vector_change = vector_drift.drift_and_change
_plain_span, _vector_span = distance.span, vector_span.span
_plain_hold, _vector_hold = holding.hold_apart, vector_holding.hold_apart
_plain_hinges, _vector_hinges = bending.relax_hinges, vector_bending.relax_hinges


def relax(
    moved: Any, i: Any, j: Any, base: Any, goal: Any, kappa: Any, follow: Any, lam: Any, task_start: Any,
    run_stop: Any, stage_start: Any,
) -> None:
    """Vector code for single precision, the plain kernel for double; chosen when the caller is compiled."""


def relax_hinges(
    moved: Any, hinges: Any, base: Any, rest: Any, kappa: Any, lam: Any, task_start: Any, stage_start: Any,
) -> None:
    """As `relax`."""


def drift(moved: Any, reached: Any, began: Any, speed: Any, dv_per_step: Any, dv_gradient: Any, h: Any) -> None:
    """As `relax`."""


def follow_lengths(moved: Any, i: Any, j: Any, base: Any, rest: Any, follow: Any, goal: Any) -> None:
    """As `relax`."""


def span(at: Any, i: Any, j: Any, base: Any, task_start: Any, run_stop: Any) -> None:
    """As `relax`, by the precision of `base`."""


def drift_and_change(
    moved: Any, reached: Any, began: Any, speed: Any, dv_per_step: Any, dv_gradient: Any, h: Any, ids: Any,
    block_start: Any, gradient: Any, change: Any, others: Any,
) -> None:
    """As `relax`."""


def push_apart(
    rows: Any, reached: Any, began: Any, ids: Any, block_start: Any, block_part: Any, gradient: Any, push: Any,
    still: Any,
) -> None:
    """As `relax`."""


def hold_apart(
    start: Any, at: Any, moved: Any, reached: Any, began: Any, rows: Any, sides: Any, planes: Any, separation: Any,
    creep: Any, own: Any, columns: Any, is_even: Any, row_block: Any, done: Any, left: Any, steps: Any, h: Any,
    held: Any, energy: Any, impulse: Any,
) -> None:
    """As `relax`."""


@overload(drift_and_change)
def _choose_change(
    moved, reached, began, speed, dv_per_step, dv_gradient, h, ids, block_start, gradient, change, others,
) -> Any:
    if moved.dtype == types.float32:
        return lambda moved, reached, began, speed, dv_per_step, dv_gradient, h, ids, block_start, gradient, change, others: (  # noqa: E501
            _vector_change(
                moved, reached, began, speed, dv_per_step, dv_gradient, h, ids, block_start, gradient, change, others,
            )
        )
    return lambda moved, reached, began, speed, dv_per_step, dv_gradient, h, ids, block_start, gradient, change, others: (  # noqa: E501
        _plain_change(
            moved, reached, began, speed, dv_per_step, dv_gradient, h, ids, block_start, gradient, change, others,
        )
    )


@overload(push_apart)
def _choose_push(rows, reached, began, ids, block_start, block_part, gradient, push, still) -> Any:
    if rows.dtype == types.float32:
        return lambda rows, reached, began, ids, block_start, block_part, gradient, push, still: _vector_push(
            rows, reached, began, ids, block_start, block_part, gradient, push, still
        )
    return lambda rows, reached, began, ids, block_start, block_part, gradient, push, still: _plain_push(
        rows, reached, began, ids, block_start, block_part, gradient, push, still
    )


@overload(drift)
def _choose_drift(moved, reached, began, speed, dv_per_step, dv_gradient, h) -> Any:
    if moved.dtype == types.float32:
        return lambda moved, reached, began, speed, dv_per_step, dv_gradient, h: _vector_drift(
            moved, reached, began, speed, dv_per_step, dv_gradient, h
        )
    return lambda moved, reached, began, speed, dv_per_step, dv_gradient, h: _plain_drift(
        moved, reached, began, speed, dv_per_step, dv_gradient, h
    )


@overload(hold_apart)
def _choose_hold(
    start, at, moved, reached, began, rows, sides, planes, separation, creep, own, columns, is_even, row_block, done,
    left, steps, h, held, energy, impulse,
) -> Any:
    law = _vector_hold if moved.dtype == types.float32 else _plain_hold
    return (
        lambda start, at, moved, reached, began, rows, sides, planes, separation, creep, own, columns, is_even,
        row_block, done, left, steps, h, held, energy, impulse: law(
            start, at, moved, reached, began, rows, sides, planes, separation, creep, own, columns, is_even, row_block,
            done, left, steps, h, held, energy, impulse,
        )
    )


@overload(relax)
def _choose_relax(moved, i, j, base, goal, kappa, follow, lam, task_start, run_stop, stage_start) -> Any:
    if moved.dtype == types.float32:
        return lambda moved, i, j, base, goal, kappa, follow, lam, task_start, run_stop, stage_start: _vector_relax(
            moved, i, j, base, goal, kappa, follow, lam, task_start, run_stop, stage_start
        )
    return lambda moved, i, j, base, goal, kappa, follow, lam, task_start, run_stop, stage_start: _plain_relax(
        moved, i, j, base, goal, kappa, follow, lam, task_start, run_stop, stage_start
    )


@overload(relax_hinges)
def _choose_hinges(moved, hinges, base, rest, kappa, lam, task_start, stage_start) -> Any:
    if moved.dtype == types.float32:
        return lambda moved, hinges, base, rest, kappa, lam, task_start, stage_start: _vector_hinges(
            moved, hinges, base, rest, kappa, lam, task_start, stage_start
        )
    return lambda moved, hinges, base, rest, kappa, lam, task_start, stage_start: _plain_hinges(
        moved, hinges, base, rest, kappa, lam, task_start, stage_start
    )


@overload(follow_lengths)
def _choose_follow(moved, i, j, base, rest, follow, goal) -> Any:
    if moved.dtype == types.float32:
        return lambda moved, i, j, base, rest, follow, goal: _vector_follow(
            moved, i, j, base, rest, follow, goal
        )
    return lambda moved, i, j, base, rest, follow, goal: _plain_follow(moved, i, j, base, rest, follow, goal)


@overload(span)
def _choose_span(at, i, j, base, task_start, run_stop) -> Any:
    if base.dtype == types.float32:
        return lambda at, i, j, base, task_start, run_stop: _vector_span(at, i, j, base, task_start, run_stop)
    return lambda at, i, j, base, task_start, run_stop: _plain_span(at, i, j, base, task_start, run_stop)


@kernel
def inner_steps(
    steps, h, at, moved, reached, began, speed, dv_per_step, dv_gradient,
    i, j, base, goal, kappa, follow, lam, task_start, run_stop, stage_start, rest,
    hinges, hinge_base, hinge_rest, hinge_kappa, hinge_lam, hinge_task_start, hinge_stage_start,
    breathing, gas_ids, gas_block, gas_block_part, gradient, block_change, airless, rest_volume, volume, total_inv_mass,
    amount, active, now, ended, pressure, push, still, last,
    hold_count, hold_start, hold_rows, hold_sides, hold_planes, hold_room, hold_creep, hold_own, hold_columns,
    hold_even, held, energy, row_block, impulse, all_steps, at_once,
):
    """Take up to `steps` steps of length h [s, in the rows' precision]; returns how many.

    Fewer where air has to look again; when rows are settled the rest wants what begins a substep anew.

    Args:
        at ... dv_gradient: rows, see `constraints.local`.
        i ... stage_start: springs, see `constraints.distance`; rest: see `distance.follow_lengths`.
        hinges ... hinge_stage_start: see `constraints.bending`.
        breathing: whether there is air; gas_ids ... last: see `tables.gas`, with volume and gradient of `at`.
        hold_count ... impulse: see `contact.contacts`; all_steps: inner steps a substep; at_once: the most to take.
    """
    taken = 0
    strayed = False
    while taken < min(steps, at_once) and not strayed:
        if not breathing:
            drift(moved, reached, began, speed, dv_per_step, dv_gradient, h)
        else:
            drift_and_change(
                moved, reached, began, speed, dv_per_step, dv_gradient, h, gas_ids, gas_block, gradient, block_change,
                airless,
            )
            volume_changes(gas_block_part, volume, block_change, now, ended)
            strayed = has_changed(volume, now, active, MOST_CHANGE)
            gas_pressures(
                now, ended, total_inv_mass, amount, active, rest_volume, float(h), pressure, push, still, last,
            )
            push_apart(moved, reached, began, gas_ids, gas_block, gas_block_part, gradient, push, still)
        if hinge_rest.shape[0] > 0:
            relax_hinges(
                moved, hinges, hinge_base, hinge_rest, hinge_kappa, hinge_lam, hinge_task_start, hinge_stage_start
            )
        if follow.shape[0] > 0:
            follow_lengths(began, i, j, base, rest, follow, goal)
        relax(moved, i, j, base, goal, kappa, follow, lam, task_start, run_stop, stage_start)
        taken += 1
        strayed = strayed or (breathing and would_turn(volume, total_inv_mass, active, pressure, taken * float(h)))
        if hold_count > 0:
            hold_apart(
                hold_start, at, moved, reached, began, hold_rows, hold_sides, hold_planes, hold_room, hold_creep,
                hold_own, hold_columns, hold_even, row_block, taken, steps - taken + 1, all_steps, float(h), held,
                energy, impulse,
            )
    return taken


@kernel
def straighten(
    passes, h, who, at, moved, i, j, base, rest, kappa, nobody, lam, task_start, run_stop, stage_start,
    breathing, place, part, every_tri_block, some_tri_blocks, every_id_block, some_id_blocks,
    triangles, tri_block, tri_block_origin, tri_block_part, normal, tri_value, ids, corner_start, corners, id_block,
    id_block_part, gradient, id_value, rim_start, rim_i, rim_j, rim_qi, rim_qj, rim_part, origin, rest_volume, amount,
    active, volume, total_inv_mass, pressure, push, still, last,
):
    """Passes of springs and air, as in a step of h [s], that move `at` of the rows `who` (m,) and nobody's velocity.

    Args:
        at, moved: rows, see `constraints.local`; all inverse masses in `moved` but those of `who` are nought.
        i ... stage_start: springs, see `constraints.distance`; nobody: (0,).
        breathing: whether air pushes any of them; place ... some_id_blocks: see `tables.gas.around`.
    """
    tri_blocks, id_blocks = every_tri_block, every_id_block
    for _turn in range(passes):
        if breathing:
            push_around(
                tri_blocks, id_blocks, who, place, part, h, at, moved, triangles, tri_block, tri_block_origin,
                tri_block_part, normal, tri_value, ids, corner_start, corners, id_block, id_block_part, gradient,
                id_value, rim_start, rim_i, rim_j, rim_qi, rim_qj, rim_part, origin, rest_volume, amount, active,
                volume, total_inv_mass, pressure, push, still, last,
            )
        tri_blocks, id_blocks = some_tri_blocks, some_id_blocks
        span(at, i, j, base, task_start, run_stop)
        relax(moved, i, j, base, rest, kappa, nobody, lam, task_start, run_stop, stage_start)
        for m in range(who.shape[0]):
            r = who[m]
            for k in range(3):
                at[r, k] += moved[r, k]
                moved[r, k] = 0.0
