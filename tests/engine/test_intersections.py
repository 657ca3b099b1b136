"""Whether bodies intersect: the same answer as by brute force, in a small part of the time of a frame."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
from crossings import boxes, cuts
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.interactions.contact.late.overlaps import Overlaps
from flotsam.engine.solver.collide.narrow_phase.intersections import Intersections
from shapes import FLOOR, FLOOR_TRIANGLES, box, sheet, torus

EVERYWHERE = np.full(3, np.inf)


def soup(random: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Two bodies of ten small triangles each: positions (60, 3), body (60,), edges (60, 2), corners (20, 3)."""
    middle = random.random((20, 1, 3))
    x = (middle + 0.4 * random.random((20, 3, 3))).reshape(-1, 3)
    corner = np.arange(60).reshape(-1, 3)
    edge = corner[:, [0, 1, 1, 2, 0, 2]].reshape(-1, 2)
    return x, np.repeat([0, 1], 30), edge, corner


def test_edges_pass_through_faces_as_by_brute_force() -> None:
    """400 pairs of bodies: as `crossings.cuts`, which compares every edge with every face; half of them intersect."""
    random, found = np.random.default_rng(1), 0
    for _ in range(400):
        x, body, edge, corner = soup(random)
        edges, faces = edge[body[edge[:, 0]] == 0], corner[body[corner[:, 0]] == 1]
        meets = len(cuts(x, edges, faces, boxes(x, edges), boxes(x, faces))) > 0
        assert Intersections(body, edge, corner, 2).cut(0, 1, x, -EVERYWHERE, EVERYWHERE) == meets
        found += meets
    assert 100 < found < 300, found


def test_only_what_reaches_into_the_box_counts() -> None:
    """An edge through a face is found in a box around both, and not in a box above it."""
    x = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, -1], [0.2, 0.2, 1], [0.3, 0.2, 2]])
    edge, corner = np.array([[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5]]), np.array([[0, 1, 2], [3, 4, 5]])
    surfaces = Intersections(np.array([0, 0, 0, 1, 1, 1]), edge, corner, 2)
    assert surfaces.cut(1, 0, x, -EVERYWHERE, EVERYWHERE)
    assert not surfaces.cut(0, 1, x, -EVERYWHERE, EVERYWHERE)
    assert not surfaces.cut(1, 0, x, np.array([-2.0, -2.0, 0.5]), EVERYWHERE)


def pile() -> WorldSpec:
    """Three rings and two jellies that lie on each other in a cloth that hangs at its corners."""
    vertices, triangles, edges = sheet((2.0, 2.0), (32, 32))
    vertices -= [1.0, 1.0, 0.0]
    pins = np.flatnonzero((np.abs(vertices[:, :2]) > 1.0 - 1e-3).all(axis=1))
    cloth = SpringGraphSpec(
        "hung", vertices + [0.0, 0.0, 1.2], triangles, edges, pins=pins, stiffness=848.0, bending=1.2e-4,
        mass_by="AREA_DENSITY", area_density=0.2, thickness=0.009, friction=0.5, air_drag=0.5,
    )
    vertices, triangles, edges = torus(0.22, 0.08, 48, 16)
    rings = [
        SpringGraphSpec(
            f"ring {k}", vertices + [0.3 * k - 0.3, 0.1 * k, 1.4 + 0.2 * k], triangles, edges, stiffness=1194.0,
            damping=0.0092, struts=1, pressure=400.0, mass_by="AREA_DENSITY", area_density=0.3, thickness=0.006,
            friction=0.4,
        )
        for k in range(3)
    ]
    cube, sides = box(0.4, 8)
    jellies = [
        SpringGraphSpec(
            f"jelly {k}", cube + [0.5 * k - 0.25, 0.0, 2.1], sides, graph="LATTICE", young=22500.0, poisson=0.45,
            mass_by="DENSITY", density=1000.0, friction=0.6, air_drag=0.3,
        )
        for k in range(2)
    ]
    floor = ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES, friction=0.3)
    return WorldSpec((cloth, *rings, *jellies, floor), substeps=10, threads=1)


def test_asking_which_bodies_intersect_is_a_small_part_of_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """Soft bodies that are pressed together in a hung cloth: at most a tenth of the processor time of their frames.

    The test runs in each substep, and again in the last check. When arrays of all edges and faces were compared, it
    took more than two fifths.
    """
    spent = [0.0]

    def timed(function: Callable) -> Callable:
        def call(*arguments: object) -> object:
            begun = time.process_time()
            result = function(*arguments)
            spent[0] += time.process_time() - begun
            return result

        return call

    for name in ("find_tangled", "look"):
        monkeypatch.setattr(Overlaps, name, timed(getattr(Overlaps, name)))
    world, total = build_world(pile()), 0.0
    for frame in range(20):
        begun = time.process_time()
        step_frame(world)
        if frame < 14:
            # The bodies meet, and kernels compile at their first calls.
            spent[0] = 0.0
        else:
            total += time.process_time() - begun
    assert spent[0] < 0.1 * total, (spent[0], total)
