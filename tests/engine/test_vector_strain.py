"""Strains and residuals sixteen at a time, compared with the plain kernels; and their values in a frame."""

from __future__ import annotations

import numpy as np
from flotsam.engine import Attachment, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.constraints import distance, strain
from flotsam.engine.solver.vector import span
from flotsam.engine.solver.vector import strain as vector
from flotsam.engine.world.world import World
from shapes import box


def _tied_boxes() -> World:
    """Two boxes tied at two corners, so that a block has springs of both, and a third box; inflated for four frames."""
    vertices, triangles = box(1.0, 4)
    world = build_world(WorldSpec((
        SpringGraphSpec("one", vertices, triangles, stiffness=500.0, pressure=900.0, break_strain=0.2),
        SpringGraphSpec("other", vertices + [2.0, 0.0, 0.0], triangles, stiffness=800.0, pressure=300.0),
        SpringGraphSpec("third", vertices + [4.0, 0.0, 0.0], triangles, stiffness=600.0, pressure=500.0),
    ), attachments=(Attachment("one", "other", [0, 1], [5, 7]),)))
    for _ in range(4):
        step_frame(world)
    return world


def test_vectors_sum_what_plain_kernels_sum() -> None:
    """Lengths in single precision; sums in double precision, in another order."""
    world = _tied_boxes()
    graphs = world.systems[0]
    seen, table, rows = graphs.convergence, graphs.springs, graphs.rows
    assert (seen._block_body < 0).any()
    assert (seen._block_body >= 0).any()
    length = table.lengths(rows.at).copy()
    plain = np.zeros_like(length)
    distance.lengths(rows.at, table.i, table.j, plain, table._order.task_start, table._order.run_stop)
    assert np.allclose(length, plain, rtol=1e-6, atol=0.0)
    assert vector is seen._law
    for name_and_arguments in (
        ("remaining", (table.i, table.goal, table.kappa, table.lam)), ("stretches", (table.i, table.rest)),
    ):
        name, arguments = name_and_arguments
        found = []
        for kernels in (strain, vector):
            sums, lengths = np.full_like(seen._sums, 7.0), length.copy()
            getattr(kernels, name)(lengths, *arguments, seen._row_body, seen._block, seen._block_body, sums)
            found.append((sums, lengths))
        assert np.array_equal(found[0][0][..., 0], found[1][0][..., 0])
        assert np.allclose(found[0][0], found[1][0], rtol=1e-5, atol=1e-6)
        if name == "stretches":
            assert np.allclose(found[0][1], found[1][1], rtol=1e-5, atol=1e-7)
    assert span.lengths is not distance.lengths


def test_stress_is_the_mean_strain_of_the_links_that_are_left() -> None:
    """Mean of l / l0 - 1 over a particle's links that are not broken."""
    world = _tied_boxes()
    frame = step_frame(world)
    graphs = world.systems[0]
    springs, rows = graphs.convergence._springs, graphs.rows
    there = springs.rest > 0.0
    i, j = rows.ids[springs.i[there]], rows.ids[springs.j[there]]
    pulled = np.linalg.norm(world.state.x[i] - world.state.x[j], axis=1) / springs.rest[there] - 1.0
    total, count = np.zeros(len(world.state.x)), np.zeros(len(world.state.x))
    for ends in (i, j):
        np.add.at(total, ends, pulled)
        np.add.at(count, ends, 1.0)
    stress = np.concatenate([frame.attributes[name]["stress"] for name in ("one", "other", "third")])
    assert np.allclose(stress, (total / np.maximum(count, 1.0))[: len(stress)], atol=2e-6)
