"""T6, T7: inflatables and floating bodies against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import SpringGraphSpec, WaterSpec, WorldSpec, build_world, step_frame
from shapes import box, sphere, torus, volume

AMBIENT = 101325.0


@pytest.mark.parametrize("substeps", [10, 40])
def test_t6_balloon(substeps: int, truth: Truth) -> None:
    """(p0 + p) V = (p0 + dp) V0, and a membrane under p has the tension p r / 2 [N/m] in its springs: within 3 %.

    The springs' tension follows from the virial: sum f l = 2 T A for a membrane of tension T and area A.
    """
    vertices, triangles = sphere(0.5, 3)
    stiffness, over_pressure = 1000.0, 300.0
    spec = SpringGraphSpec(
        "balloon", vertices, triangles, mass=0.3, stiffness=stiffness, pressure=over_pressure, air_drag=3.0
    )
    world = build_world(WorldSpec(systems=(spec,), gravity=(0.0, 0.0, 0.0), substeps=substeps))
    for _ in range(60):
        frame = step_frame(world)
    x = world.positions("balloon")
    now = volume(x, triangles)
    pressure = (AMBIENT + over_pressure) * volume(vertices, triangles) / now - AMBIENT
    assert frame.diagnostics["balloon"]["volume"][0] == pytest.approx(now, rel=1e-7), "rounding of single precision"
    reported = frame.diagnostics["balloon"]["pressure"][0]
    truth("T6", f"gas law in a balloon, {substeps} substeps", reported, pressure, 0.03)
    edges = np.unique(np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    rest = np.linalg.norm(vertices[edges[:, 0]] - vertices[edges[:, 1]], axis=1)
    length = np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1)
    a, b, c = (x[triangles[:, k]] for k in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
    tension = (stiffness * (length - rest) * length).sum() / (2.0 * area)
    radius = np.linalg.norm(x - x.mean(axis=0), axis=1).mean()
    truth("T6", f"tension of a balloon's skin, {substeps} substeps", tension, pressure * radius / 2.0, 0.03)


def test_several_parts_hold_their_own_air() -> None:
    """Two balls in one mesh, one compressed by short springs: each part reports its own volume."""
    vertices, triangles = sphere(0.3, 2)
    both = np.concatenate([vertices, vertices * 0.5 + [2.0, 0.0, 0.0]])
    spec = SpringGraphSpec("two", both, np.concatenate([triangles, triangles + len(vertices)]), pressure=100.0)
    world = build_world(WorldSpec(systems=(spec,), gravity=(0.0, 0.0, 0.0)))
    volumes = step_frame(world).diagnostics["two"]["volume"]
    assert len(volumes) == 2
    assert volumes[0] == pytest.approx(8.0 * volumes[1], rel=0.02)


def test_an_open_bag_is_capped_and_does_not_fly() -> None:
    """A box without its lid: its volume includes the lid, and its air causes no net force."""
    vertices, triangles = box(1.0, 3)
    open_box = triangles[~np.all(vertices[triangles][:, :, 2] > 0.49, axis=1)]
    spec = SpringGraphSpec("bag", vertices, open_box, pressure=500.0, stiffness=500.0)
    world = build_world(WorldSpec(systems=(spec,), gravity=(0.0, 0.0, 0.0)))
    assert world.systems[0].gas.rest_volume[0] == pytest.approx(1.0, rel=1e-9)
    for _ in range(24):
        step_frame(world)
    assert np.abs(world.velocities("bag").mean(axis=0)).max() < 1e-9


@pytest.mark.parametrize("density", [200.0, 500.0, 900.0])
@pytest.mark.parametrize("shape", ["box", "torus"])
def test_t7_archimedes(shape: str, density: float, truth: Truth) -> None:
    """A floating body displaces its own weight of water: wet volume = mass / 1000, within 1 %; a box also by its draft.

    The wet volume is computed on the final mesh: its triangles are clipped at the water level, in numpy.
    """
    if shape == "box":
        vertices, triangles = box(0.4, 6)
        edges = None
    else:
        vertices, triangles, edges = torus(0.5, 0.15, 32, 16)
    solid = volume(vertices, triangles)
    spec = SpringGraphSpec(
        "body", vertices + [0.0, 0.0, 0.02], triangles, edges, rings=2, struts=1, mass=solid * density, stiffness=2e5,
        damping=1.0,
    )
    world = build_world(WorldSpec(systems=(spec, WaterSpec("water", 0.0, drag=4.0)), substeps=20))
    for _ in range(200):
        step_frame(world)
    x = world.positions("body")
    truth("T7", f"floating {shape} of {density:.0f} kg/m³", wet_volume(x, triangles), solid * density / 1000.0, 0.01)
    assert np.abs(world.velocities("body").mean(axis=0)).max() < 0.01


def wet_volume(x: np.ndarray, triangles: np.ndarray) -> float:
    """Volume below z = 0 of a closed mesh: minus the integral of z over the wet part's projection on the plane.

    Each triangle is clipped at z = 0; a prism from clipped corners (x, y, z) down from the plane has the volume
    area_xy * mean depth, with the sign of the triangle's orientation.
    """
    total = 0.0
    for corners in x[triangles]:
        polygon = []
        for k in range(3):
            p, q = corners[k], corners[(k + 1) % 3]
            if p[2] <= 0.0:
                polygon.append(p)
            if (p[2] < 0.0) != (q[2] < 0.0) and p[2] != q[2]:
                polygon.append(p + (q - p) * (p[2] / (p[2] - q[2])))
        for k in range(1, len(polygon) - 1):
            a, b, c = polygon[0], polygon[k], polygon[k + 1]
            area = 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
            total += area * (a[2] + b[2] + c[2]) / 3.0
    return total


def test_flowing_water_carries_a_ring_along() -> None:
    """A floating body reaches the water's velocity, where drag vanishes."""
    vertices, triangles, edges = torus(0.5, 0.15, 20, 10)
    spec = SpringGraphSpec("ring", vertices, triangles, edges, struts=1, mass=5.0, stiffness=2e4)
    world = build_world(WorldSpec(systems=(spec, WaterSpec("water", 0.0, flow=(0.7, 0.0, 0.0)))))
    for _ in range(240):
        step_frame(world)
    assert world.velocities("ring").mean(axis=0) == pytest.approx([0.7, 0.0, 0.0], abs=0.02)


