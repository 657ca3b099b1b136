"""The inner steps of springs and air within a substep, island by island: all in one call.

An inner step is a whole step of XPBD for springs and air alone: drift, air, springs, velocities. Many small steps with
one pass each converge better than one step with many passes (Macklin et al. 2019). The rest of the world is evaluated
once a substep: external forces are spread evenly, and air keeps the direction in which it pushes each vertex for a few
inner steps, as long as no volume of the island has changed much.

Small islands are solved side by side, each by one thread; the loops of a large one are shared by all threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiler.kernels import kernel, side_by_side
from ..constraints import bending
from ..constraints.contact.contacts import update_separation
from ..constraints.gas.changes import has_changed, may_rotate, volume_changes
from ..constraints.gas.volume import gas_pressures
from ..constraints.solid.cells import measure_cells
from ..constraints.solid.rides import measure_rides, relax_rides
from ..rigid.contact.inner.hold import settle_contacts, solve_bodies
from ..rigid.links.soft_ties import follow_ties, solve_ties
from .measured_air import measure_air
from .steady_air import is_held, steady_steps
from .twins import (
    drift,
    drift_and_change,
    follow_lengths,
    hold_apart,
    push_apart,
    relax,
    relax_cells,
    relax_hinges,
    settle,
    span,
)

# The directions of air are measured again when a volume has changed by this fraction. A larger one adds energy: at
# 0.03 stretched rings gained some (see `tests/engine/test_fuzz.py`).
MOST_CHANGE = 0.01
# ... and after at most this many inner steps. A pressure that lags behind its surface excites it: with 24 steps and the
# directions of the first one, a ring that is pressed flat against a wall oscillated for ever.
MOST_KEPT = 6


@kernel
def solve_islands(islands, rows, blocks, springs, hinges, cells, rides, gas, contacts, rigid):
    """Take the inner steps of a substep, of the islands in `islands.in_bin`.

    A thread solves the islands of a bin one after another. While there is only one bin, all threads share its loops.
    Rigid bodies of an island follow each of its inner steps.

    Args:
        islands: `islands.Islands`; rows, blocks, springs, hinges, contacts: see `constraints.columns`.
        cells, rides: see `constraints.solid.columns`; None without lattices, which then compile no code.
        gas: air, surface, parts and rims, see `constraints.gas.columns`.
        rigid: contacts, inner contacts and bodies, see `rigid.columns`; ties and their work, see `links.soft_ties`; or
            None without rigid bodies, as for cells.
    """
    _run_bins(
        islands.bin_start.shape[0] - 1, islands, rows, blocks, (springs, hinges), cells, rides, gas, contacts, rigid
    )


def _solve_bin(
    own: Any, islands: Any, rows: Any, blocks: Any, springy: Any, cells: Any, rides: Any, gas: Any, contacts: Any,
    rigid: Any,
) -> None:
    """The islands of a bin, see `solve_islands`."""
    for place in range(islands.bin_start[own], islands.bin_start[own + 1]):
        _solve(islands.in_bin[place], islands, rows, blocks, springy, cells, rides, gas, contacts, rigid)


_run_bins = side_by_side(_solve_bin)


@kernel
def _solve(g, islands, rows, blocks, springy, cells, rides, gas, contacts, rigid):
    """Island g, see `solve_islands`."""
    springs, hinges = springy
    air, surface, parts, rims = gas
    steps = islands.steps[g]
    h = rows.moved.dtype.type(islands.length[g])
    held = islands.breathes[g] and is_held(rows, blocks, islands, g)
    while islands.taken[g] < steps:
        span(rows.at, springs, g)
        if hinges.rest.shape[0] > 0:
            bending.span_hinges(rows.at, hinges, g)
        if cells is not None:
            measure_rides(rows.at, rides, g)
            measure_cells(rows.at, cells, g)
        most = steps - islands.taken[g]
        if islands.breathes[g]:
            # Evenly: eight steps are taken as four and four.
            batches = (most + MOST_KEPT - 1) // MOST_KEPT
            most = (most + batches - 1) // batches
            measure_air(rows.at, g, air, surface, parts, rims)
            most = min(
                most,
                steady_steps(rows, blocks, islands, g, np.float64(h), air, surface, parts, rims, MOST_CHANGE, held),
            )
        taken = _inner_steps(
            g, most, h, islands, rows, blocks, springy, cells, rides, (air, parts, held), contacts, rigid
        )
        islands.taken[g] += taken
        _complete(g, taken, islands, rows, blocks, contacts, rigid, h)


@kernel
def _hold_rigid(g, left, islands, rows, contacts, rigid):
    """The rigid bodies of island g in an inner step; left: inner steps until the substep ends, including this one."""
    rigid_contacts, inner, bodies, ties, work = rigid
    has_ties = ties.body.shape[0] > 0 and work.of_ties[g] < work.of_ties[g + 1]
    if has_ties:
        solve_ties(g, left, islands, ties, work, bodies, rows, contacts.row_block, contacts.impulse)
    solve_bodies(g, left, islands, rigid_contacts, inner, bodies, rows, contacts.row_block, contacts.impulse)
    if has_ties:
        follow_ties(g, islands, ties.body, work, rows, bodies.velocity, bodies.rate)


@kernel
def _complete(g, taken, islands, rows, blocks, contacts, rigid, h):
    """After `taken` inner steps: update the separations of contacts, and settle the rows."""
    if islands.taken[g] < islands.steps[g]:
        if islands.touches[g]:
            update_separation(rows.moved, contacts, islands, g, taken)
        if rigid is not None and islands.has_bodies[g]:
            settle_contacts(g, rigid[0], rigid[1], rows.moved)
    settle(rows, blocks, islands, g, h, blocks.mass, blocks.end)


@kernel
def _bend(g, steps, islands, rows, blocks, hinges):
    """Solve the hinges of island g. Contacts may require more inner steps than bending needs, see `bending`."""
    relax_hinges(rows.moved, hinges, g)
    if islands.bends[g] < steps:
        bending.spread(rows, blocks, islands, g, rows.moved.dtype.type(islands.bends[g] / steps))


@kernel
def _inner_steps(g, most, h, islands, rows, blocks, springy, cells, rides, gas, contacts, rigid):
    """Take up to `most` inner steps of length h [s, in the rows' precision]; returns how many.

    It stops earlier if the directions of air have to be measured again.
    """
    springs, hinges = springy
    air, parts, held = gas
    moved = rows.moved
    steps = islands.steps[g]
    left = steps - islands.taken[g]
    breathes = islands.breathes[g]
    taken = 0
    is_outdated = False
    while taken < most and not is_outdated:
        if not breathes:
            drift(rows, blocks, islands, g, h)
        else:
            drift_and_change(rows, blocks, islands, g, h, air)
        if hinges.rest.shape[0] > 0 and bending.is_due(steps - left + taken, steps, islands.bends[g]):
            _bend(g, steps, islands, rows, blocks, hinges)
        if breathes:
            volume_changes(air, parts, g)
            is_outdated = has_changed(parts, g, MOST_CHANGE)
            gas_pressures(parts, g, parts.now, parts.ended, float(h))
            push_apart(rows, air, parts, g)
        if springs.follow.shape[0] > 0:
            follow_lengths(rows.began, springs, g)
        relax(moved, springs, g)
        if cells is not None:
            relax_cells(rows, cells, g)
            relax_rides(moved, rides, g)
        taken += 1
        is_outdated = is_outdated or (breathes and may_rotate(parts, g, taken * np.float64(h), held))
        if islands.touches[g]:
            hold_apart(rows, contacts, islands, g, taken, left - taken + 1, float(h))
        if rigid is not None and islands.has_bodies[g]:
            _hold_rigid(g, left - taken + 1, islands, rows, contacts, rigid)
    return taken
