"""Noise of fields: turbulence in space, and random numbers for each particle and frame.

Gradient noise after Perlin 2002, "Improving Noise". Blender's differs from the paper only in its permutation. Ours was
reconstructed from values of `mathutils.noise` next to lattice points; a test compares the two.
"""

from __future__ import annotations

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


@part_of_kernel
def _fade(t):
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


@part_of_kernel
def _slope(code, x, y, z):
    """Dot product of (x, y, z) with one of twelve directions to the midpoints of a cube's edges."""
    code &= 15
    first = x if code < 8 else y
    second = y if code < 4 else (x if code == 12 or code == 14 else z)
    return (-first if code & 1 else first) + (-second if code & 2 else second)


@kernel
def perlin(permutation, x, y, z):
    """Gradient noise, from -1 to 1, 0 at integer points; args: permutation: PERMUTATION."""
    fx, fy, fz = np.floor(x), np.floor(y), np.floor(z)
    i, j, k = int(fx) & 255, int(fy) & 255, int(fz) & 255
    x -= fx
    y -= fy
    z -= fz
    u, v, w = _fade(x), _fade(y), _fade(z)
    near, far = permutation[i] + j, permutation[i + 1] + j
    a, b = permutation[near] + k, permutation[near + 1] + k
    c, d = permutation[far] + k, permutation[far + 1] + k
    total = 0.0
    for up in range(2):
        zs = z - up
        one = _slope(permutation[a + up], x, y, zs)
        two = _slope(permutation[c + up], x - 1.0, y, zs)
        three = _slope(permutation[b + up], x, y - 1.0, zs)
        four = _slope(permutation[d + up], x - 1.0, y - 1.0, zs)
        low = one + u * (two - one)
        high = three + u * (four - three)
        total += (w if up else 1.0 - w) * (low + v * (high - low))
    return total


@kernel
def turbulence(permutation, x, y, z):
    """Three octaves of `perlin`, each of half the size and half the weight; weights add up to 1."""
    return (
        4.0 * perlin(permutation, x, y, z) + 2.0 * perlin(permutation, 2.0 * x, 2.0 * y, 2.0 * z)
        + perlin(permutation, 4.0 * x, 4.0 * y, 4.0 * z)
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
def gust(seed, salt, frame, particle):
    """A random number between -1 and 1, with the same non-uniform distribution as in Blender's fields.

    Blender draws an integer k below 128 and a fraction u: k / 128 / (1 + u), negative up to k = 64. Its draws depend on
    the order of evaluation; these depend only on the arguments.
    """
    bits = _mixed(_mixed(_mixed(seed + 0x9E3779B9 * salt) + frame) + particle)
    whole = bits & 127
    size = whole / 128.0 / (1.0 + ((bits >> 7) & 0xFFFFFF) / 16777216.0)
    return size if whole > 64 else -size
