"""Start and end of a solve, and air on a mesh, in vector code: compared with the plain kernels."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine.solver.constraints import local, momentum
from flotsam.engine.solver.constraints.columns import MovingRows, ParticleColumns, Places, RowBlocks
from flotsam.engine.solver.constraints.gas import volume
from flotsam.engine.solver.vector import air, ends
from one_island import island_of
from shapes import torus


@pytest.mark.parametrize("late", [False, True], ids=["gravity", "water as well"])
@pytest.mark.parametrize(("count", "in_block"), [(1, 512), (7, 4), (700, 512), (300, 7)])
def test_solves_begin_and_end_in_vectors_as_one_by_one(count: int, in_block: int, late: bool) -> None:
    """Rows and particles have the same bits, because the vector code also sums x, y and z row by row.

    Energies, the last column of the sums, add x, y and z in another order, and the plain kernel squares velocities in
    single precision: 4e-7 relative.
    """
    rng = np.random.default_rng(count)
    ids, mass = rng.permutation(count), rng.uniform(0.1, 2.0, count)
    inv_mass = np.where(rng.uniform(size=count) < 0.2, 0.0, 1.0 / mass)
    x, v = 3.0 * rng.normal(size=(count, 3)), rng.normal(size=(count, 3))
    dv, dv_gradient = rng.normal(size=(2, count if late else 0, 3))
    start = np.unique(np.append(np.arange(0, count, in_block), count))
    first, piece = ids[start[:-1]], np.arange(len(start) - 1) // 2
    rotation = rng.normal(size=(piece.max() + 1, momentum.TURN))
    weights = np.append(inv_mass[ids], 0.0)
    moves = [rng.normal(0.0, 0.01, (count + 1, 4)).astype(np.float32) for _ in range(2)]
    for rows in moves:
        rows[:, 3] = weights
    results = []
    for kernels in (local, ends):
        at, (speed, dv_per_step, slope) = np.zeros((count + 1, 4)), np.zeros((3, count + 1, 4), dtype=np.float32)
        at[:, 3] = weights
        origin, begun, ended = np.zeros((len(first), 3)), *(
            np.zeros((len(first), sums)) for sums in (momentum.START_SUMS, momentum.END_SUMS)
        )
        moved, reached = (rows.copy() for rows in moves)
        columns = MovingRows(at, moved, reached, reached, speed, dv_per_step, slope)
        blocks, fraction = RowBlocks(ids, start, first, piece, mass, ended), np.full(len(first), 0.25)
        kernels.take_rows(
            ParticleColumns(x, v, dv, dv_gradient, inv_mass, mass), blocks, (0.1, 0.2, -0.3), fraction, columns, origin,
            begun,
        )
        taken = [rows.copy() for rows in (at, speed, dv_per_step)]
        kernels.settle(columns, blocks, island_of(len(first)), 0, np.float32(0.004), mass, ended)
        there, before = x.copy(), x - 0.1
        kernels.give_rows(columns, Places(there, before), inv_mass, blocks, origin, rotation, 0.004)
        results.append((begun, ended, *taken, at, speed, dv_per_step, slope, origin, moved, reached, there, before))
    (begun, ended, *plain), (begun_vectorized, ended_vectorized, *vectorized) = results
    for one, other in zip(plain, vectorized, strict=True):
        assert np.array_equal(one, other)
    for one, other in ((begun, begun_vectorized), (ended, ended_vectorized)):
        assert np.array_equal(one[:, :-1], other[:, :-1])
        assert np.allclose(one[:, -1], other[:, -1], rtol=4e-7, atol=0.0)
    held = np.zeros(count, dtype=bool)
    held[ids] = weights[:-1] == 0.0
    assert np.array_equal(plain[-2][held], x[held])
    assert held.all() or np.abs(plain[-2] - x)[~held].max() > 0.01


def test_air_finds_normals_and_gradients_in_vectors_as_one_by_one() -> None:
    """Normals and gradients have the same bits; volumes and weights, sums of hundreds, agree within 1e-14."""
    vertices, triangles, _edges = torus(1.0, 0.3, 40, 20)
    count, blocks = len(vertices), np.array([0, 700, len(triangles)])
    rows = np.append(vertices, np.random.default_rng(1).uniform(0.5, 2.0, (count, 1)), axis=1)
    triangles = triangles.astype(np.int32)
    order = np.argsort(triangles.reshape(-1), kind="stable")
    corners = (order // 3).astype(np.int32)
    corner_start = np.append(0, np.cumsum(np.bincount(triangles.reshape(-1)))).astype(np.int64)
    ids, some = np.arange(count, dtype=np.int32), np.array([0, 512, count])
    results = []
    for kernels in (volume, air):
        normal, gradient = np.zeros((len(triangles), 4)), np.zeros((count, 4), dtype=np.float32)
        volumes, weight = np.zeros(2), np.zeros(2)
        kernels.triangle_normals(rows, np.arange(2), triangles, blocks, np.array([0, 3]), normal, volumes)
        kernels.vertex_gradients(rows, np.arange(2), ids, normal, corner_start, corners, some, gradient, weight)
        results.append((normal, gradient, volumes, weight))
    (normal, gradient, *sums), (normal_vectorized, gradient_vectorized, *sums_vectorized) = results
    assert np.array_equal(normal, normal_vectorized)
    assert np.array_equal(gradient, gradient_vectorized)
    assert np.abs(gradient).max() > 1e-3
    for one, other in zip(sums, sums_vectorized, strict=True):
        assert np.allclose(one, other, rtol=1e-14, atol=0.0)
