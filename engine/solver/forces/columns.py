"""Arrays of explicit forces, grouped by subject, as arguments of the water and explicit spring kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class WetParticles(NamedTuple):
    """Particles that the water kernels read and apply forces to.

    Attributes:
        x: (n, 3) [m]; v: (n, 3) in and out [m/s]; mass, inv_mass: (n,) in and out, with the added mass [kg], [1/kg].
        dv_per_step, dv_gradient: (n, 3) in and out, see `world.world.SpreadForce` [m/s], [1/s].
        added: (n,) out, added mass of each [kg], see `added_mass`; was_added: (n,), in the last substep.
        own_mass, own_inv_mass: (n,) out, without the added mass, of particles that have some [kg], [1/kg].
        waves: (n, 7), or without a row for level water, see `waves.wave_at`.
    """

    x: np.ndarray
    mass: np.ndarray
    inv_mass: np.ndarray
    v: np.ndarray
    dv_per_step: np.ndarray
    dv_gradient: np.ndarray
    added: np.ndarray
    was_added: np.ndarray
    own_mass: np.ndarray
    own_inv_mass: np.ndarray
    waves: np.ndarray


class WetSurface(NamedTuple):
    """Triangles that can get wet, in tile order, see `graph.tiles`.

    Attributes:
        triangles: (t, 3) int32 particles; piece: (t,) int32; is_lid: (t,) bool, lids have no drag.
        rest_area: (t,) [m²].
        tile_start: (tiles + 1,) int64, ranges of ids; ids: (q,) int64 particles; ids_piece: (q,) int32, their pieces.
        entry_start: (tiles + 1,) int64, ranges of entries; entry_triangle: (e,) int64; entry_place: (e, 3) int32.
    """

    triangles: np.ndarray
    piece: np.ndarray
    is_lid: np.ndarray
    rest_area: np.ndarray
    tile_start: np.ndarray
    ids: np.ndarray
    ids_piece: np.ndarray
    entry_start: np.ndarray
    entry_triangle: np.ndarray
    entry_place: np.ndarray


class WaterLevels(NamedTuple):
    """Reference level and depth limits of each piece, (pieces,) each, see `buoyancy.find_levels`.

    Attributes:
        lift_fraction: fraction of the buoyancy that applies; level: Z from which depth is measured [m].
        deepest: depth beyond which pressure is constant [m]; size: diameter at rest [m].
        follows: volume of water that moves with each square metre of wet surface [m].
    """

    lift_fraction: np.ndarray
    level: np.ndarray
    deepest: np.ndarray
    size: np.ndarray
    follows: np.ndarray


class GatherBuffers(NamedTuple):
    """Double buffers of positions for explicit springs; the result is in the first ones if the substep count is even.

    Attributes:
        rows, spare_rows: (p, 4), (x, y, z, inverse mass) of each place [m], [1/kg].
        columns, spare_columns: (4, p), the same transposed; only vector kernels use them.
    """

    rows: np.ndarray
    spare_rows: np.ndarray
    columns: np.ndarray
    spare_columns: np.ndarray


class GatherSlots(NamedTuple):
    """Neighbours of each place in blocks of sixteen, see `graph.neighbours`.

    Attributes:
        neighbour: (slots * 16,) int32 places; run_first: (slots,) int32; rest: (slots * 16,) l0 [m].
        slot_start: (blocks + 1,) int64, ranges of slots; run_stop: (blocks,) int64. Only vector kernels use runs.
    """

    neighbour: np.ndarray
    run_first: np.ndarray
    rest: np.ndarray
    slot_start: np.ndarray
    run_stop: np.ndarray


class GatherMotion(NamedTuple):
    """Motion of the places in double precision, indexed [block, axis, lane].

    Attributes:
        shrink: (blocks,) r = exp(-air_drag h); kick: (blocks, 3) velocity change per substep [m/s].
        x: (blocks, 3, 16) in and out [m]; v: (blocks, 3, 16) in and out [m/s].
    """

    shrink: np.ndarray
    kick: np.ndarray
    x: np.ndarray
    v: np.ndarray
