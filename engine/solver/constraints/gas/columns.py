"""Arrays of the air in closed pieces, grouped by subject, as arguments of the air kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Number of columns of `AirRows.speed_sums`: count, velocity (3), its square, |dV/dx|.
SPEED_SUMS = 6

class AirRows(NamedTuple):
    """The rows that air pushes, in blocks; one thread works on a block.

    Attributes:
        ids: (q,) int32, ascending rows; block_start: (blocks + 1,) int64, ranges of q.
        block_part: (blocks,) int32, piece of each block.
        gradient: (q, 4), dV/dx of each row [m²]; the last column is 0.
        change: (blocks, 2) scratch, see `volume.block_changes` [m³]; rush: (blocks, RUSH_SUMS), see `volume_steady`.
        others: (k, 2) int64, ranges of rows that air does not push, each within a piece.
        of_blocks, block, of_others, other: the blocks, and the other ranges, of each island, see `islands.Listed`.
    """

    ids: np.ndarray
    block_start: np.ndarray
    block_part: np.ndarray
    gradient: np.ndarray
    change: np.ndarray
    speed_sums: np.ndarray
    others: np.ndarray
    of_blocks: np.ndarray
    block: np.ndarray
    of_others: np.ndarray
    other: np.ndarray


class AirParts(NamedTuple):
    """Closed pieces and the air in them, (parts,) each.

    Attributes:
        rest_volume: [m³]; amount: N = (p0 + dp) V [Pa m³]; active: bool, whether the piece contains air.
        volume: as measured last [m³]; weight: W, sum of w |dV/dx|² [m⁴/kg].
        now, ended: volume for the current rows, and at the end of the previous inner step [m³].
        pressure: over-pressure [Pa]; push: h² pressure; still: fraction of a push that changes no velocity.
        last: (parts, 2), expansion by the last push, and the volume that it led to [m³].
        of_parts, part: the pieces of each island, see `islands.Listed`.
    """

    rest_volume: np.ndarray
    amount: np.ndarray
    active: np.ndarray
    volume: np.ndarray
    weight: np.ndarray
    now: np.ndarray
    ended: np.ndarray
    pressure: np.ndarray
    push: np.ndarray
    still: np.ndarray
    last: np.ndarray
    of_parts: np.ndarray
    part: np.ndarray


class AirSurface(NamedTuple):
    """Triangles around the air, in blocks, and the triangles at each row that air pushes.

    Attributes:
        triangles: (t, 3) int32 rows; block_start: (tri_blocks + 1,) int64; block_part: (tri_blocks,) int32.
        block_origin: (tri_blocks,) int32, row relative to which a block's volume is computed.
        normal: (t, 4), normals with twice the triangle's area as length [m²]; tri_value: (tri_blocks,) volumes [m³].
        corner_start: (q + 1,) int64, ranges of `corners`; corners: int32, triangles that have the row as a corner.
        id_value: (blocks,), sum of w |dV/dx|² over each block of rows [m⁴/kg].
        ahead: (r + 1, 4) scratch, rows after the next inner step [m], see `volume_steady`.
        of_blocks, block, of_rims, rim: blocks of triangles, and open rims, of each island, see `islands.Listed`.
    """

    triangles: np.ndarray
    block_start: np.ndarray
    block_part: np.ndarray
    block_origin: np.ndarray
    normal: np.ndarray
    tri_value: np.ndarray
    corner_start: np.ndarray
    corners: np.ndarray
    id_value: np.ndarray
    ahead: np.ndarray
    of_blocks: np.ndarray
    block: np.ndarray
    of_rims: np.ndarray
    rim: np.ndarray


class Rims(NamedTuple):
    """Open rims, which caps close, see `gas.caps`.

    Attributes:
        start: (rims + 1,) int64, ranges of edges; i, j: (e,) int32 rows of each edge i -> j.
        qi, qj: (e,) int64, their positions among the rows that air pushes.
        part: (rims,) int64, piece of each rim; origin: (parts,) int32, row relative to which its volume is computed.
    """

    start: np.ndarray
    i: np.ndarray
    j: np.ndarray
    qi: np.ndarray
    qj: np.ndarray
    part: np.ndarray
    origin: np.ndarray


class AirAround(NamedTuple):
    """The part of the air that matters when only some rows (m,) move, see `volume_around.push_around`.

    Attributes:
        place: (m,) int64, position of each row among those that air pushes, -1 for none; part: (m,) int32, its piece.
        every_tri, every_id, every_rim: all blocks of triangles and of rows, and all open rims, in the pieces of these
            rows.
        some_tri, some_id: those of these blocks that depend on the rows (m,).
    """

    place: np.ndarray
    part: np.ndarray
    every_tri: np.ndarray
    every_id: np.ndarray
    every_rim: np.ndarray
    some_tri: np.ndarray
    some_id: np.ndarray
