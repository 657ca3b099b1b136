"""Turbulence for a block of particles at a time; the same values as `noise.turbulence`, in single precision.

The directions at the eight corners of a lattice cell are numbers of four bits, packed into one int32 for each particle.
Adjacent particles of a block are often in the same cell and then use the same look-up; the rest vectorizes.
"""

from __future__ import annotations

import numpy as np

from ....compiler.kernels import kernel, part_of_kernel
from .scratch import BLOCK, FX, TX, UX, X

# Octaves of turbulence: scale of the coordinates and weight.
OCTAVES = ((1.0, 4.0 / 7.0), (2.0, 2.0 / 7.0), (4.0, 1.0 / 7.0))
ONE, SIX, TEN, FIFTEEN = np.float32(1.0), np.float32(6.0), np.float32(10.0), np.float32(15.0)
CELL, CORNERS = 0, 3 * BLOCK


@part_of_kernel
def _corners(permutation, i, j, k):
    """The directions at the corners of a cell: bits 4 c to 4 c + 3 of corner c = x + 2 y + 4 z."""
    near, far = permutation[i] + j, permutation[i + 1] + j
    a, b = permutation[near] + k, permutation[far] + k
    c, d = permutation[near + 1] + k, permutation[far + 1] + k
    low = (
        (permutation[a] & 15) | ((permutation[b] & 15) << 4) | ((permutation[c] & 15) << 8)
        | ((permutation[d] & 15) << 12)
    )
    high = (
        (permutation[a + 1] & 15) | ((permutation[b + 1] & 15) << 4) | ((permutation[c + 1] & 15) << 8)
        | ((permutation[d + 1] & 15) << 12)
    )
    return np.int32(low | (high << 16))


@part_of_kernel
def _slope(code, corner, x, y, z):
    """Dot product of (x, y, z) with the direction at a corner (Perlin 2002): two of ±x, ±y, ±z."""
    bits = 4 * corner
    u = x if code & (8 << bits) == 0 else y
    v = x if code & (13 << bits) == (12 << bits) else z
    v = y if code & (12 << bits) == 0 else v
    return (u if code & (1 << bits) == 0 else -u) + (v if code & (2 << bits) == 0 else -v)


@part_of_kernel
def _layer(code, first, x, y, z, u, v):
    """Noise of the four corners from `first` on, at the same height, interpolated by u and v."""
    one, two = _slope(code, first, x, y, z), _slope(code, first + 1, x - ONE, y, z)
    three, four = _slope(code, first + 2, x, y - ONE, z), _slope(code, first + 3, x - ONE, y - ONE, z)
    low = one + u * (two - one)
    return low + v * (three + u * (four - three) - low)


@part_of_kernel
def _find_cells(row, axis, scale, doubles, singles, codes):
    """Cells of the particles along an axis, the fractions of their coordinates, and the fade curve at these."""
    shift = 0.0 if row.global_coords else row.axis[axis] - row.origin[axis]
    at = BLOCK * axis
    for k in range(BLOCK):
        q = scale * (doubles[k + X + at] + shift)
        cell = np.floor(q)
        codes[k + CELL + at] = np.int32(np.int64(cell) & 255)
        t = np.float32(q - cell)
        singles[k + TX + at] = t
        singles[k + UX + at] = t * t * t * (t * (t * SIX - FIFTEEN) + TEN)


@kernel
def _look_up(permutation, codes):
    """Directions at the corners of each cell, for the three cyclic orders of the coordinates."""
    i = j = k = -1
    for lane in range(BLOCK):
        ni, nj, nk = codes[lane + CELL], codes[lane + CELL + BLOCK], codes[lane + CELL + 2 * BLOCK]
        if ni == i and nj == j and nk == k:
            for axis in range(3):
                codes[lane + CORNERS + BLOCK * axis] = codes[lane - 1 + CORNERS + BLOCK * axis]
            continue
        i, j, k = ni, nj, nk
        codes[lane + CORNERS] = _corners(permutation, i, j, k)
        codes[lane + CORNERS + BLOCK] = _corners(permutation, j, k, i)
        codes[lane + CORNERS + 2 * BLOCK] = _corners(permutation, k, i, j)


@part_of_kernel
def _add_octave(weight, first, second, third, singles, codes):
    """Add noise to the component `first`, of coordinates in the order first, second, third (0, BLOCK, 2 BLOCK)."""
    for k in range(BLOCK):
        x, y, z = singles[k + TX + first], singles[k + TX + second], singles[k + TX + third]
        u, v, w = singles[k + UX + first], singles[k + UX + second], singles[k + UX + third]
        code = np.int64(codes[k + CORNERS + first])
        below, above = _layer(code, 0, x, y, z, u, v), _layer(code, 4, x, y, z - ONE, u, v)
        singles[k + FX + first] += weight * (below + w * (above - below))


@kernel
def _add_octave_of_all(row, permutation, scale, weight, scratch):
    """Add one octave to all components. Offsets are constants, without which LLVM does not vectorize."""
    doubles, singles, codes = scratch.doubles, scratch.singles, scratch.codes
    _find_cells(row, 0, scale, doubles, singles, codes)
    _find_cells(row, 1, scale, doubles, singles, codes)
    _find_cells(row, 2, scale, doubles, singles, codes)
    _look_up(permutation, codes)
    _add_octave(weight, 0, BLOCK, 2 * BLOCK, singles, codes)
    _add_octave(weight, BLOCK, 2 * BLOCK, 0, singles, codes)
    _add_octave(weight, 2 * BLOCK, 0, BLOCK, singles, codes)


@kernel
def add_noise(row, lattice, scratch):
    """Add turbulence to FX, FY, FZ; the components use cyclic permutations of the coordinates."""
    scale = 1.0 / row.length if row.length > 0.0 else 1.0
    for octave in range(3):
        factor, weight = OCTAVES[octave]
        _add_octave_of_all(row, lattice.permutation, factor * scale, np.float32(weight), scratch)
