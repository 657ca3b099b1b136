"""Lattices of meshes that were cut into pieces: springs across the cuts hold them together until they break."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.mesh.lattice.pieces import build_pieces
from shapes import box


def halves(cells: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """A bar of 1 x 0.5 x 0.5 m of two cubes that lie against each other at x = 0."""
    vertices, triangles = box(0.5, cells)
    left, right = vertices - [0.25, 0.0, 0.0], vertices + [0.25, 0.0, 0.0]
    return np.concatenate([left, right]), np.concatenate([triangles, triangles + len(vertices)])


def bar(mass: float, break_strain: float, **values: object) -> SpringGraphSpec:
    """A bar held by its left end."""
    vertices, triangles = halves()
    settings = {"young": 1e5, "poisson": 0.3, "cut_strength": 0.5} | values
    return SpringGraphSpec(
        "bar", vertices, triangles, graph="LATTICE", pieces=True, voxel_size=0.125, mass=mass, air_drag=0.5,
        break_strain=break_strain, pins=np.flatnonzero(vertices[:, 0] < -0.49), **settings,
    )


def played(spec: SpringGraphSpec, frames: int) -> np.ndarray:
    """Positions of the bar after some frames."""
    world = build_world(WorldSpec(systems=(spec,)))
    for _frame in range(frames):
        step_frame(world)
    return world.positions("bar")


def opening(x: np.ndarray) -> float:
    """Largest distance between vertices of both pieces that coincide at rest [m]."""
    vertices, _triangles = halves()
    count = len(vertices) // 2
    left, right = (np.flatnonzero(np.abs(vertices[own, 0]) < 1e-6) for own in (slice(0, count), slice(count, None)))
    near = np.linalg.norm(vertices[left][:, None] - vertices[count + right], axis=2).argmin(axis=1)
    return float(np.linalg.norm(x[left] - x[count + right[near]], axis=1).max())


def test_pieces_have_nodes_of_their_own_and_springs_to_each_other() -> None:
    """No cell, and no vertex, has nodes of both pieces; springs across are one cell long at rest."""
    vertices, triangles = halves()
    lattice, ride, cuts = build_pieces("bar", vertices, triangles, 0.125)
    half = len(lattice.nodes) // 2
    is_right = lattice.corners >= half
    assert np.all(is_right.all(axis=1) | ~is_right.any(axis=1))
    row = np.repeat(np.arange(len(vertices)), np.diff(ride.start))
    assert np.array_equal(ride.node >= half, row >= len(vertices) // 2)
    assert np.allclose(np.bincount(row, ride.weight), 1.0)
    # From each of 25 nodes to the node behind its twin, in both pieces; and along the 40 edges of the cut, in both
    # directions.
    assert len(cuts) == 2 * 25 + 2 * 40
    assert np.all((cuts[:, 0] < half) & (cuts[:, 1] >= half))
    assert np.allclose(np.linalg.norm(lattice.nodes[cuts[:, 0]] - lattice.nodes[cuts[:, 1]], axis=1), lattice.size)


@pytest.mark.parametrize("values", [{}, {"material": "SPRINGS", "stiffness": 1e4, "damping": 5.0}])
def test_a_bar_of_two_pieces_bends_as_one_and_breaks_at_the_cut(values: dict[str, object]) -> None:
    """A light bar keeps its pieces within a millimetre of each other; one that is too heavy loses its free half."""
    assert opening(played(bar(5.0, 0.2, **values), 12)) < 1e-3
    vertices, _triangles = halves()
    x = played(bar(60.0, 0.5, **values | {"cut_strength": 0.02}), 20)
    free = len(vertices) // 2
    assert opening(x) > 0.3
    size = np.ptp(x[free:], axis=0)
    assert np.all(size < 0.9) and x[:free, 2].min() > -0.5
