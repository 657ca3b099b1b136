"""Bending against closed forms: sag of a strip, rest angle of a fold, momentum, stability."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from flotsam.engine import SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.mesh.graph.hinges import surface_hinges
from flotsam.engine.mesh.graph.order.packing import BLOCK, pack
from flotsam.engine.mesh.graph.order.schedule import schedule
from flotsam.engine.solver.constraints.bending import hinge_angles, relax_hinges, span_hinges
from flotsam.engine.solver.constraints.columns import HingeColumns
from flotsam.engine.solver.vector import bending as vector
from flotsam.engine.world.world import World
from one_island import stages_of_one
from shapes import sheet, torus


@pytest.mark.parametrize("cuts, pressed", [(8, 1), (16, 1), (32, 1), (8, 7), (16, 7)])
def test_a_cantilevered_strip_sags_as_a_beam(cuts: int, pressed: int) -> None:
    """Euler-Bernoulli: q L^4 / (8 B) at the free end, small against L, at three resolutions of the same sheet.

    Two rows are pinned, an edge apart. The hinge at the second row bends too, for half an edge on either side, and the
    load of the last half edge acts at the end. So the strip is a beam discretized at its hinges, whose sum
    sum_k M_k a / B (L - k a) is (1 + a/L)^2 times the closed form, or 1.27, 1.13, 1.06. The tolerance is 2 %: 1 % is
    the solver's residual, and the rest is second order in the sag. The residual of bending grows with the fourth power
    of the cuts, so the finest strip gets 40 substeps. `pressed`: see `press`.
    """
    length, width, bending, sag = 1.0, 0.25, 0.1, 0.02
    edge = length / cuts
    load = 8.0 * bending * sag / length**4
    vertices, triangles, edges = sheet((length + edge, width), (cuts + 1, cuts // 4))
    mass = 0.2 * (length + edge) * width
    gravity = load / 0.2
    spec = SpringGraphSpec(
        "strip", vertices, triangles, edges, mass=mass, mass_by="AREA", stiffness=1e4, bending=bending,
        pins=np.flatnonzero(vertices[:, 0] < 1.5 * edge), air_drag=3.0 * math.sqrt(gravity / sag),
    )
    world = build_world(WorldSpec(systems=(spec,), gravity=(0.0, 0.0, -gravity), substeps=40 if cuts > 16 else 10))
    press(world, pressed)
    for _ in range(150):
        step_frame(world)
    tip = -world.positions("strip")[vertices[:, 0] > length + 0.5 * edge, 2]
    loads = np.full(cuts, load * edge)
    loads[-1] *= 0.5
    reach = np.arange(1, cuts + 1) * edge
    moment = [float(np.sum(loads * np.maximum(reach - k * edge, 0.0))) for k in range(cuts)]
    beam = sum(m * edge / bending * (length - k * edge) for k, m in enumerate(moment))
    assert beam == pytest.approx((1.0 + edge / length) ** 2 * load * length**4 / (8.0 * bending), rel=1e-9)
    assert tip == pytest.approx(np.full(len(tip), beam), rel=0.02)


def press(world: World, times: int) -> None:
    """Multiply the inner steps of all islands by `times` from now on, as if something heavy pressed on them.

    Hinges are solved in as many steps as before.
    """
    inner_steps = world.systems[0].inner_steps
    of_islands = inner_steps.of_islands

    def more(*of: Any) -> tuple[np.ndarray, np.ndarray]:
        steps, bends = of_islands(*of)
        inner_steps.each = times * steps[of[1].of_piece]
        return times * steps, bends

    inner_steps.of_islands = more


@pytest.mark.parametrize("degrees, precision", [
    (-150.0, "DOUBLE"), (-150.0, "SINGLE"), (-90.0, "SINGLE"), (30.0, "SINGLE"), (90.0, "SINGLE"), (170.0, "DOUBLE"),
    (170.0, "SINGLE"),
])
def test_a_fold_keeps_its_angle(degrees: float, precision: str) -> None:
    """A sheet folded at rest, thrown open by an initial velocity, returns to its angle within 0.1 degrees."""
    spec = folded(degrees, bending=0.1, air_drag=3.0)
    opening = np.where(np.arange(len(spec.vertices))[:, None] < 9, [[0.0, 0.0, 1.0]], 0.0)
    world = build_world(WorldSpec(
        systems=(folded(degrees, bending=0.1, air_drag=3.0, velocity=opening),), gravity=(0.0, 0.0, 0.0),
        precision=precision,
    ))
    hinges, _weight = surface_hinges(spec.vertices, spec.triangles, spec.edges)
    before = hinge_angles(spec.vertices, hinges)
    assert np.abs(before).max() == pytest.approx(math.radians(abs(degrees)), rel=1e-6)
    step_frame(world)
    step_frame(world)
    assert np.abs(hinge_angles(world.positions("fold"), hinges) - before).max() > math.radians(1.0)
    for _ in range(150):
        step_frame(world)
    after = hinge_angles(world.positions("fold"), hinges)
    assert np.abs(after - before).max() < math.radians(0.1)


def folded(degrees: float, **settings: object) -> SpringGraphSpec:
    """A sheet of 4 x 2 quads, folded along its middle."""
    vertices, triangles, edges = sheet((1.0, 0.5), (4, 2))
    beyond = np.maximum(vertices[:, 0] - 0.5, 0.0)
    angle = math.radians(degrees)
    vertices[:, 0] = np.minimum(vertices[:, 0], 0.5) + beyond * math.cos(angle)
    vertices[:, 2] = beyond * math.sin(angle)
    return SpringGraphSpec("fold", vertices, triangles, edges, stiffness=1e4, **settings)


@pytest.mark.parametrize("bending", [1e-6, 1.0, 1e9])
@pytest.mark.parametrize("substeps, pressed", [(1, 1), (10, 1), (1, 9), (10, 9)])
def test_no_stiffness_makes_a_crumpled_sheet_explode(bending: float, substeps: int, pressed: int) -> None:
    """A flat sheet whose vertices start at random velocities cannot gain energy.

    It starts without strain, so its kinetic energy is all there is; 1 % allows for the oscillation of the scheme's own
    energy.
    """
    vertices, triangles, edges = sheet((1.0, 1.0), (8, 8))
    crumple = np.random.default_rng(2).normal(0.0, 1.0, vertices.shape)
    spec = SpringGraphSpec("sheet", vertices, triangles, edges, stiffness=1e3, bending=bending, velocity=crumple)
    world = build_world(WorldSpec(systems=(spec,), gravity=(0.0, 0.0, 0.0), substeps=substeps))
    press(world, pressed)
    energy = [float(np.sum(crumple**2))]
    for _ in range(48):
        step_frame(world)
        energy.append(float(np.sum(world.velocities("sheet") ** 2)))
    assert max(energy) <= energy[0] * 1.01


def test_a_hinge_takes_no_momentum() -> None:
    """The displacements of a hinge, weighted by mass, and their moments sum to 0, within rounding."""
    rng = np.random.default_rng(3)
    vertices, triangles, edges = torus(1.0, 0.3, 12, 8)
    hinges, _weight = surface_hinges(vertices, triangles, edges)
    packing = pack(hinges, len(vertices), schedule(hinges, len(vertices)))
    is_used = packing.spring >= 0
    assert np.array_equal(np.sort(packing.spring[is_used]), np.arange(len(hinges)))
    for block in packing.spring.reshape(-1, BLOCK):
        corners = hinges[block[block >= 0]].reshape(-1)
        assert len(np.unique(corners)) == len(corners)
    rows = np.zeros((len(vertices) + 1, 4))
    rows[:-1, :3] = vertices + rng.normal(0.0, 0.02, vertices.shape)
    rows[:-1, 3] = rng.uniform(0.5, 2.0, len(vertices))
    one = int(np.flatnonzero(is_used)[5]) // BLOCK
    before, moved = rows, np.zeros_like(rows)
    moved[:, 3] = rows[:, 3]
    chosen = np.where(is_used, packing.spring, 0)
    places = np.where(is_used[:, None], hinges[chosen], len(vertices)).astype(np.int32)[one * BLOCK : (one + 1) * BLOCK]
    places, base = np.ascontiguousarray(places.T), np.zeros((9, BLOCK))
    rest, kappa = np.zeros(BLOCK), np.where(is_used, 1.0, 0.0)[one * BLOCK : (one + 1) * BLOCK]
    lone = np.array([0, 1], dtype=np.int64)
    table = HingeColumns(places, base, rest, kappa, np.zeros(BLOCK), lone, *stages_of_one(lone))
    span_hinges(before, table, 0)
    relax_hinges(moved, table, 0)
    impulse = moved[:-1, :3] / rows[:-1, 3:]
    assert np.abs(impulse).max() > 1e-3
    assert np.abs(impulse.sum(axis=0)).max() < 1e-14
    # The second projection acts on the geometry that the first one left, so moments are conserved for each separately.
    moment = np.cross(2.0 * before[:-1, :3] + moved[:-1, :3], impulse).sum(axis=0)
    assert np.abs(moment).max() < 0.05 * np.abs(impulse).max()


def separate_hinges(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Triangle pairs bent by any angle, some degenerate: rows (r, 4), corners (4, s), rest angles (s,)."""
    rng = np.random.default_rng(4)
    angle = np.linspace(-math.pi, math.pi, count)
    foot, low, high = rng.uniform(-0.5, 1.5, (2, count)), rng.uniform(0.2, 1.0, count), rng.uniform(0.2, 1.0, count)
    low[::50], high[::75] = 1e-6, 0.0
    zero = np.zeros(count)
    corners = np.stack([
        np.stack([zero, zero, zero], axis=1), np.stack([zero + 1.0, zero, zero], axis=1),
        np.stack([foot[0], low, zero], axis=1),
        np.stack([foot[1], -high * np.cos(angle), high * np.sin(angle)], axis=1),
    ])
    basis = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    basis *= np.linalg.det(basis)[:, None, None]
    rows = np.zeros((4 * count + 1, 4))
    rows[:-1, :3] = (0.1 * np.einsum("sij,csj->sci", basis, corners)).reshape(-1, 3)
    rows[:-1, 3] = rng.uniform(0.0, 2.0, 4 * count)
    rows[7:-1:40, 3] = 0.0
    hinges = (4 * np.arange(count) + np.arange(4)[:, None]).astype(np.int32)
    return rows, hinges, rng.uniform(-math.pi, math.pi, count)


