"""Energy that springs and enclosed air store and can release.

A spring stores k / 2 (l - l0)^2. Air with the amount N (Pa m^3) and p0 outside has the pressure N / max(V, V0) - p0,
where V0 is the volume below which it counts as crushed. Down to V0 it stores p0 V - N ln V; below V0 it also stores the
work done against the constant pressure there.

The energy that displacing some rows adds is summed over the springs at those rows only. For air, `add_some_air`
extrapolates from the volume and gradients that were measured last.
"""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, parallel_kernel, prange
from .gas.volume import AMBIENT, least_volume

# Two ends whose displacements differ by less than this fraction leave their spring unchanged; a proxy sphere displaces
# many vertices alike.
ALIKE = 1e-6


@parallel_kernel
def note_places(x, noted):
    """noted = x, (n, 3) each."""
    for i in prange(noted.shape[0]):
        for k in range(3):
            noted[i, k] = x[i, k]


@parallel_kernel
def mark_moved(x, noted, ids, block_start, is_moved, displacement, block_moved):
    """Find rows that are not at their recorded positions, and blocks that contain such rows.

    Args:
        x, noted: (n, 3) of all particles [m]; ids: (r,) particle of each row; block_start: (blocks + 1,) row ranges.
        is_moved: out (r,) bool; displacement: (r, 3) in and out [m]; block_moved: in and out (blocks,) bool.
    """
    for block in prange(block_moved.shape[0]):
        some = False
        was_moved = block_moved[block]
        for r in range(block_start[block], block_start[block + 1]):
            i = ids[r]
            dx = x[i, 0] - noted[i, 0]
            dy = x[i, 1] - noted[i, 1]
            dz = x[i, 2] - noted[i, 2]
            is_moved[r] = dx != 0.0 or dy != 0.0 or dz != 0.0
            # Clear stale displacements of rows moved last time.
            if is_moved[r] or was_moved:
                displacement[r, 0] = dx
                displacement[r, 1] = dy
                displacement[r, 2] = dz
            some = some or is_moved[r]
        block_moved[block] = some


@parallel_kernel
def spring_changes(moves, ends, rest, kappa, follow, h, change):
    """Increase of the energy of springs at the rows of each block since the recorded positions, (blocks,) [J].

    Args:
        moves: `columns.RowMoves`, see `mark_moved`.
        ends: `columns.SpringEnds`; a spring between two displaced rows counts at the lower row.
        rest, kappa, follow: (s,), see `columns.SpringColumns`; h: (blocks,) inner steps that they are scaled for [s].
        change: out (blocks,) [J].
    """
    block_start = moves.start
    block_moved = moves.block_moved
    is_moved = moves.is_moved
    for block in prange(change.shape[0]):
        total = 0.0
        if block_moved[block]:
            for r in range(block_start[block], block_start[block + 1]):
                if is_moved[r]:
                    total += _increase_at_row(r, moves, ends, rest, kappa, follow, h[block])
        change[block] = total


@kernel
def _increase_at_row(r, moves, ends, rest, kappa, follow, h):
    """As `spring_changes`, for one row."""
    is_moved = moves.is_moved
    displacement = moves.displacement
    noted = moves.noted
    ids = moves.ids
    a = ids[r]
    alike = ALIKE**2 * (displacement[r, 0] ** 2 + displacement[r, 1] ** 2 + displacement[r, 2] ** 2)
    increase = 0.0
    for e in range(ends.start[r], ends.start[r + 1]):
        other = ends.other[e]
        dx = float(displacement[r, 0] - displacement[other, 0])
        dy = float(displacement[r, 1] - displacement[other, 1])
        dz = float(displacement[r, 2] - displacement[other, 2])
        if dx * dx + dy * dy + dz * dz <= alike:
            continue
        s = ends.spring[e]
        if rest[s] <= 0.0 or (is_moved[other] and other < r):
            continue
        b = ids[other]
        lx = noted[a, 0] - noted[b, 0]
        ly = noted[a, 1] - noted[b, 1]
        lz = noted[a, 2] - noted[b, 2]
        was = math.sqrt(lx * lx + ly * ly + lz * lz) - rest[s]
        off = math.sqrt((lx + dx) ** 2 + (ly + dy) ** 2 + (lz + dz) ** 2) - rest[s]
        elastic = float(kappa[s]) * (1.0 - follow[s]) if follow.shape[0] > 0 else float(kappa[s])
        increase += 0.5 * elastic / (h * h) * (off * off - was * was)
    return increase


@kernel
def air_energy(volume, amount, rest):
    """Energy of air in a volume [m³], up to a constant [J]; amount, rest: see `volume.gas_pressures`."""
    least = least_volume(rest, amount)
    uncrushed = max(volume, least)
    energy = AMBIENT * uncrushed - amount * math.log(uncrushed / rest)
    return energy + (amount / least - AMBIENT) * (uncrushed - volume)


@kernel
def add_air(volume, rest, amount, active, piece, stored):
    """Add the energy of the air in each part to stored (pieces,) [J], up to a constant per part.

    Args: volume ... active: (parts,), see `volume.gas_pressures`; piece: (parts,) piece of each.
    """
    for p in range(volume.shape[0]):
        if active[p]:
            stored[piece[p]] += air_energy(volume[p], amount[p], rest[p])


@parallel_kernel
def volume_changes(x, noted, rows, row_ids, is_moved, block_start, gradient, change):
    """First-order change of the volume in each block of air since the recorded positions, (blocks,) [m³].

    Args:
        x, noted: (n, 3) [m]; rows: (q,) rows that air pushes; row_ids: (r,) particle of each row; is_moved: (r,) bool.
        block_start: (blocks + 1,) ranges of q; gradient: (q, 4) [m²]; change: out.
    """
    for block in prange(change.shape[0]):
        total = 0.0
        for q in range(block_start[block], block_start[block + 1]):
            if is_moved[rows[q]]:
                i = row_ids[rows[q]]
                for k in range(3):
                    total += gradient[q, k] * (x[i, k] - noted[i, k])
        change[block] = total


@kernel
def add_some_air(block_change, block_part, change, volume, rest, amount, active, piece, stored):
    """Add to stored (pieces,) the estimated energy increase of air after volume changes (blocks,) from `volume` [J].

    Args:
        block_part: (blocks,) part of each; change: scratch (parts,); volume ... piece: as in `add_air`.
    """
    for p in range(change.shape[0]):
        change[p] = 0.0
    for block in range(block_part.shape[0]):
        change[block_part[block]] += block_change[block]
    for p in range(change.shape[0]):
        if active[p] and change[p] != 0.0:
            stored[piece[p]] += air_energy(volume[p] + change[p], amount[p], rest[p])
            stored[piece[p]] -= air_energy(volume[p], amount[p], rest[p])
