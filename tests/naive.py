"""The seeds' tick in plain numpy, written from its formulas alone: the reference for fast kernels.

P rings of M x N vertices, wrapped both ways. All forces are explicit, then symplectic Euler:

    springs     f = k (l - l0) along each link to the 5 x 5 vertices around, and to the one across the tube
    pressure    f = p away from the centre of mass of the vertex's segment (its M)
    repulsion   between segments of rings whose bounding spheres meet: max(minimum, d - r_a - r_b)^-n, to every vertex
    vertical    a_z = -(g + b min(0, z))
    resistance  v *= resistance, after the forces
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

REACH = 2
ALOOF = 0.01


@dataclass
class Law:
    """Constants of the tick, see above; spring k [N/m], pressure [N], gravity [m/s²], buoyancy [1/s²], dt [s]."""

    stiffness: float
    pressure: float
    exponent: float
    minimum: float
    gravity: float
    buoyancy: float
    resistance: float
    dt: float


@dataclass
class Rings:
    """State and rest measures: x, v (P, M, N, 3); mass (P, M, N); rest (links, P, M, N); segment_radius, bound (P,)."""

    x: np.ndarray
    v: np.ndarray
    mass: np.ndarray
    rest: np.ndarray
    segment_radius: np.ndarray
    bound: np.ndarray


def links(across: int) -> list[tuple[int, int]]:
    """Offsets (along M, along N) from a vertex to its linked vertices."""
    around = [
        (i, j) for i in range(-REACH, REACH + 1) for j in range(-REACH, REACH + 1) if (i, j) != (0, 0)
    ]
    return [*around, (0, across // 2)]


def there(x: np.ndarray, step: tuple[int, int]) -> np.ndarray:
    """For every vertex the value of the one at that offset."""
    return np.roll(x, (-step[0], -step[1]), axis=(1, 2))


def rings_at_rest(x: np.ndarray, mass: np.ndarray) -> Rings:
    """Rings (P, M, N, 3) at rest, with all links at their rest length."""
    rest = np.stack([np.linalg.norm(there(x, step) - x, axis=-1) for step in links(x.shape[2])])
    centre, middle = centres(x, mass)
    radius = np.linalg.norm(x - centre[:, :, None], axis=-1).mean(axis=(1, 2))
    bound = np.linalg.norm(x - middle[:, None, None], axis=-1).max(axis=(1, 2))
    return Rings(x.copy(), np.zeros_like(x), mass, rest, radius, bound)


def centres(x: np.ndarray, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centres of mass of segments (P, M, 3) and of rings (P, 3)."""
    weighted = x * mass[..., None]
    return (
        weighted.sum(axis=2) / mass.sum(axis=2)[..., None],
        weighted.sum(axis=(1, 2)) / mass.sum(axis=(1, 2))[:, None],
    )


def tick(rings: Rings, law: Law) -> None:
    """One step of `law.dt`, in place."""
    x = rings.x
    force = np.zeros_like(x)
    for step, rest in zip(links(x.shape[2]), rings.rest, strict=True):
        apart = there(x, step) - x
        length = np.linalg.norm(apart, axis=-1)
        force += (law.stiffness * (length - rest) / length)[..., None] * apart
    centre, middle = centres(x, rings.mass)
    outward = x - centre[:, :, None]
    force += law.pressure * outward / np.linalg.norm(outward, axis=-1, keepdims=True)
    force += repulsion(rings, law, centre, middle)[:, :, None]
    acceleration = force / rings.mass[..., None]
    acceleration[..., 2] -= law.gravity + law.buoyancy * np.minimum(0.0, x[..., 2])
    rings.v = (rings.v + law.dt * acceleration) * law.resistance
    rings.x = x + law.dt * rings.v


def repulsion(rings: Rings, law: Law, centre: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Force on each vertex of each segment, (P, M, 3)."""
    force = np.zeros_like(centre)
    for p in range(len(centre)):
        for q in range(p + 1, len(centre)):
            if np.linalg.norm(middle[p] - middle[q]) >= rings.bound[p] + rings.bound[q] + ALOOF:
                continue
            apart = centre[p][:, None] - centre[q][None]
            distance = np.linalg.norm(apart, axis=-1)
            gap = np.maximum(law.minimum, distance - rings.segment_radius[p] - rings.segment_radius[q])
            push = (gap**-law.exponent / distance)[..., None] * apart
            force[p] += push.sum(axis=1)
            force[q] -= push.sum(axis=0)
    return force
