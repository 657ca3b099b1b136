"""The inner steps of springs and air within a substep: all in one call, so that a step costs what its springs cost.

An inner step is a whole step of XPBD for springs and air alone: drift, air, springs, velocities. Many small steps with
one pass each converge better than one step with many passes (Macklin et al. 2019). The rest of the world is evaluated
once a substep: forces from outside are spread evenly, and air keeps the direction in which it pushes each vertex as
long as no volume has changed much.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import overload

from ..compiler.kernels import kernel
from .constraints import bending, distance
from .constraints import drift as plain_drift
from .constraints.contact import contacts as holding
from .constraints.gas.volume import drift_and_change as _plain_change
from .constraints.gas.volume import gas_pressures, has_changed, volume_changes, would_turn
from .constraints.gas.volume import push_apart as _plain_push
from .constraints.gas.volume_around import push_around
from .constraints.solid import cells as solid
from .constraints.solid.rides import relax_rides
from .vector import bending as vector_bending
from .vector import cells as vector_solid
from .vector import contacts as vector_holding
from .vector import distance as vector
from .vector import drift as vector_drift
from .vector import span as vector_span
from .vector.air import push_apart as _vector_push
from .vector.ir.writer import field_type

# The directions of air are measured again when a volume has changed by this share. A larger one lets energy in: at
# 0.03 stretched rings gained some (see `tests/engine/test_fuzz.py`).
MOST_CHANGE = 0.01

_plain_drift, _plain_relax, _plain_follow = plain_drift.drift, distance.relax, distance.follow_lengths
_vector_drift, _vector_relax, _vector_follow = vector_drift.drift, vector.relax, vector.follow_lengths
_vector_change = vector_drift.drift_and_change
_plain_span, _vector_span = distance.span, vector_span.span
_plain_hold, _vector_hold = holding.hold_apart, vector_holding.hold_apart
_plain_hinges, _vector_hinges = bending.relax_hinges, vector_bending.relax_hinges
_plain_cells, _vector_cells = solid.relax_cells, vector_solid.relax_cells


def relax(moved: Any, springs: Any) -> None:
    """Vector code for single precision, the plain kernel for double; chosen when the caller is compiled."""


def relax_hinges(moved: Any, hinges: Any) -> None:
    """As `relax`."""


def relax_cells(rows: Any, cells: Any) -> None:
    """As `drift`."""


def drift(rows: Any, h: Any) -> None:
    """As `relax`, by the precision of `rows.moved`."""


def follow_lengths(moved: Any, springs: Any) -> None:
    """As `relax`."""


def span(at: Any, i: Any, j: Any, base: Any, task_start: Any, run_stop: Any) -> None:
    """As `relax`, by the precision of `base`."""


def drift_and_change(rows: Any, h: Any, air: Any) -> None:
    """As `drift`."""


def push_apart(rows: Any, air: Any, parts: Any) -> None:
    """As `drift`."""


def hold_apart(rows: Any, contacts: Any, done: Any, left: Any, steps: Any, h: Any) -> None:
    """As `drift`."""


def _is_single(rows: Any) -> bool:
    """Whether the type of a `MovingRows` is of single precision."""
    return field_type(rows, "moved").dtype == types.float32


@overload(relax_cells)
def _choose_cells(rows, cells) -> Any:
    law = _vector_cells if _is_single(rows) else _plain_cells
    return lambda rows, cells: law(rows, cells)


@overload(drift_and_change)
def _choose_change(rows, h, air) -> Any:
    law = _vector_change if _is_single(rows) else _plain_change
    return lambda rows, h, air: law(rows, h, air)


@overload(push_apart)
def _choose_push(rows, air, parts) -> Any:
    law = _vector_push if _is_single(rows) else _plain_push
    return lambda rows, air, parts: law(rows, air, parts)


@overload(drift)
def _choose_drift(rows, h) -> Any:
    law = _vector_drift if _is_single(rows) else _plain_drift
    return lambda rows, h: law(rows, h)


@overload(hold_apart)
def _choose_hold(rows, contacts, done, left, steps, h) -> Any:
    law = _vector_hold if _is_single(rows) else _plain_hold
    return lambda rows, contacts, done, left, steps, h: law(rows, contacts, done, left, steps, h)


@overload(relax)
def _choose_relax(moved, springs) -> Any:
    law = _vector_relax if moved.dtype == types.float32 else _plain_relax
    return lambda moved, springs: law(moved, springs)


@overload(relax_hinges)
def _choose_hinges(moved, hinges) -> Any:
    law = _vector_hinges if moved.dtype == types.float32 else _plain_hinges
    return lambda moved, hinges: law(moved, hinges)


@overload(follow_lengths)
def _choose_follow(moved, springs) -> Any:
    law = _vector_follow if moved.dtype == types.float32 else _plain_follow
    return lambda moved, springs: law(moved, springs)


@overload(span)
def _choose_span(at, i, j, base, task_start, run_stop) -> Any:
    law = _vector_span if base.dtype == types.float32 else _plain_span
    return lambda at, i, j, base, task_start, run_stop: law(at, i, j, base, task_start, run_stop)


@kernel
def inner_steps(
    counts, h, rows, springs, hinges, cells, rides, breathes, air, parts, contact_count, contacts,
):
    """Take up to `steps` inner steps of length h [s, in the rows' precision]; returns how many.

    Fewer where the directions of air have to be measured again: the caller settles the rows and calls again.

    Args:
        counts: steps, inner steps that are left of the substep; the most to take at once; and those of the substep.
        rows, springs, hinges, contacts: see `constraints.columns`; the first contact_count contacts count.
        cells, rides: see `constraints.solid.columns`; None without lattices, which then compile no code.
        breathes: whether any piece holds air; air, parts: see `constraints.gas.columns`, measured at `rows.at`.
    """
    steps, at_once, all_steps = counts
    moved = rows.moved
    taken = 0
    strayed = False
    while taken < min(steps, at_once) and not strayed:
        if not breathes:
            drift(rows, h)
        else:
            drift_and_change(rows, h, air)
            volume_changes(air, parts)
            strayed = has_changed(parts, MOST_CHANGE)
            gas_pressures(parts, parts.now, parts.ended, float(h))
            push_apart(rows, air, parts)
        if hinges.rest.shape[0] > 0:
            relax_hinges(moved, hinges)
        if springs.follow.shape[0] > 0:
            follow_lengths(rows.began, springs)
        relax(moved, springs)
        if cells is not None:
            relax_cells(rows, cells)
            relax_rides(moved, rides)
        taken += 1
        strayed = strayed or (
            breathes and would_turn(parts.volume, parts.weight, parts.active, parts.pressure, taken * float(h))
        )
        if contact_count > 0:
            hold_apart(rows, contacts, taken, steps - taken + 1, all_steps, float(h))
    return taken


@kernel
def straighten(passes, h, loose, rows, springs, breathes, around, surface, air, parts, rims):
    """Passes of springs and air, as in a step of h [s], that move `at` of the rows `loose` (m,) without velocity.

    Args:
        rows: `MovingRows`; all inverse masses in `moved` but those of `loose` are 0.
        springs: `SpringColumns` at these rows, with goal = rest and nothing damped.
        breathes: whether air pushes any of the rows; around, surface, air, parts, rims: see `constraints.gas.columns`.
    """
    at = rows.at
    moved = rows.moved
    tri_blocks, id_blocks = around.every_tri, around.every_id
    for _iteration in range(passes):
        if breathes:
            push_around(tri_blocks, id_blocks, loose, around, h, rows, surface, air, parts, rims)
        tri_blocks, id_blocks = around.some_tri, around.some_id
        span(at, springs.i, springs.j, springs.base, springs.task_start, springs.run_stop)
        relax(moved, springs)
        for m in range(loose.shape[0]):
            r = loose[m]
            for k in range(3):
                at[r, k] += moved[r, k]
                moved[r, k] = 0.0
