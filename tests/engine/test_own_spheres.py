"""Self-collision by spheres at vertices: nothing passes through a mesh; bits are reproducible, momentum is kept."""

from __future__ import annotations

from dataclasses import replace

import crossings
import numpy as np
import pytest
from flotsam.engine import Ignore, SpringGraphSpec, WorldSpec, build_world, kernels_of, step_frame
from flotsam.engine.interactions.contact import own_spheres
from flotsam.engine.interactions.contact.system import Contacts
from flotsam.engine.solver.own_spheres.pairs import PARTS
from flotsam.engine.solver.own_spheres.spheres import NEAR_SHARE, STRETCH, measure_spheres
from flotsam.engine.world.world import World
from shapes import sheet

EDGE, CELLS = 0.05, 12
SPHERES = {"self_collision": True, "self_contact": "SPHERES"}


def layers(gap: float, **settings: object) -> SpringGraphSpec:
    """Two sheets of one body, `gap` apart, the lower one pinned; edges of equal length with one diagonal a quad."""
    vertices, triangles, _edges = sheet((EDGE * CELLS, EDGE * CELLS), (CELLS, CELLS))
    upper = vertices + [0.3 * EDGE, 0.2 * EDGE, gap]
    count = len(vertices)
    return SpringGraphSpec(
        "rag", np.concatenate([vertices, upper]), np.concatenate([triangles, np.asarray(triangles) + count]),
        pins=np.arange(count), **({"mass": 0.2, "stiffness": 200.0, "friction": 0.8} | settings),
    )


def world_of(spec: SpringGraphSpec, **settings: object) -> World:
    return build_world(WorldSpec(systems=(spec,), **settings))


def contacts_of(world: World) -> Contacts:
    return next(one for one in world.interactions if isinstance(one, Contacts))


def heights(world: World, frames: int) -> np.ndarray:
    """Heights of the upper sheet after `frames` frames [m]."""
    for _ in range(frames):
        step_frame(world)
    return world.state.x[(CELLS + 1) ** 2 : 2 * (CELLS + 1) ** 2, 2]


def spheres_of(vertices: np.ndarray, triangles: np.ndarray, edges: np.ndarray | None = None) -> np.ndarray:
    none = np.zeros((0, 2), dtype=np.int32)
    diameter = np.empty(len(vertices))
    measure_spheres(
        np.asarray(triangles, dtype=np.int32).reshape(-1, 3), none if edges is None else edges, none,
        np.asarray(vertices, dtype=float), 0.0, diameter, np.empty(len(vertices) + 1, dtype=np.int64),
    )
    return diameter


@pytest.mark.parametrize("shape", [
    [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 0], [1, 0, 0], [0.5, 0.75**0.5, 0]],
    [[0, 0, 0], [1, 0, 0], [0.3, 0.1, 0]], [[0, 0, 0], [1, 0, 0], [0.9, 0.05, 0]], [[0, 0, 1], [3, 0, 1], [1, 0.5, 2]],
])
def test_a_triangle_has_no_hole(shape: list[list[float]]) -> None:
    """The diameter is STRETCH times the distance of its farthest point from the nearest corner."""
    corners = np.array(shape, dtype=float)
    a, b = np.meshgrid(np.linspace(0.0, 1.0, 400), np.linspace(0.0, 1.0, 400))
    a, b = a[a + b <= 1.0], b[a + b <= 1.0]
    points = corners[0] + a[:, None] * (corners[1] - corners[0]) + b[:, None] * (corners[2] - corners[0])
    cover = np.linalg.norm(points[:, None] - corners, axis=2).min(axis=1).max()
    np.testing.assert_allclose(spheres_of(corners, [[0, 1, 2]]), STRETCH * cover, rtol=5e-3)


def test_crossed_loose_edges_have_no_hole() -> None:
    edge = np.array([[0, 1]], dtype=np.int32)
    np.testing.assert_allclose(spheres_of([[0, 0, 0], [0.2, 0, 0]], [], edge), STRETCH * 0.2 / 2**0.5)


def test_a_sheet_lies_on_another_one_of_the_same_body() -> None:
    """The upper one rests half an edge to an edge above the lower one; without self-collision it falls through."""
    assert heights(world_of(layers(0.2)), 24).max() < -0.5
    rests = heights(world_of(layers(0.2, **SPHERES)), 48)
    assert 0.4 * EDGE < rests.min() and rests.max() < EDGE


@pytest.mark.parametrize("speed", [2.0, 5.0])
def test_no_sphere_passes_within_a_substep(speed: float) -> None:
    """At relative displacements of up to a radius a substep: 5 m/s are 21 mm in 1/240 s; a sphere is 42 mm wide."""
    velocity = np.zeros((2 * (CELLS + 1) ** 2, 3))
    velocity[(CELLS + 1) ** 2 :, 2] = -speed
    world = world_of(layers(0.3, velocity=velocity, **SPHERES), gravity=(0.0, 0.0, 0.0))
    for _ in range(6):
        assert heights(world, 1).min() > 0.0


def test_layers_that_are_near_at_rest_are_left_alone() -> None:
    """Two sheets a fifth of an edge apart as modelled stay there, although spheres are wider."""
    world = world_of(layers(0.2 * EDGE, **SPHERES), gravity=(0.0, 0.0, 0.0))
    assert np.ptp(heights(world, 5)) < 1e-9 and not world.contact_buffer.count


