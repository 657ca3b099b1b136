"""Arrays of the inner steps, grouped by subject, as arguments of the kernels for springs, hinges and rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class MovingRows(NamedTuple):
    """Particles as rows, relative to an origin of their own piece; row r is a spare row that no particle owns.

    Attributes:
        at: (r + 1, 4) float64, positions when springs and air were last measured [m], and inverse masses [1/kg].
        moved: (r + 1, 4), displacement since then [m] and inverse mass [1/kg] as (dx, dy, dz, w).
        reached: (r + 1, 4), `moved` after the unconstrained motion of the running inner step [m].
        began: (r + 1, 4), `moved` at the start of the running inner step [m].
        speed: (r + 1, 4), velocities [m/s]; the last column is 0.
        dv_per_step: (r + 1, 4), velocity change by external forces in each inner step [m/s].
        dv_gradient: (r + 1, 4), increase of that change per metre of height [1/s].
    """

    at: np.ndarray
    moved: np.ndarray
    reached: np.ndarray
    began: np.ndarray
    speed: np.ndarray
    dv_per_step: np.ndarray
    dv_gradient: np.ndarray


class RowBlocks(NamedTuple):
    """Particles of the rows, in blocks; one thread works on a block.

    Attributes:
        ids: (r,) int64, particle of each row.
        start: (blocks + 1,) int64, ranges of rows.
        first: (blocks,) int64, particle at the origin of the block's piece; piece: (blocks,) int64, that piece.
        mass: (n,) of all particles [kg]; end: (blocks, END_SUMS), out, see `momentum`.
    """

    ids: np.ndarray
    start: np.ndarray
    first: np.ndarray
    piece: np.ndarray
    mass: np.ndarray
    end: np.ndarray


class Places(NamedTuple):
    """Where particles are at the end of a solve.

    Attributes:
        x, x_prev: (n, 3) positions at the end of the substep and at its start [m].
    """

    x: np.ndarray
    x_prev: np.ndarray


class ParticleColumns(NamedTuple):
    """Particles at the start of a substep, as `local.take_rows` reads them.

    Attributes:
        x: (n, 3) positions at the start [m]; v: (n, 3) velocities that include all external forces [m/s].
        dv_per_step, dv_gradient: (n, 3) or (0, 3), see `world.world.SpreadForce` [m/s], [1/s].
        inv_mass: (n,) [1/kg]; mass: (n,) [kg].
    """

    x: np.ndarray
    v: np.ndarray
    dv_per_step: np.ndarray
    dv_gradient: np.ndarray
    inv_mass: np.ndarray
    mass: np.ndarray


class SpringColumns(NamedTuple):
    """Springs in blocks of sixteen, in solving order, see `constraints.distance`.

    Attributes:
        i, j: (s,) int32, rows of the two ends.
        base: (3, s), x_i - x_j when the springs were last measured [m].
        rest: (s,) l0 [m]; goal: (s,) l_eff [m], the rest length that includes damping.
        kappa: (s,) k h² + c h [kg]; follow: (s,) the fraction c h / kappa, or (0,) when nothing is damped.
        lam: (s,) multipliers, out.
        task_start: (tasks + 1,) int64, ranges of blocks.
        run_stop: (tasks, KINDS) int64, block after a task's last run of each kind, see `order.runs`.
        task: (tasks,) int64, tasks by island and stage; those of a stage share no row.
        stage_start: (stages + islands,) int64, ranges of `task`: of an island the start of each stage and the end of
            the last; island: (islands + 1,) int64, ranges of `stage_start`.
        is_wide: as `stage_start`, bool, whether the stage that begins there is shared by all threads.
    """

    i: np.ndarray
    j: np.ndarray
    base: np.ndarray
    rest: np.ndarray
    goal: np.ndarray
    kappa: np.ndarray
    follow: np.ndarray
    lam: np.ndarray
    task_start: np.ndarray
    run_stop: np.ndarray
    task: np.ndarray
    stage_start: np.ndarray
    island: np.ndarray
    is_wide: np.ndarray


class HingeColumns(NamedTuple):
    """Hinges in blocks of sixteen, in solving order, see `constraints.bending`.

    Attributes:
        corners: (4, s) int32, rows a, b, c, d.
        base: (9, s), x_b - x_a, x_c - x_a, x_d - x_a when the hinges were last measured [m].
        rest: (s,) rest angles [rad]; kappa: (s,) k h² [kg m²/rad]; lam: (s,) multipliers, scratch.
        task_start, task, stage_start, island, is_wide: as in `SpringColumns`.
    """

    corners: np.ndarray
    base: np.ndarray
    rest: np.ndarray
    kappa: np.ndarray
    lam: np.ndarray
    task_start: np.ndarray
    task: np.ndarray
    stage_start: np.ndarray
    island: np.ndarray
    is_wide: np.ndarray


class ContactColumns(NamedTuple):
    """Contacts of a substep, sorted by the block of rows that they move, see `contact.contacts`.

    Attributes:
        start: (blocks + islands + 2,) int64, ranges of contacts: those of a block, then those that move rows of several
            blocks of an island, and last those that move none.
        rows: (m, 4) int32; sides: (m, 4), signed weights of the rows; planes: (m, 4), normal and friction coefficient.
        separation: (m,) [m]; creep: (m, 3), displacement of the other side in an inner step [m].
        own, columns, is_even: see `vector.contacts.begin_sixteens`.
        row_block: (r + 1,) int32, block of each row.
        held: (m,), accumulated corrections [m], out; energy: (blocks + islands,) removed [J], out.
        impulse: (blocks, GIVEN), out, see `momentum.piece_corrections`.
    """

    start: np.ndarray
    rows: np.ndarray
    sides: np.ndarray
    planes: np.ndarray
    separation: np.ndarray
    creep: np.ndarray
    own: np.ndarray
    columns: np.ndarray
    is_even: np.ndarray
    row_block: np.ndarray
    held: np.ndarray
    energy: np.ndarray
    impulse: np.ndarray


class SpringEnds(NamedTuple):
    """Springs grouped by the row they end at.

    Attributes:
        start: (r + 1,) int64, ranges of ends; spring: (e,) int32, the spring of each end.
        other: (e,) int32, the row at its other end.
    """

    start: np.ndarray
    spring: np.ndarray
    other: np.ndarray


class RowMoves(NamedTuple):
    """Rows that contacts have displaced since positions were recorded, see `stored_energy.mark_moved`.

    Attributes:
        start: (blocks + 1,) int64, ranges of rows; ids: (r,) int64, particle of each row.
        noted: (n, 3) recorded positions [m]; is_moved: (r + 1,) bool; displacement: (r + 1, 3) [m].
        block_moved: (blocks,) bool, whether any row of the block is displaced.
    """

    start: np.ndarray
    ids: np.ndarray
    noted: np.ndarray
    is_moved: np.ndarray
    displacement: np.ndarray
    block_moved: np.ndarray
