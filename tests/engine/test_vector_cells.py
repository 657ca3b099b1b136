"""Sixteen cells at a time compared with the plain kernel, and the blocks that hold cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flotsam.engine import SpringGraphSpec, WorldSpec, build_world
from flotsam.engine.solver.constraints.solid import cells as plain
from flotsam.engine.solver.vector import cells as vector
from shapes import box


def table_of(precision: str) -> Any:
    """Springs and cells of a cube of 5³ cells of 0.1 m, one corner of which is held."""
    vertices, triangles = box(0.5, 5)
    body = SpringGraphSpec(
        "body", vertices, triangles, graph="LATTICE", voxel_size=0.1, young=5e4, poisson=0.4, mass=60.0, pins=[0],
    )
    world = build_world(WorldSpec(systems=(body,), precision=precision))
    found = world.systems[0]
    found.rows.read_positions(world.state)
    return found


@pytest.mark.parametrize("disorder", [0.02, 0.3])
def test_sixteen_cells_move_as_one_by_one(disorder: float) -> None:
    """Nodes are moved at random by up to a fifth of a cell, and by three cells, which inverts many."""
    moves = []
    for precision, kernels in (("SINGLE", vector), ("DOUBLE", plain)):
        table = table_of(precision)
        rows = table.rows
        rows.moved[:-1, :3] = np.random.default_rng(0).uniform(-disorder, disorder, (len(rows.ids), 3))
        before = rows.moved.copy()
        plain.measure_cells(rows.at, table.cells.columns, 0)
        kernels.relax_cells(rows.columns, table.cells.columns, 0)
        assert not np.isnan(rows.moved).any()
        moves.append((rows.moved - before).astype(float))
    assert np.abs(moves[1]).max() > 0.01 * disorder, "cells resist"
    np.testing.assert_allclose(moves[0], moves[1], atol=2e-6 * disorder)


def test_a_block_holds_every_cell_once_and_no_node_twice() -> None:
    table = table_of("SINGLE")
    cells, spare = table.cells.columns, table.rows.spare
    is_there = cells.shear > 0.0
    assert is_there.sum() == 125
    assert np.array_equal((cells.corner != spare).all(axis=1), is_there)
    for stage in range(len(cells.stage_start) - 1):
        tasks = cells.task[cells.stage_start[stage] : cells.stage_start[stage + 1]]
        blocks = np.concatenate([np.arange(*cells.task_start[[task, task + 1]]) for task in tasks])
        nodes = cells.corner[blocks]
        nodes = nodes[nodes != spare]
        assert len(np.unique(nodes)) == len(nodes)
