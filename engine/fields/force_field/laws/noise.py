"""Noise of fields: turbulence in space, and random numbers for each particle and frame.

Gradient noise after Perlin 2002, "Improving Noise". Blender's differs from the paper only in its permutation. Ours was
reconstructed from values of `mathutils.noise` next to lattice points; a test compares the two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel, part_of_kernel

_PERMUTATION = bytes.fromhex(
    "a2a0193bf8ebaaeef31c67281ded00de952edc3f3a82354d6cba36d0f60c7932d159f4088b63892fb8b49783f28f18c7"
    "51146587482042a880b54013b2227e57bc7f6b9d864cc8db7cd5254e5a557450cdb37abbc3cbb6e2e4ecfd980b96d39e"
    "5ca164f18161e1c42472498c904b843438ab78ca1f01d79311c158a931f9446dbf339c5f0994a38506c69a1e7b461530"
    "272b1b713c5bd66f62ac4fc2c00eb123a7df47b0776905e9e6e776730ffe6e9b56ef12a537fcaed9038edd10b9cec98d"
    "da2abd68179fbed40accd2e8433d70b7027d99d80d608a042c3e92e5af5307e029a6c5e3f5f74a41266a165e522d21ad"
    "f091ffea54fa661a4539cf75a488fb5d"
)
PERMUTATION = np.tile(np.frombuffer(_PERMUTATION, dtype=np.uint8).astype(np.int64), 2)
# Directions to the midpoints of a cube's twelve edges, of which four count twice.
_EDGES = [
    (1, 1, 0), (-1, 1, 0), (1, -1, 0), (-1, -1, 0), (1, 0, 1), (-1, 0, 1), (1, 0, -1), (-1, 0, -1),
    (0, 1, 1), (0, -1, 1), (0, 1, -1), (0, -1, -1), (1, 1, 0), (0, -1, 1), (-1, 1, 0), (0, -1, -1),
]


class Lattice(NamedTuple):
    """Lattice of gradient noise.

    Attributes:
        permutation: (512,) int64; slopes: (512, 3), the direction of each lattice point by its place in `permutation`.
    """

    permutation: np.ndarray
    slopes: np.ndarray


LATTICE = Lattice(PERMUTATION, np.array(_EDGES, dtype=np.float64)[PERMUTATION & 15])


@part_of_kernel
def _fade(t):
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


@part_of_kernel
def _slope(slopes, code, x, y, z):
    """Dot product of (x, y, z) with the direction of a lattice point; args: slopes: see `Lattice`."""
    return slopes[code, 0] * x + slopes[code, 1] * y + slopes[code, 2] * z


@part_of_kernel
def _layer(slopes, corners, x, y, z, u, v):
    """Noise of four corners at the same height, interpolated by u and v."""
    a, b, c, d = corners
    one, two = _slope(slopes, a, x, y, z), _slope(slopes, c, x - 1.0, y, z)
    three, four = _slope(slopes, b, x, y - 1.0, z), _slope(slopes, d, x - 1.0, y - 1.0, z)
    low = one + u * (two - one)
    return low + v * (three + u * (four - three) - low)


@part_of_kernel
def perlin(lattice, x, y, z):
    """Gradient noise, from -1 to 1, 0 at integer points; args: lattice: LATTICE, or any tuple that has its fields."""
    permutation, slopes = lattice.permutation, lattice.slopes
    fx, fy, fz = np.floor(x), np.floor(y), np.floor(z)
    i, j, k = int(fx) & 255, int(fy) & 255, int(fz) & 255
    x -= fx
    y -= fy
    z -= fz
    u, v, w = _fade(x), _fade(y), _fade(z)
    near, far = permutation[i] + j, permutation[i + 1] + j
    a, b = permutation[near] + k, permutation[near + 1] + k
    c, d = permutation[far] + k, permutation[far + 1] + k
    below = _layer(slopes, (a, b, c, d), x, y, z, u, v)
    return below + w * (_layer(slopes, (a + 1, b + 1, c + 1, d + 1), x, y, z - 1.0, u, v) - below)


@kernel
def turbulence(lattice, x, y, z):
    """Three octaves of `perlin`, each of half the size and half the weight; weights add up to 1."""
    return (
        4.0 * perlin(lattice, x, y, z) + 2.0 * perlin(lattice, 2.0 * x, 2.0 * y, 2.0 * z)
        + perlin(lattice, 4.0 * x, 4.0 * y, 4.0 * z)
    ) / 7.0


@part_of_kernel
def _mixed(bits):
    """A 32-bit mix in which each bit depends on all (the finalizer of MurmurHash3)."""
    bits &= 0xFFFFFFFF
    bits ^= bits >> 16
    bits = (bits * 0x85EBCA6B) & 0xFFFFFFFF
    bits ^= bits >> 13
    bits = (bits * 0xC2B2AE35) & 0xFFFFFFFF
    return bits ^ (bits >> 16)


@kernel
def random_noise(seed, salt, frame, particle):
    """A random number between -1 and 1, with the same non-uniform distribution as in Blender's fields.

    Blender draws an integer k below 128 and a fraction u: k / 128 / (1 + u), negative up to k = 64. Its draws depend on
    the order of evaluation; these depend only on the arguments.
    """
    bits = _mixed(_mixed(_mixed(seed + 0x9E3779B9 * salt) + frame) + particle)
    whole = bits & 127
    size = whole / 128.0 / (1.0 + ((bits >> 7) & 0xFFFFFF) / 16777216.0)
    return size if whole > 64 else -size
