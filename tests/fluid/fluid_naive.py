"""Reference for a fluid's sums: all pairs, in plain numpy and double precision; and tanks for the tests."""

from __future__ import annotations

import math

import numpy as np
from flotsam.engine.systems.fluid.rows import FluidKinds
from flotsam.engine.systems.fluid.solver import FluidSolver
from flotsam.engine.systems.fluid.wall_table import Triangles

G = 9.81
BOX = np.array([
    [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6],
    [1, 3, 5], [3, 7, 5],
])
LID = (2, 3)
NOTHING = Triangles(
    *(np.zeros((0, 3, 3), np.float32) for _ in range(2)), np.zeros((0, 2), np.float32), np.zeros(0, dtype=bool),
)


def box(low: tuple[float, ...], high: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (8, 3) and triangles (12, 3) of a box; triangles 2 and 3 are its top."""
    corners = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
    return corners * (np.array(high) - np.array(low)) + np.array(low), BOX.copy()


def tank(width: float, depth: float, height: float) -> tuple[np.ndarray, np.ndarray]:
    """A box without its top, from the origin."""
    vertices, triangles = box((0.0, 0.0, 0.0), (width, depth, height))
    return vertices, np.delete(triangles, LID, axis=0)


def static_triangles(vertices: np.ndarray, triangles: np.ndarray) -> Triangles:
    """Triangles at rest."""
    corners = vertices[triangles].astype(np.float32)
    return Triangles(corners, corners, np.ones((len(corners), 2), np.float32), np.zeros(len(corners), dtype=bool))


def lattice(counts: tuple[int, int, int], spacing: float) -> np.ndarray:
    """Particles that fill a box from the origin, (n, 3)."""
    grid = np.stack(np.meshgrid(*[np.arange(k) for k in counts], indexing="ij"), axis=-1).reshape(-1, 3)
    return (grid + 0.5) * spacing


def columns(count: int, *, inverse_mass: float = 1.0, viscosity: float = 0.01, tension: float = 0.0) -> FluidKinds:
    """Kinds for `FluidSolver.step`, one for each particle; values as in `rows.FluidKinds`."""
    values = np.repeat(np.array([[inverse_mass], [viscosity], [tension], [0.0]]), count, axis=1).astype(np.float32)
    return FluidKinds(values, np.arange(count, dtype=np.uint16))


def flow(
    solver: FluidSolver, x: np.ndarray, v: np.ndarray, seconds: float, walls: Triangles, *, h: float = 1.0 / 240.0,
    own: FluidKinds | None = None, gravity: float = G,
) -> float:
    """Advance a fluid for some time; changes x and v; returns its last step [s]."""
    own, last = columns(len(x)) if own is None else own, h
    corners = walls.end.reshape(-1, 3)
    box = np.stack([corners.min(axis=0, initial=np.inf), corners.max(axis=0, initial=-np.inf)])
    for _ in range(round(seconds / h)):
        steps = solver.steps(x, v, h, last, box, solver.pace(x, v))
        if len(solver.kept):
            solver.kept *= np.float32((h / steps / last) ** 2)
        last = h / steps
        for step in range(steps):
            v[:, 2] -= gravity * h / steps
            solver.step(x, v, h / steps, own, 1 if step == steps - 1 else 0, walls)
    return last


def pairs(x: np.ndarray, support: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """d = x_i - x_j (n, n, 3), t and t³ of all pairs, zero on the diagonal."""
    apart = x[:, None] - x[None]
    t = np.maximum(1.0 - np.linalg.norm(apart, axis=2) / support, 0.0)
    np.fill_diagonal(t, 0.0)
    return apart, t, t**3


def naive_density(x: np.ndarray, support: float) -> np.ndarray:
    """Reference for `vector.fluid.sum_density`, (5, n)."""
    apart, t, cube = pairs(x, support)
    return np.stack([
        (t**4 * (5.0 - 4.0 * t)).sum(axis=1), *(cube[:, :, None] * apart).sum(axis=1).T,
        (cube**2 * (apart**2).sum(axis=2)).sum(axis=1),
    ])


def naive_motion(x: np.ndarray, v: np.ndarray, viscosity: np.ndarray, support: float) -> np.ndarray:
    """Reference for `vector.fluid.sum_motion`, (3, n)."""
    _apart, t, _cube = pairs(x, support)
    weight = 0.5 * (viscosity[:, None] + viscosity[None]) * t**4 * (5.0 - 4.0 * t)
    return (weight[:, :, None] * (v[None] - v[:, None])).sum(axis=1).T


def naive_shift(x: np.ndarray, pressure: np.ndarray, support: float) -> np.ndarray:
    """Reference for `vector.fluid.sum_shift`, (3, n)."""
    apart, _t, cube = pairs(x, support)
    return ((pressure[:, None] + pressure[None]) * cube)[:, :, None].__mul__(apart).sum(axis=1).T


def kernel_integral(distance: float, support: float) -> float:
    """Fraction of the smoothing kernel beyond a plane, from 400 shells of it."""
    q = (np.arange(400) + 0.5) / 400
    weight = 21.0 / (2.0 * math.pi) * (1.0 - q) ** 4 * (1.0 + 4.0 * q)
    beyond = np.where(q > distance / support, 2.0 * math.pi * q * (q - distance / support), 0.0)
    return float((weight * beyond).sum() / 400)
