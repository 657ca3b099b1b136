"""Surfaces that tear: the mesh opens, nothing is lost, and the bits are the same for any threads and after a resume."""

from __future__ import annotations

import gc
from dataclasses import replace
from weakref import ref

import numpy as np
import pytest
from flotsam.engine import (
    Controls,
    SpecError,
    SpringGraphSpec,
    VoxelBodySpec,
    WorldSpec,
    build_world,
    cache,
    step_frame,
)
from shapes import sphere

SIZE, ACROSS, ALONG = 0.05, 7, 15


def strip(**settings: object) -> SpringGraphSpec:
    """A strip of quads in the plane, pinned at both short ends."""
    place = np.arange(ALONG * ACROSS).reshape(ALONG, ACROSS)
    quads = np.stack([place[:-1, :-1], place[1:, :-1], place[1:, 1:], place[:-1, 1:]], axis=-1).reshape(-1, 4)
    corner = np.arange(quads.size).reshape(-1, 4)
    triangle_corners = np.concatenate([corner[:, [0, 1, 2]], corner[:, [0, 2, 3]]])
    along, across = np.divmod(np.arange(ALONG * ACROSS), ACROSS)
    pins = np.concatenate([place[0], place[-1]])
    values = {
        "stiffness": 500.0, "mass_by": "AREA_DENSITY", "tear": True, "break_strain": 0.2, "self_collision": True,
    } | settings
    return SpringGraphSpec(
        "Strip", SIZE * np.stack([along, across, 0 * along], axis=1), quads.reshape(-1)[triangle_corners], pins=pins,
        corners=quads.reshape(-1), triangle_corners=triangle_corners, **values,
    )


def world_of(spec: SpringGraphSpec, threads: int = 1):
    """A world with this body only, without gravity."""
    return build_world(WorldSpec((spec,), threads=threads, gravity=(0.0, 0.0, 0.0)))


def pulled(frame: int) -> Controls:
    """One end is pulled away by 25 mm a frame."""
    targets = strip().vertices[strip().pins].copy()
    targets[ACROSS:, 0] += 0.025 * frame
    return Controls(pins={"Strip": targets})


def run(world, first: int, last: int):
    """The last of some frames."""
    for number in range(first, last + 1):
        frame = step_frame(world, pulled(number))
    return frame


@pytest.fixture(scope="module")
def torn():
    """A strip that has been pulled apart, and its last frame."""
    world = world_of(strip())
    mass = world.mass("Strip")
    frame = run(world, 1, 16)
    return world, mass, frame


def test_a_strip_pulled_apart_opens_and_keeps_its_mass(torn) -> None:
    """Faces at both ends end as separate pieces; mass, and edges inside faces, stay what they were."""
    world, mass, frame = torn
    body = world.systems[0].tears.bodies["Strip"].torn
    from flotsam.engine.mesh.graph.components import components

    triangles = body.triangles()
    label, _rank = components(triangles[:, [0, 1, 1, 2]].reshape(-1, 2), body.used)
    assert label[0] != label[(ALONG - 1) * ACROSS], "both ends are still connected"
    assert frame.diagnostics["Strip"]["splits"][0] >= ACROSS - 2
    assert world.mass("Strip") == pytest.approx(mass, rel=1e-12)
    corners = frame.corners["Strip"]["positions"].reshape(-1, 4, 3)
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=-1).max()
    assert longest < 2.0 * SIZE, f"a face is {longest / SIZE:.1f} times as long as it was"
    assert len(frame.positions["Strip"]) == ALONG * ACROSS


def test_the_bits_are_the_same_for_any_threads_and_after_a_resume(torn, tmp_path) -> None:
    """A second world on two threads, and one that continues from a file of a torn state."""
    _world, _mass, frame = torn
    other = world_of(strip(), threads=2)
    run(other, 1, 11)
    cache.save_state(tmp_path / "state.npz", other.snapshot())
    continued = world_of(strip())
    continued.restore(cache.load_state(tmp_path / "state.npz", continued.snapshot()))
    assert continued.torn()["Strip"].max() >= ALONG * ACROSS, "nothing had torn yet"
    for world in (other, continued):
        last = run(world, 12, 16)
        assert np.array_equal(last.corners["Strip"]["positions"], frame.corners["Strip"]["positions"])
        assert np.array_equal(last.corners["Strip"]["stress"], frame.corners["Strip"]["stress"])


def test_tables_that_a_tear_replaces_are_gone_at_once() -> None:
    """Otherwise each frame with a tear would take new memory until the garbage collector runs, 15 MB in a sheet."""
    world = world_of(strip())
    run(world, 1, 4)
    gc.disable()
    try:
        before = [ref(behaviour) for behaviour in world.behaviours()]
        splits = [run(world, number, number).diagnostics["Strip"]["splits"][0] for number in range(5, 13)]
        assert splits[-1] > 0
        assert [old() for old in before] == [None] * len(before)
    finally:
        gc.enable()


