"""The spheres of a body for self-contact: their diameters, and which are joined by edges.

Every vertex carries a sphere, and two vertices are kept a diameter apart. No face or edge is tested, so the diameter
must leave no hole. The cover of a triangle is the largest distance of any of its points from the nearest corner: a
vertex that passes through the triangle comes at least that near to a corner. Let sides be a <= b <= c. The cover is

    circumradius                      a b c / (4 area)                                 if no angle is obtuse
    farthest point of the long side   max(a^2 c / (a^2 + c^2 - b^2), b^2 c / (b^2 + c^2 - a^2))   otherwise

and the diameter of a vertex is STRETCH times the largest cover of its triangles: springs stretch, most of all in a torn
sheet. Two loose edges of length c that cross at their midpoints have ends c / sqrt(2) apart, which is their cover. Two
vertices keep the larger of their diameters, or the thickness if that is larger, but at most NEAR_SHARE of their
distance at rest: vertices near each other at rest are not pushed apart, and the particles of a split vertex not at all.
Springs keep the ends of an edge apart, so these are not tested.

Compare Müller et al. 2015, "Air meshes for robust collision handling" (for alternatives), Macklin et al. 2014,
"Unified particle physics for real-time applications", section 7 (cloth by particles), and Bridson et al. 2002.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiler.kernels import building_kernel, part_of_kernel

STRETCH, NEAR_SHARE = 1.2, 0.8


class OwnSpheres(NamedTuple):
    """The spheres of a body, k of them.

    Attributes:
        particle: (k,) int64; rest: (k, 3) as built [m]; diameter: (k,) [m].
        joined_start: (k + 1,), joined: ends of edges at each sphere, some of them twice.
    """

    particle: np.ndarray
    rest: np.ndarray
    diameter: np.ndarray
    joined_start: np.ndarray
    joined: np.ndarray


@part_of_kernel
def square_between(x, i, j):
    """Squared distance of two rows of x."""
    dx = x[i, 0] - x[j, 0]
    dy = x[i, 1] - x[j, 1]
    dz = x[i, 2] - x[j, 2]
    return dx * dx + dy * dy + dz * dz


@part_of_kernel
def _cover(first, second, third):
    """Largest distance of a point of a triangle from the nearest corner [m]. Args: squares of its sides [m²]."""
    cc = max(first, max(second, third))
    aa = min(first, min(second, third))
    bb = first + second + third - aa - cc
    if cc < aa + bb:
        # 16 area^2 = 4 a^2 b^2 - (a^2 + b^2 - c^2)^2
        away = aa + bb - cc
        return math.sqrt(aa * bb * cc / (4.0 * aa * bb - away * away))
    c = math.sqrt(cc)
    one = aa * c / (aa + cc - bb) if aa > 0.0 else 0.0
    return max(one, bb * c / (bb + cc - aa)) if bb > 0.0 else 0.0


@building_kernel
def measure_spheres(triangles, edges, tied, rest, least, diameter, joined_start):
    """Find diameters, out (k,), and which spheres are joined: `joined_start`, out (k + 1,); returns `joined`.

    Args:
        triangles: (t, 3); edges: (e, 2), those without triangles; tied: (m, 2); all as indices of spheres.
        rest: (k, 3) [m]; least: the smallest diameter, the thickness [m].
    """
    diameter[:] = least
    joined_start[:] = 0
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        cover = STRETCH * _cover(square_between(rest, a, b), square_between(rest, b, c), square_between(rest, c, a))
        for k in range(3):
            i = triangles[t, k]
            diameter[i] = max(diameter[i], cover)
            joined_start[i + 1] += 2
    for e in range(edges.shape[0]):
        cover = STRETCH * math.sqrt(0.5 * square_between(rest, edges[e, 0], edges[e, 1]))
        for k in range(2):
            diameter[edges[e, k]] = max(diameter[edges[e, k]], cover)
            joined_start[edges[e, k] + 1] += 1
    for m in range(tied.shape[0]):
        for k in range(2):
            joined_start[tied[m, k] + 1] += 1
    for i in range(diameter.shape[0]):
        joined_start[i + 1] += joined_start[i]
    place = joined_start.copy()
    joined = np.empty(joined_start[diameter.shape[0]], dtype=np.int32)
    for t in range(triangles.shape[0]):
        for k in range(3):
            i = triangles[t, k]
            for other in range(1, 3):
                joined[place[i]] = triangles[t, (k + other) % 3]
                place[i] += 1
    for pairs in (edges, tied):
        for e in range(pairs.shape[0]):
            for k in range(2):
                joined[place[pairs[e, k]]] = pairs[e, 1 - k]
                place[pairs[e, k]] += 1
    return joined


