"""Forces of water on triangles, and the tiles in which they are summed."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import SpringGraphSpec, WaterSpec, WorldSpec, build_world, step_frame
from flotsam.engine.compiler.kernels import kernel
from flotsam.engine.mesh.graph import tiles
from flotsam.engine.solver.forces.wet import wet_weights
from flotsam.engine.step.stage import Stage
from flotsam.engine.systems.spring_graph.system import SpringGraphs
from flotsam.engine.world.world import World
from shapes import box, torus

DEPTHS = [
    (0.3, 0.7, 0.2), (0.5, -0.2, -0.7), (-0.4, 0.6, -0.1), (-0.3, -0.2, 0.9), (-0.5, 0.4, 0.2), (0.8, -0.6, 0.1),
    (0.2, 0.5, -0.9), (0.0, 0.4, -0.3), (0.4, 0.0, 0.0),
]


@kernel
def _wet_weights(da, db, dc, out):
    out[0], out[1], out[2], out[3], out[4], out[5] = wet_weights(da, db, dc, 0.5)


@pytest.mark.parametrize("depths", DEPTHS)
def test_shares_are_the_integrals_over_the_wet_part(depths: tuple[float, float, float]) -> None:
    """Integrals of max(depth, 0) N_k and of N_k where depth > 0, over the centres of 1,000,000 equal small triangles.

    A centre is accurate to second order in the small side, and to first order where the water surface cuts: 2e-5 of the
    depth.
    """
    side = 1000
    i, j = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
    upward, downward = i + j < side, i + j < side - 1
    corners = np.concatenate([
        np.stack([i[upward] + 1 / 3, j[upward] + 1 / 3], axis=1),
        np.stack([i[downward] + 2 / 3, j[downward] + 2 / 3], axis=1),
    ]) / side
    weights = np.column_stack([1.0 - corners.sum(axis=1), corners])
    depth = weights @ depths
    area = 0.5 / len(weights)
    pressure = (np.maximum(depth, 0.0)[:, None] * weights).sum(axis=0) * area
    wet = ((depth > 0.0)[:, None] * weights).sum(axis=0) * area
    found = np.zeros(6)
    _wet_weights(*depths, found)
    assert np.abs(found[:3] - pressure).max() < 2e-5
    assert np.abs(found[3:] - wet).max() < 5e-4


def _fall_in(monkeypatch: pytest.MonkeyPatch, most: int) -> tuple[tiles.Tiles, np.ndarray]:
    """Tiles of at most `most` particles, and positions of a box and a bag after three frames half under water."""
    monkeypatch.setattr(tiles, "MOST_IN_TILE", most)
    vertices, triangles = box(1.0, 4)
    lidless = triangles[(vertices[triangles][:, :, 2] < vertices[:, 2].max() - 1e-9).any(axis=1)]
    bodies = (
        SpringGraphSpec("box", vertices, triangles, mass=100.0, pressure=2000.0),
        SpringGraphSpec("bag", vertices @ [[0.8, 0.6, 0.0], [-0.6, 0.8, 0.0], [0.0, 0.0, 1.0]] + [3.0, 0.0, 0.0],
                        lidless, mass=200.0, pressure=2000.0),
    )
    world = build_world(WorldSpec((*bodies, WaterSpec("water", 0.1, flow=(0.5, 0.0, 0.0)))))
    for _ in range(3):
        step_frame(world)
    water = next(field for field in world.fields if hasattr(field, "_tiles"))
    return water._tiles, np.concatenate([world.positions("box"), world.positions("bag")])


def test_small_tiles_give_what_one_large_one_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the order of sums: rounding of 1e-16, which three frames of stiff springs amplify to less than 1e-6."""
    one, together = _fall_in(monkeypatch, 10_000)
    many, apart = _fall_in(monkeypatch, 16)
    assert len(one.start) == 2
    assert len(many.start) > 8
    assert many.most <= 16
    assert np.abs(apart - together).max() < 1e-6


def test_each_corner_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A triangle's corner is summed in the tile of its particle, and nowhere else."""
    monkeypatch.setattr(tiles, "MOST_IN_TILE", 100)
    vertices, triangles, _edges = torus(1.0, 0.3, 64, 32)
    cut = tiles.cut_tiles(vertices, triangles, np.zeros(len(triangles), dtype=np.int32))
    assert sorted(cut.order) == list(range(len(triangles)))
    assert sorted(cut.ids) == list(range(len(vertices)))
    counted = np.zeros((len(triangles), 3), dtype=int)
    for tile in range(len(cut.start) - 1):
        own = cut.ids[cut.start[tile] : cut.start[tile + 1]]
        entries = slice(cut.entry_start[tile], cut.entry_start[tile + 1])
        triangle, place = cut.entry_triangle[entries], cut.entry_place[entries]
        inside = place < cut.most
        assert np.array_equal(own[place[inside]], triangles[cut.order[triangle]][inside])
        counted[triangle] += inside
    assert np.all(counted == 1)


@pytest.mark.parametrize("pins", [(), (0,)], ids=["free", "pinned"])
def test_a_body_at_rest_in_water_is_predicted_to_move_as_one(
    pins: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Springs and air resist forces that differ between vertices, and not a force that is the same on all.

    Closed form: free and at rest, each particle is predicted to move by h (sum m v) / (sum m), where v are the
    velocities that gravity and water give, and m the masses with the water that moves with them. A pinned body is
    predicted to fall by h g h, because its pins resist the water too.
    """
    vertices, triangles = box(1.0, 4)
    body = SpringGraphSpec("box", vertices, triangles, mass=5.0, pressure=2000.0, pins=pins)
    world = build_world(WorldSpec((body, WaterSpec("water", 0.2))))
    recorded: list[np.ndarray] = []

    def apply(own: SpringGraphs, stage: Stage, of: World, h: float, done: float) -> None:
        act(own, stage, of, h, done)
        if stage is Stage.NARROW and not recorded:
            recorded.extend([of.state.x - of.state.x_prev, of.state.v.copy(), of.model.mass[:, None].copy()])

    act = SpringGraphs.apply
    monkeypatch.setattr(SpringGraphs, "apply", apply)
    step_frame(world)
    displacement, v, mass = recorded
    free = world.model.inv_mass > 0.0
    expected = np.sum(mass * v, axis=0) / mass.sum() if not pins else world.h * np.array(world.model.gravity)
    assert np.ptp(v[free, 2]) > 0.1, "water presses some vertices more than others"
    assert np.abs(displacement[free] - world.h * expected).max() < 1e-12


@pytest.mark.parametrize("substeps", [1, 2, 3, 4])
def test_t21_a_limp_ring_floats_at_the_coarsest_quality(substeps: int) -> None:
    """Automatic inner steps are at most 1/192 s: it comes to rest; with longer ones it gained 300 J and more."""
    vertices, triangles, edges = torus(0.5, 0.15, 64, 32)
    ring = SpringGraphSpec(
        "ring", vertices + [0.0, 0.0, -0.05], triangles, edges, mass=10.0, stiffness=5000.0, pressure=500.0,
    )
    world = build_world(WorldSpec((ring, WaterSpec("water", 0.0)), substeps=substeps))
    for _ in range(72):
        frame = step_frame(world)
    assert 0.5 * np.sum(world.model.mass[:, None] * world.state.v**2) < 0.1
    assert frame.diagnostics["ring"]["stretch"][1] < 0.25