@pytest.mark.parametrize("stiffness", [1e-9, 1e-3, 1e6])
def test_vector_hinges_do_as_the_plain_ones(stiffness: float) -> None:
    """Both passes agree within 1e-5 of the largest displacement, except for hinges half a turn from their rest angle.

    Those may rotate either way. Single precision rounds an angle by 2e-7 of a turn, and corners by 6e-8 of an edge,
    which is up to five times a triangle's height; a projection divides by that height.
    """
    count = 64 * BLOCK
    rows, hinges, rest = separate_hinges(count)
    off = hinge_angles(rows[:, :3], hinges.T) - rest
    tasks = np.array([0, count // BLOCK])
    results = []
    for relax, dtype in ((relax_hinges, np.float64), (vector.relax_hinges, np.float32)):
        moved, base = np.zeros(rows.shape, dtype=dtype), np.zeros((9, count), dtype=dtype)
        moved[:, 3] = rows[:, 3]
        lam, kappa = np.zeros(count, dtype=dtype), np.full(count, stiffness, dtype=dtype)
        table = HingeColumns(
            hinges, base, rest.astype(dtype), kappa, lam, tasks, *stages_of_one(np.array([0, 1]))
        )
        span_hinges(rows, table, 0)
        relax(moved, table, 0)
        assert np.isfinite(moved).all() and np.isfinite(lam).all()
        results.append((moved[:-1, :3].reshape(count, 12).astype(float), lam.astype(float)))
    (plain, plain_lam), (fast, fast_lam) = results
    clear = np.abs(np.abs(off) - math.pi) > 1e-3
    still = np.abs(plain).max(axis=1) == 0.0
    assert 0 < still.sum() < count // 10 and np.array_equal(fast[still], plain[still])
    largest = np.abs(plain).max()
    assert largest > (1e-3 if stiffness > 1e-6 else 1e-9)
    assert np.abs(fast - plain)[clear].max() < 1e-5 * largest
    assert np.abs(fast_lam - plain_lam)[clear].max() < 1e-5 * np.abs(plain_lam).max()


def test_bending_does_not_depend_on_threads() -> None:
    """A sheet with several tasks in a stage: the same bits with one thread and with two."""
    vertices, triangles, edges = sheet((1.0, 1.0), (40, 40))
    results = []
    for threads in (1, 2):
        spec = SpringGraphSpec("sheet", vertices, triangles, edges, bending=0.01, pins=[0, 40])
        world = build_world(WorldSpec(systems=(spec,), threads=threads))
        for _ in range(6):
            step_frame(world)
        results.append(world.positions("sheet"))
    assert len(world.systems[0].hinges._order.stage_start) > 2
    assert np.array_equal(*results)


def test_no_bending_makes_no_hinges() -> None:
    vertices, triangles, edges = sheet((1.0, 1.0), (4, 4))
    world = build_world(WorldSpec(systems=(SpringGraphSpec("sheet", vertices, triangles, edges),)))
    assert len(world.systems[0].hinges.rest) == 0


def test_a_square_grid_bends_alike_in_all_directions() -> None:
    """The energy of z = a x²/2 + b x y + c y²/2 is B/2 (a² + c² + 2 b²) per square metre."""
    vertices, triangles, edges = sheet((1.0, 1.0), (20, 20))
    hinges, weight = surface_hinges(vertices, triangles, edges)
    for a, b, c in ((0.01, 0.0, 0.0), (0.0, 0.01, 0.0), (0.01, 0.005, -0.01), (0.01, 0.01, 0.01)):
        bent = vertices.copy()
        x, y = vertices[:, 0], vertices[:, 1]
        bent[:, 2] = 0.5 * a * x * x + b * x * y + 0.5 * c * y * y
        energy = np.sum(weight * hinge_angles(bent, hinges) ** 2)
        # Half an edge on each side has no hinge, which takes 1/20 off a² and c².
        assert energy == pytest.approx(0.95 * (a * a + c * c) + 2.0 * b * b, rel=1e-3)
