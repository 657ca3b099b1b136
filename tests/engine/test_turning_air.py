"""Air in a hull that rotates far in an inner step neither spins it nor brakes it."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import SpringGraphSpec, WorldSpec, build_world, step_frame
from fuzz_ledger import kinetic
from shapes import box, sphere


def energies(pressure: float, angular_velocity: float) -> np.ndarray:
    """Kinetic energy of a stiff cube of 1 m and 1 kg that spins [rad/s], at first and after each of 12 frames [J]."""
    vertices, triangles = box(1.0, 1)
    spec = SpringGraphSpec(
        "hull", vertices, triangles, stiffness=1e7, mass=1.0, pressure=pressure, rings=2, struts=2,
        velocity=np.cross([0.0, 0.0, angular_velocity], vertices),
    )
    world = build_world(WorldSpec((spec,), gravity=(0.0, 0.0, 0.0), spring_steps=5))
    found = [kinetic(world)]
    for _ in range(12):
        step_frame(world)
        found.append(kinetic(world))
    return np.array(found)


@pytest.mark.parametrize("angular_momentum", [100.0, 200.0])
def test_air_from_outside_turns_no_hull_faster(angular_momentum: float) -> None:
    """0.8 bar below the outside: with the directions from before the step, air added a tenth to the energy."""
    found = energies(-8e4, angular_momentum)
    assert found.max() < 1.01 * found[0]


@pytest.mark.parametrize("angular_momentum", [100.0, 200.0])
def test_air_inside_brakes_no_hull(angular_momentum: float) -> None:
    """Five bar inside: with the directions from before the step, air removed all but a hundredth in one frame."""
    found = energies(5e5, angular_momentum)
    assert found.min() > 0.98 * found[0]
    assert found.max() < 1.01 * found[0]


def test_suction_spins_no_held_hull_with_struts() -> None:
    """A ball with struts, held at its lowest vertices, 0.1 bar below the outside, collapses and comes to rest.

    With the directions from before the step it was spun up to 1,000 J, which is 150 rad/s.
    """
    vertices, triangles = sphere(0.5, 3)
    lowest = np.flatnonzero(vertices[:, 2] < -0.45)
    spec = SpringGraphSpec(
        "hull", vertices, triangles, stiffness=1500.0, struts=1, damping=0.02, mass_by="AREA_DENSITY",
        area_density=0.22, pressure=-1e4, air_drag=0.1, pins=lowest,
    )
    world = build_world(WorldSpec((spec,), gravity=(0.0, 0.0, 0.0)))
    found = []
    for _ in range(48):
        step_frame(world)
        found.append(kinetic(world))
    assert max(found) > 1.0, "it collapses first"
    assert max(found[-24:]) < 2.0
