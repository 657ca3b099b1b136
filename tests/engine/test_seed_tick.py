"""The seeds' rings: the engine in SYMPLECTIC with their laws, against the naive tick."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import PowerRepulsion, SpringGraphSpec, WaterSpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World
from naive import Law, Rings, links, rings_at_rest, tick
from shapes import torus

AROUND, ACROSS = 24, 10
FRAME_RATE, SUBSTEPS, DRAG = 48.0, 10, 0.5
LAW = Law(
    stiffness=3000.0, pressure=4.0, exponent=1.5, minimum=0.01, gravity=9.81, buoyancy=60.0,
    resistance=float(np.exp(-DRAG / (FRAME_RATE * SUBSTEPS))), dt=1.0 / (FRAME_RATE * SUBSTEPS),
)


def both(precision: str) -> tuple[World, Rings]:
    """Three rings side by side and on each other, half under water, for the engine and for the naive tick."""
    vertices, triangles, _edges = torus(0.5, 0.15, AROUND, ACROSS)
    places = [(0.0, 0.0, -0.05), (1.35, 0.1, 0.0), (0.6, 0.2, 0.42)]
    index = np.arange(AROUND * ACROSS).reshape(1, AROUND, ACROSS)
    pairs = np.concatenate([
        np.stack([index, np.roll(index, (-i, -j), axis=(1, 2))], axis=-1).reshape(-1, 2) for i, j in links(ACROSS)
    ])
    bodies = tuple(
        SpringGraphSpec(
            f"ring {k}", vertices + place, triangles, np.unique(np.sort(pairs, axis=1), axis=0), graph="EDGES",
            stiffness=LAW.stiffness, mass=100.0 + 20.0 * k, mass_by="AREA", pressure=LAW.pressure,
            pressure_law="SEGMENT", segments=index.reshape(-1) // ACROSS, air_drag=DRAG,
        )
        for k, place in enumerate(places)
    )
    world = build_world(WorldSpec(
        systems=(*bodies, WaterSpec("water", 0.0, law="LINEAR", linear_buoyancy=LAW.buoyancy)),
        interactions=(PowerRepulsion("*", "*", LAW.exponent, LAW.minimum),), gravity=(0.0, 0.0, -LAW.gravity),
        frame_rate=FRAME_RATE, substeps=SUBSTEPS, integrator="SYMPLECTIC", precision=precision,
    ))
    shape = (3, AROUND, ACROSS)
    rings = rings_at_rest(world.state.x.reshape(*shape, 3), world.model.mass.reshape(shape))
    return world, rings


@pytest.mark.parametrize(
    ("precision", "x_tolerance", "v_tolerance"), [("DOUBLE", 1e-9, 1e-9), ("SINGLE", 2e-6, 2e-4)]
)
def test_three_rings_after_a_hundred_ticks(precision: str, x_tolerance: float, v_tolerance: float) -> None:
    """The same x and v as the naive tick: within 1e-9 in double precision, where only the order of sums differs.

    In single precision rows of up to 1.3 m round by 1.3 / 2^25 = 4e-8 m, so a link's length by up to 1e-7 m. The 25
    links of a vertex of 0.4 kg change its velocity in a tick of h = 2 ms by h k / m 1e-7 sqrt(25) = 8e-6 m/s. As a
    random walk a hundred ticks make 8e-5 m/s, and none of 720 vertices exceeds 2.5 times that: 2e-4 m/s. Springs
    reverse it after at most ten ticks, so x is off by 2e-4 h 10 / 2 = 2e-6 m.
    """
    world, rings = both(precision)
    assert world.substeps == SUBSTEPS
    start = rings.x.copy()
    for _ in range(100 // SUBSTEPS):
        step_frame(world)
    for _ in range(100):
        tick(rings, LAW)
    assert np.abs(world.state.x - rings.x.reshape(-1, 3)).max() < x_tolerance
    assert np.abs(world.state.v - rings.v.reshape(-1, 3)).max() < v_tolerance
    assert np.abs(rings.x - start).max() > 0.1, "they moved"
    assert (rings.x[..., 2] < 0.0).any() and (rings.x[..., 2] > 0.0).any(), "they float"


def test_rings_that_touch_push_each_other_away() -> None:
    """Without the rule the result differs, so the agreement above is meaningful."""
    world, rings = both("DOUBLE")
    free = rings_at_rest(rings.x, rings.mass)
    free.bound[:] = -1.0
    for _ in range(100):
        tick(rings, LAW)
        tick(free, LAW)
    assert np.abs(rings.x - free.x).max() > 0.01
