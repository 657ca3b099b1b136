"""Edges of soft bodies that cross where no vertex passes a face."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from crossings import Watch
from flotsam.engine import ColliderSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from shapes import FLOOR, FLOOR_TRIANGLES, box, sheet, sphere, torus
from test_between import tilted

# Height from which the jelly falls onto a cloth [m]; frames until it has bounced and fallen again.
HEIGHT, FRAMES = 1.5, 28
# Frames in which a jelly hits cloth over crates.
HIT = 24


def bounces(is_over_cloth: bool) -> tuple[np.ndarray, Watch]:
    """Heights (FRAMES,) of the middle of a cube of jelly of 125 kg that falls onto a block [m], and its `Watch`."""
    cube, sides = box(0.5, 10)
    block, walls = box(0.5, 1)
    vertices, triangles, edges = sheet((1.6, 1.6), (25, 25))
    cloth = SpringGraphSpec(
        "cloth", vertices + [-0.8, -0.8, 1.0], triangles, edges, stiffness=753.6, bending=8.2e-5, mass=0.512,
        thickness=0.008, friction=0.5, air_drag=0.5,
    )
    world = build_world(WorldSpec(substeps=5, systems=(
        *([cloth] if is_over_cloth else []),
        SpringGraphSpec(
            "jelly", cube + [0.0, 0.0, HEIGHT + 0.25], sides, graph="LATTICE", young=25000.0, poisson=0.45, mass=125.0,
            friction=0.6, air_drag=0.3,
        ),
        ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES, friction=0.3),
        ColliderSpec("block", block + [0.0, 0.0, 0.25], walls, friction=0.3),
    )))
    watch, heights = Watch(world), []
    for _ in range(FRAMES):
        step_frame(world)
        heights.append(world.positions("jelly")[:, 2].mean())
    return np.array(heights), watch


def test_edges_that_a_hit_bends_are_found_in_time() -> None:
    """A cube of jelly of 125 kg falls onto a cloth over a block: no edge intersects a face after any substep.

    Both the cloth and the jelly are flat before the hit, which bends them by a hand's breadth within a frame. The cloth
    has 0.4 % of the jelly's mass, so the jelly bounces as from the bare block, which lifts its middle by 0.33 m. It did
    not bounce when the last check moved cloth back and forth between block and jelly, and stopped both as one body.
    """
    heights, watch = bounces(is_over_cloth=True)
    alone, _ = bounces(is_over_cloth=False)
    hit = int(alone.argmin())
    assert alone[hit:].max() - alone[hit] > 0.3, "it bounces"
    assert abs(heights - alone).max() < 0.05
    assert watch.crossed == 0, watch.first


@pytest.mark.parametrize("higher", (0.01, 0.0300001))
def test_edges_that_the_last_check_bends_are_found_too(higher: float) -> None:
    """A jelly of 125 kg hits a cloth of 0.6 kg over four tilted crates at 3 m/s, from two heights.

    Vertices that the last check moves back onto corners of crates bend the cloth. When only sharp edges were tested,
    edges cut faces in 74 of 120 substeps from the first height. Later, from the other height, they did in 9: a vertex
    of the jelly 4 mm over a fold of the cloth was taken for one that had started below it, because the fold faced away
    from the middle of the jelly.
    """
    cube, sides = box(0.5, 8)
    crate, walls = box(0.3, 1)
    vertices, triangles, edges = sheet((1.6, 1.6), (23, 23))
    crates = (
        VoxelBodySpec(
            f"crate {i}{j}", crate @ tilted(3 * i + j) * 0.8 + [0.42 * i - 0.21, 0.42 * j - 0.21, 0.3], walls,
            voxel_size=0.1, density=300.0, thickness=0.004, friction=0.5,
        )
        for i in range(2) for j in range(2)
    )
    world = build_world(WorldSpec(substeps=5, systems=(
        SpringGraphSpec(
            "cloth", vertices + [-0.8, -0.8, 0.62], triangles, edges, stiffness=750.0, bending=8e-5, mass=0.6,
            thickness=0.01, friction=0.5, air_drag=0.5,
        ),
        ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES, friction=0.3),
        SpringGraphSpec(
            "jelly", cube + [0.05, 0.1, 1.0 + higher], sides, graph="LATTICE", young=25000.0, poisson=0.45, mass=125.0,
            friction=0.6, velocity=(0.0, 0.0, -3.0),
        ),
        *crates,
    )))
    watch = Watch(world)
    for _ in range(HIT):
        step_frame(world)
    assert world.positions("jelly")[:, 2].min() < 0.4
    assert watch.crossed == 0, watch.first


def about_edge(vertices: np.ndarray, triangles: np.ndarray, turn: float) -> np.ndarray:
    """A ball rotated so that the middle of an edge is its highest point, and the edge is at the angle `turn` to x."""
    edges = np.unique(np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    middle = vertices[edges].mean(axis=1)
    a, b = edges[int((middle @ [0.2, 0.3, 0.9]).argmax())]
    up = (vertices[a] + vertices[b]) / np.linalg.norm(vertices[a] + vertices[b])
    along = vertices[b] - vertices[a]
    along /= np.linalg.norm(along)
    c, s = np.cos(turn), np.sin(turn)
    return vertices @ np.stack([along, np.cross(up, along), up], axis=1) @ [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]


@pytest.mark.parametrize(("turn", "beside", "speed"), [(1.57, 0.004, 2.5), (1.57, 0.0, 6.0), (1.05, 0.004, 6.0)])
def test_balls_that_hit_each_other_do_not_cross_at_their_edges(turn: float, beside: float, speed: float) -> None:
    """Two beach balls of 1,026 vertices meet at 5 and 12 m/s, edge on edge.

    They are pressed together by less than their edges bulge, so edges cross where no vertex passes a face. When only
    sharp edges were tested, they cut faces in 12, 3 and 10 of 70 substeps. Later, when two edges whose lines had met
    outside of them earlier counted as separate, they did in 0, 7 and 1.
    """
    vertices, triangles = sphere(0.21, 4)
    ball = SpringGraphSpec(
        "one", about_edge(vertices, triangles, 0.0) - [0.0, 0.0, 0.22], triangles, velocity=(0.0, 0.0, speed),
        stiffness=380.0, mass_by="AREA_DENSITY", area_density=0.08, pressure=300.0, thickness=0.0042, rings=2,
        restitution=0.5, friction=0.3,
    )
    above = about_edge(vertices, triangles, turn) * [1.0, 1.0, -1.0] + [beside, 0.5 * beside, 0.22]
    other = replace(
        ball, name="other", vertices=above, triangles=triangles[:, ::-1].copy(), velocity=(0.0, 0.0, -speed)
    )
    world = build_world(WorldSpec((ball, other), gravity=(0.0, 0.0, 0.0)))
    watch = Watch(world)
    for _ in range(7):
        step_frame(world)
    assert world.state.v[:, 2].max() > 0.5, "they met"
    assert watch.crossed == 0, watch.first


def test_surfaces_that_lie_on_each_other_leave_it_to_vertices() -> None:
    """A ring with air lies on another one: nearly all contacts are of vertices and faces.

    When edges kept the whole rest separation, each had contacts with several of the other ring, four times as many as
    vertices have with faces, and a hundred rings took twice the time.
    """
    vertices, triangles, edges = torus(0.4, 0.15, 48, 24)
    low, high = (
        SpringGraphSpec(name, vertices + [0.0, 0.0, z], triangles, edges, stiffness=5000.0, mass=4.0, pressure=500.0)
        for name, z in (("low", 0.16), ("high", 0.47))
    )
    world = build_world(WorldSpec((low, high, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES))))
    for _ in range(24):
        step_frame(world)
    buffer = world.contact_buffer
    weight, body = buffer.weight[: buffer.count], world.model.body[buffer.contact[: buffer.count]]
    between = (body == body[:, :1]).sum(axis=1) < 4
    of_edges = between & (body < 2).all(axis=1) & (np.abs(weight[:, :2]) > 0.0).all(axis=1) & (weight[:, 1] > 0.0)
    of_faces = between & (body < 2).all(axis=1) & (weight[:, 0] == 1.0)
    assert of_faces.sum() > 20
    assert of_edges.sum() < 0.2 * of_faces.sum()