@pytest.mark.parametrize("substeps", [5, 20])
@pytest.mark.parametrize(("density", "drag"), [(3000.0, 1.0), (1200.0, 1.0), (500.0, 1.0), (1500.0, 4.0)])
def test_t8_terminal_speed(density: float, drag: float, substeps: int) -> None:
    """Under water weight, buoyancy and drag balance at v = sqrt(2 (m - rho V) g / (rho drag A)), A the surface: 1 %.

    The scheme balances exactly at that speed, for any substep; 1 % allows for the sphere's oscillation and compression.
    """
    vertices, triangles = sphere(0.3, 2)
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
    solid = volume(vertices, triangles)
    spec = SpringGraphSpec(
        "ball", vertices - [0.0, 0.0, 1.5], triangles, mass=solid * density, stiffness=1e6, rings=2, struts=1,
        damping=5.0,
    )
    world = build_world(WorldSpec(systems=(spec, WaterSpec("water", 0.0, drag=drag)), substeps=substeps))
    for _ in range(60 if density > 1000.0 else 16):
        before = world.positions("ball")[:, 2].mean()
        step_frame(world)
    speed = (world.positions("ball")[:, 2].mean() - before) * 24.0
    expected = np.sqrt(2.0 * abs(density - 1000.0) * solid * 9.81 / (1000.0 * drag * area))
    assert speed == pytest.approx(np.sign(1000.0 - density) * expected, rel=0.01)