def test_momentum_is_kept() -> None:
    velocity = np.zeros((2 * (CELLS + 1) ** 2, 3))
    velocity[(CELLS + 1) ** 2 :] = [0.5, 0.0, -1.0]
    world = world_of(replace(layers(0.1, velocity=velocity, **SPHERES), pins=()), gravity=(0.0, 0.0, 0.0))
    mass = world.model.mass[:, None]
    before, fell = (mass * world.state.v).sum(axis=0), world.state.v[-1, 2]
    for _ in range(10):
        step_frame(world)
    np.testing.assert_allclose((mass * world.state.v).sum(axis=0), before, atol=1e-9)
    assert world.state.v[-(CELLS**2) :, 2].mean() > 0.7 * fell, "they have collided"


def crumpled(threads: int = 1) -> World:
    """Two sheets whose vertices have random velocities."""
    spec = layers(4.0 * EDGE, **SPHERES, bending=1e-4)
    velocity = np.random.default_rng(0).normal(0.0, 1.0, (len(spec.vertices), 3))
    return world_of(replace(spec, velocity=velocity), threads=threads)


def test_every_pair_that_touches_is_found() -> None:
    """A substep with a search lists all pairs that a loop over all pairs finds, except those joined by an edge."""
    world = crumpled()
    for _ in range(6):
        step_frame(world)
    body = contacts_of(world).own.bodies[0]
    state, own = world.state, body._spheres
    body.forget()
    body.update(state)
    listed = {
        tuple(sorted(pair)) for part in range(PARTS)
        for pair in body._pairs.pair[part, : body._pairs.length[part]].tolist()
    }
    start, displacement = (values[own.particle] for values in (state.x_prev, state.x - state.x_prev))
    p, d = start[:, None] - start, displacement[:, None] - displacement
    t = np.clip(-(p * d).sum(axis=2) / np.maximum((d * d).sum(axis=2), 1e-300), 0.0, 1.0)
    nearest = np.linalg.norm(p + t[..., None] * d, axis=2)
    rest = np.linalg.norm(own.rest[:, None] - own.rest, axis=2)
    keep = np.minimum(np.maximum.outer(own.diameter, own.diameter), NEAR_SHARE * rest)
    joined = np.eye(len(start), dtype=bool)
    joined[np.repeat(np.arange(len(start)), np.diff(own.joined_start)), own.joined] = True
    touching = {tuple(pair) for pair in np.argwhere(np.triu((nearest < keep) & ~joined)).tolist()}
    assert len(touching) > 20 and touching <= listed


def test_the_same_bits_for_any_threads_and_after_a_resume() -> None:
    found = []
    for threads in (1, 2):
        world = crumpled(threads)
        for _ in range(6):
            step_frame(world)
        saved = world.snapshot()
        for _ in range(4):
            step_frame(world)
        found.append(world.state.x.copy())
        world.restore(saved)
        for _ in range(4):
            step_frame(world)
        found.append(world.state.x.copy())
    assert contacts_of(world).own.bodies[0].searches and world.contact_buffer.count
    assert all(np.array_equal(found[0], one) for one in found)


def curtain(**settings: object) -> SpringGraphSpec:
    """A hanging sheet of 4 m, 60 by 60 vertices, a little uneven, that tears under three times its weight."""
    vertices, triangles, _edges = sheet((4.0, 4.0), (59, 59))
    vertices = vertices[:, [0, 2, 1]] + np.random.default_rng(1).normal(0.0, 1e-3, vertices.shape)
    pins = np.flatnonzero(vertices[:, 2] > vertices[:, 2].max() - 0.03)
    return SpringGraphSpec(
        "curtain", vertices, triangles, pins=pins, mass_by="AREA_DENSITY", area_density=0.3, damping=0.02,
        stiffness=8.0, tear=True, break_strain=0.2, **settings,
    )


def crossed(world: World) -> int:
    """Number of pairs of an edge and a face of a torn curtain that intersect."""
    x, faces = world.state.x, world.systems[0].tears.bodies["curtain"].torn.triangles()
    edges = np.unique(np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    found = crossings.cuts(x, edges, faces, crossings.boxes(x, edges), crossings.boxes(x, faces))
    shared = (edges[found[:, 0]][:, :, None] == faces[found[:, 1]][:, None]).any(axis=(1, 2))
    return int(np.count_nonzero(~shared))


def test_torn_pieces_keep_apart() -> None:
    """They intersect in at most a twentieth of the places where they do without self-collision."""
    found = {}
    for name, settings in (("free", {}), ("spheres", SPHERES)):
        world = world_of(curtain(**settings), gravity=(0.0, 0.0, -30.0))
        for _ in range(36):
            step_frame(world)
        assert world.systems[0].tears.bodies["curtain"].torn.used > 3700
        found[name] = crossed(world)
    assert found["free"] > 500 and found["spheres"] < found["free"] / 20


def test_it_is_an_option_and_a_rule_ends_it() -> None:
    spec = layers(0.2, **SPHERES)
    assert SpringGraphSpec("rag", spec.vertices, spec.triangles).self_contact == "SURFACE"
    assert "SPHERES" in kernels_of(WorldSpec((spec,)))
    assert "SPHERES" not in kernels_of(WorldSpec((replace(spec, self_collision=False),)))
    assert contacts_of(world_of(replace(spec, self_contact="SURFACE"))).own is None
    assert heights(world_of(spec, interactions=(Ignore("rag", "rag"),)), 24).max() < -0.5


def test_bodies_that_others_meet_by_proxies_still_meet_themselves() -> None:
    assert heights(world_of(layers(0.2, contact="PROXIES", **SPHERES)), 24).min() > 0.3 * EDGE


def test_a_body_without_extent_has_no_spheres(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is divided by a diameter of zero."""
    monkeypatch.setattr(own_spheres, "measure_spheres", lambda *columns: columns[5].fill(0.0))
    assert not contacts_of(world_of(layers(0.2, **SPHERES))).own.bodies