def test_what_is_protected_does_not_tear_and_seams_tear_first() -> None:
    """With half the strip protected no vertex of it splits; a seam at a third of the strength takes all splits."""
    weight = (strip().vertices[:, 0] > 0.5 * SIZE * ALONG).astype(float)
    world = world_of(strip(weights={"break_strain": weight}, tear_noise=0.0))
    run(world, 1, 14)
    body = world.systems[0].tears.bodies["Strip"].torn
    split = body.parent[ALONG * ACROSS : body.used]
    assert len(split) and weight[split].min() > 0.0
    edges = np.concatenate([body.corners.vertex[body.corners.borders()]])
    is_seam = (edges // ACROSS == 5).all(axis=1)
    world = world_of(strip(edges=edges, seams=is_seam.astype(float)))
    run(world, 1, 10)
    body = world.systems[0].tears.bodies["Strip"].torn
    split = body.parent[ALONG * ACROSS : body.used]
    assert len(split) == ACROSS and np.all(split // ACROSS == 5)


def test_unstitching_opens_a_seam_without_any_pull() -> None:
    """A seam opens when Unstitch reaches its value, and not before."""
    body = world_of(strip()).systems[0].tears.bodies["Strip"].torn
    edges = body.corners.vertex[body.corners.borders()]
    spec = strip(edges=edges, seams=np.where((edges // ACROSS == 5).all(axis=1), 0.5, 0.0), keyed=("unstitch",))
    world = world_of(spec)
    splits = []
    for value in (0.2, 0.6, 0.6):
        frame = step_frame(world, Controls(values={"Strip": {"unstitch": value}}))
        splits.append(world.systems[0].tears.bodies["Strip"].torn.used - ALONG * ACROSS)
    assert splits == [0, ACROSS, ACROSS]
    assert frame.diagnostics["Strip"]["splits"] == (float(ACROSS),)


@pytest.mark.parametrize("settings", [{"struts": 1}, {"graph": "EDGES"}, {"contact": "PROXIES"}])
def test_bodies_that_cannot_tear_say_so(settings: dict[str, object]) -> None:
    """Each with a sentence that names the setting."""
    with pytest.raises(SpecError, match=next(iter(settings))):
        world_of(strip(**settings))


def balloon(**settings: object) -> SpringGraphSpec:
    """A stiff sphere of 0.5 m radius under 400 Pa, with a seam of two edges that unstitching opens."""
    from flotsam.engine.mesh.graph.edges import triangle_edges, unique_pairs

    vertices, triangles = sphere(1.0, 3)
    edges = unique_pairs(triangle_edges(triangles))
    seam = np.zeros(len(edges))
    first = int(np.argmax(vertices[:, 2]))
    around = np.flatnonzero((edges == first).any(axis=1))
    directions = np.array([vertices[edges[k].sum() - first] - vertices[first] for k in around])
    opposite = np.argmin(directions @ directions[0])
    seam[around[[0, opposite]]] = 1.0
    values = {
        "stiffness": 2e5, "damping": 100.0, "mass_by": "AREA_DENSITY", "area_density": 0.5, "pressure": 400.0,
        "break_strain": 5.0, "keyed": ("unstitch",), "tear": True,
    } | settings
    return SpringGraphSpec("Balloon", 0.5 * vertices, triangles, edges, seams=seam, **values)


def test_air_leaves_through_a_tear_as_through_an_orifice_and_pushes_the_balloon() -> None:
    """T29. sqrt(Δp) falls by p C A sqrt(2 / ρ) / (2 B) a second: A the area of the opening; B = V + p dV/dΔp."""
    from flotsam.engine.solver.constraints.gas.volume import AMBIENT
    from flotsam.engine.systems.spring_graph.tearing.leaks import CONTRACTION, DENSITY

    world = build_world(WorldSpec((balloon(),), threads=1, gravity=(0.0, 0.0, 0.0), frame_rate=240.0, substeps=4))
    for _ in range(20):
        step_frame(world)
    step_frame(world, Controls(values={"Balloon": {"unstitch": 1.0}}))
    pressures, areas, volumes = [], [], []
    for _ in range(40):
        frame = step_frame(world)
        pressures.append(sum(frame.diagnostics["Balloon"]["pressure"]))
        areas.append(np.linalg.norm(world.systems[0]._leaks._holes(world.state.x), axis=1).sum())
        volumes.append(frame.diagnostics["Balloon"]["volume"][0])
    drop, volume_drop = pressures[0] - pressures[-1], volumes[0] - volumes[-1]
    slope = (np.sqrt(pressures[0]) - np.sqrt(pressures[-1])) * 240.0 / 39.0
    effective_volume = volumes[0] + AMBIENT * volume_drop / drop
    expected = AMBIENT * CONTRACTION * np.mean(areas) * np.sqrt(2.0 / DENSITY) / (2.0 * effective_volume)
    assert drop > 0.2 * pressures[0] and slope == pytest.approx(expected, rel=0.1)
    # Momentum of the jet, 2 C Δp A for each second, over the mass of the skin.
    thrust = 2.0 * CONTRACTION * np.mean(np.array(pressures) * areas) * 41.0 / 240.0 / world.mass("Balloon")
    down = -world.velocities("Balloon").mean(axis=0)[2]
    assert down == pytest.approx(thrust, rel=0.2), "the jet leaves upwards, so the balloon goes down"


def test_a_ball_tears_its_way_through_a_sheet_that_collides_with_itself() -> None:
    """Both sides of a tear start at the same place, and must not hold each other; the ball passes through."""
    spec = strip(break_strain=0.25, damping=0.2, area_density=0.5)
    rim = np.unique(np.concatenate([spec.pins, np.arange(0, ALONG * ACROSS, ACROSS), np.arange(6, ALONG * ACROSS, 7)]))
    vertices, triangles = sphere(0.06, 2)
    middle = np.array([0.5 * SIZE * (ALONG - 1), 0.5 * SIZE * (ACROSS - 1), 0.09])
    ball = VoxelBodySpec("Ball", vertices + middle, triangles, density=4000.0, velocity=(0.0, 0.0, -3.0))
    world = build_world(WorldSpec((replace(spec, pins=rim), ball), threads=1))
    for _ in range(8):
        frame = step_frame(world)
    assert frame.diagnostics["Strip"]["splits"][0] > 2
    assert frame.transforms["Ball"][2, 3] < -0.3
    assert frame.diagnostics["Strip"]["stretch"][1] < 1.0


def test_what_has_yielded_stays_so_when_a_surface_tears() -> None:
    """A rope that its load has lengthened does not return to its first length when a strip tears in the same world."""
    rope = SpringGraphSpec(
        "Rope", np.array([[5.0, 0, 0], [5, 0, -0.1], [5, 0, -0.2]]), edges=np.array([[0, 1], [1, 2]]), pins=[0],
        graph="EDGES", stiffness=50.0, mass=1.0, yield_strain=0.1, creep=20.0,
    )
    world = build_world(WorldSpec((strip(), rope), threads=1))
    lengths, splits = [], []
    for number in range(1, 13):
        frame = step_frame(world, pulled(number))
        graphs = world.systems[0]
        lengths.append(graphs.springs.by_link(graphs.plasticity.rest)[-2:].sum())
        splits.append(frame.diagnostics["Strip"]["splits"][0])
    assert splits[-1] > splits[4]
    assert lengths[-1] > 0.25 and np.all(np.diff(lengths) > -1e-6), lengths


def test_what_is_taken_from_the_whole_mesh_is_what_the_torn_one_gives(torn) -> None:
    """Compared with links and pieces built from the torn strip's own triangles; the tree has each triangle once."""
    from flotsam.engine.mesh.graph.links import build_links
    from flotsam.engine.mesh.graph.parts import find_parts
    from flotsam.engine.systems.spring_graph.tearing.sides import torn_sides
    from flotsam.engine.systems.spring_graph.tearing.torn_spec import torn_links, torn_parts, torn_spec, whole_mesh

    body = torn[0].systems[0].tears.bodies["Strip"].torn
    for spec in (strip(), strip(rings=2), strip(edges=body.corners.vertex[body.corners.borders()])):
        whole = whole_mesh(spec)
        sides = torn_sides(whole.sides, body)
        as_torn = torn_spec(spec, whole, body, sides)
        pairs, rest = torn_links(as_torn, whole, body, sides)
        own_pairs, own_rest = build_links(as_torn, as_torn.vertices, as_torn.triangles, as_torn.edges)
        assert np.array_equal(pairs, own_pairs) and np.array_equal(rest, own_rest)
        parts, tree = torn_parts(as_torn.vertices, whole, body, sides)
        own = find_parts(as_torn.vertices, as_torn.triangles)
        assert np.array_equal(parts.vertex_part, own.vertex_part) and np.array_equal(parts.part, own.part)
        rims = [found.rim_edges[np.lexsort(found.rim_edges.T)] for found in (parts, own)]
        assert len(parts.volume) > 1 and np.array_equal(*rims)
        assert np.array_equal(np.sort(parts.triangles, axis=1), np.sort(own.triangles, axis=1))
        assert np.array_equal(np.sort(tree.order), np.arange(len(parts.triangles)))
        # The tree has the same triangles in the same order as over the whole mesh.
        before = spec.vertices[whole.corners.vertex[whole.oriented[whole.tree.order]]]
        assert np.allclose(as_torn.vertices[parts.triangles[tree.order]].mean(axis=1), before.mean(axis=1))
