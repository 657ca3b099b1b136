"""Lattices (T5, T20, T26): cells that fill a mesh, and a mesh embedded in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flotsam.engine import (
    ColliderSpec,
    Controls,
    SpecError,
    SpringGraphSpec,
    VoxelBodySpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.mesh.graph.components import components
from flotsam.engine.mesh.lattice.cells import build_lattice, cell_edges
from flotsam.engine.mesh.lattice.ride import embed
from shapes import FLOOR, FLOOR_TRIANGLES, box, torus


def bar(cells: tuple[int, int, int], size: float) -> tuple[np.ndarray, np.ndarray]:
    """A bar with one corner at the origin and faces of squares of `size`: vertices, outward triangles."""
    points: dict[tuple[int, ...], int] = {}
    triangles = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (0, cells[axis]):
            for i, j in np.ndindex(cells[u], cells[v]):
                square = []
                for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                    place = [0, 0, 0]
                    place[axis], place[u], place[v] = side, i + a, j + b
                    square.append(points.setdefault(tuple(place), len(points)))
                square = square if side else square[::-1]
                triangles += [square[:3], [square[0], square[2], square[3]]]
    return size * np.array(list(points), dtype=float), np.array(triangles)


def world_of(vertices: np.ndarray, triangles: np.ndarray, walls: bool = False, **values: Any) -> Any:
    """A world of one lattice, on a floor or without one; `world` among the values holds settings of the world."""
    of_world = values.pop("world", {})
    body = SpringGraphSpec("body", vertices, triangles, graph="LATTICE", **values)
    floor = (ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES),) if walls else ()
    return build_world(WorldSpec(systems=(body, *floor), **of_world))


def settled(world: Any, frames: int) -> np.ndarray:
    """Positions of the body after `frames` frames."""
    for _frame in range(frames):
        step_frame(world, Controls())
    return world.positions("body")


def ride(vertices: np.ndarray, triangles: np.ndarray, size: float) -> tuple[Any, np.ndarray]:
    """A lattice, and its node weights as a matrix (n, k)."""
    lattice = build_lattice("body", vertices, triangles, size)
    found = embed(lattice, vertices, triangles)
    weights = np.zeros((len(vertices), len(lattice.nodes)))
    weights[np.repeat(np.arange(len(vertices)), np.diff(found.start)), found.node] = found.weight
    return lattice, weights


def test_cells_fill_the_mesh_and_carry_it_exactly() -> None:
    vertices, triangles, _edges = torus(0.5, 0.2, 24, 12)
    lattice, weights = ride(vertices, triangles, 0.1)
    volume = 2.0 * np.pi**2 * 0.5 * 0.2**2
    assert lattice.share.sum() * lattice.size**3 == pytest.approx(volume, rel=0.1)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    np.testing.assert_allclose(weights @ lattice.nodes, vertices, atol=1e-12)


def test_an_open_mesh_and_one_through_itself_are_filled() -> None:
    vertices, triangles = box(1.0, 4)
    open_box = triangles[(vertices[triangles][:, :, 2] < 0.5 - 1e-9).any(axis=1)]
    assert len(build_lattice("body", vertices, open_box, 0.25).place) == 64
    both = np.concatenate([vertices, vertices + [0.5, 0.0, 0.0]])
    crossed = build_lattice("body", both, np.concatenate([triangles, triangles + len(vertices)]), 0.25)
    assert len(crossed.place) == 96
    sheet = build_lattice("body", vertices, triangles[vertices[triangles][:, :, 2].max(axis=1) < -0.49], 0.25)
    assert len(sheet.place) == 16


def test_parts_nearer_than_a_cell_are_not_glued() -> None:
    """Two slabs 6 cm apart in cells of 10 cm: each has its own nodes."""
    vertices, triangles = bar((4, 4, 1), 0.1)
    both = np.concatenate([vertices, vertices + [0.0, 0.0, 0.16]])
    lattice, weights = ride(both, np.concatenate([triangles, triangles + len(vertices)]), 0.1)
    lower, upper = (np.abs(own).max(axis=0) > 0.0 for own in np.split(weights, 2))
    assert lattice.part.max() == 1
    assert not (lower & upper).any()


def test_a_tip_thinner_than_a_voxel_hangs_on_the_rest() -> None:
    """A spire whose sharp end voxels miss in places: all its cells are connected, so that no part flies off alone."""
    slender = np.array([[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.0, 0.5, 0.0], [0.3, 0.2, 3.0]]) * [0.3, 0.12, 1.0]
    triangles = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    lattice = build_lattice("spire", slender, triangles, 0.1)
    label, _rank = components(cell_edges(lattice), len(lattice.nodes))
    assert label.max() == 0 and lattice.nodes[:, 2].max() > 2.9


@pytest.mark.parametrize("poisson", [0.3, 0.45])
def test_t26_a_hanging_bar(poisson: float, truth: Any) -> None:
    """A hanging bar of length L extends by rho g L² / 2 E, and narrows in the middle by nu rho g L / 2 E."""
    young, length = 1e5, 0.6
    vertices, triangles = bar((4, 4, 24), 0.025)
    pins = np.flatnonzero(vertices[:, 2] > length - 1e-6)
    world = world_of(
        vertices, triangles, voxel_size=0.025, young=young, poisson=poisson, mass=6.0, pins=pins, air_drag=20.0,
        world={"gravity": (0.0, 0.0, -4.0)},
    )
    x = settled(world, 30)
    low, middle = vertices[:, 2] < 1e-6, np.abs(vertices[:, 2] - 0.5 * length) < 1e-6
    truth("T26", f"stretch at {poisson}", -x[low, 2].mean(), 1000.0 * 4.0 * length**2 / (2.0 * young), 0.05)
    left, right = (x[middle & (np.abs(vertices[:, 0] - side) < 1e-6), 0].mean() for side in (0.0, 0.1))
    narrowed = 1.0 - (right - left) / 0.1
    truth("T26", f"narrowing at {poisson}", narrowed, poisson * 1000.0 * 4.0 * length / (2.0 * young), 0.1)


def test_t26_a_cantilever_of_six_cells(truth: Any) -> None:
    """Its tip sinks by rho g A L⁴ / 8 E I from bending, and rho g A L² / (2 (5/6) G A) from shear."""
    young, poisson, length, width = 2e5, 0.3, 0.6, 0.15
    vertices, triangles = bar((24, 6, 6), 0.025)
    pins = np.flatnonzero(vertices[:, 0] < 1e-6)
    world = world_of(
        vertices, triangles, voxel_size=0.025, young=young, poisson=poisson, mass=13.5, pins=pins, air_drag=10.0,
        world={"gravity": (0.0, 0.0, -0.4), "spring_steps": 26},
    )
    x = settled(world, 36)
    tip = vertices[:, 0] > length - 1e-6
    load, shear = 0.4 * 1000.0 * width**2, 0.5 * young / (1.0 + poisson)
    sag = load * length**4 / (8.0 * young * width**4 / 12.0) + load * length**2 / (2.0 * 5.0 / 6.0 * shear * width**2)
    truth("T26", "cantilever", -(x[tip, 2] - vertices[tip, 2]).mean(), sag, 0.1)


def test_t26_a_dropped_cube_keeps_its_volume(truth: Any) -> None:
    vertices, triangles = box(0.5, 5)
    world = world_of(
        vertices + [0.0, 0.0, 0.5], triangles, True, voxel_size=0.1, young=2e4, poisson=0.45, mass=125.0, air_drag=1.0,
    )
    worst = 0.0
    for _frame in range(72):
        frame = step_frame(world, Controls())
        worst = max(worst, abs(frame.diagnostics["body"]["volume"][0] / 0.125 - 1.0))
    assert worst < 0.15
    truth("T26", "volume at rest", frame.diagnostics["body"]["volume"][0], 0.125, 0.02)
    assert np.ptp(world.positions("body")[:, 2]) == pytest.approx(0.5, rel=0.1)


def test_t5_its_sag_does_not_depend_on_substeps() -> None:
    found = []
    for substeps in (10, 40):
        vertices, triangles = box(0.5, 5)
        world = world_of(
            vertices, triangles, voxel_size=0.1, young=2e4, mass=60.0, air_drag=10.0, poisson=0.3,
            pins=np.flatnonzero(vertices[:, 2] > 0.24), world={"substeps": substeps},
        )
        found.append(-0.25 - settled(world, 40)[vertices[:, 2] < -0.24, 2].mean())
    assert found[0] == pytest.approx(found[1], rel=0.02)


def test_inverted_cells_come_back() -> None:
    """A jelly cube starts with all nodes and vertices at random places inside it."""
    vertices, triangles = box(0.5, 4)
    world = world_of(
        vertices, triangles, voxel_size=0.125, young=2e4, mass=60.0, air_drag=3.0, world={"gravity": (0.0, 0.0, 0.0)},
    )
    world.state.x[:] = np.random.default_rng(3).uniform(-0.25, 0.25, world.state.x.shape)
    x = settled(world, 60)
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]]])
    now, rest = (np.linalg.norm(at[pairs[:, 0]] - at[pairs[:, 1]], axis=1) for at in (x, vertices))
    np.testing.assert_allclose(now / rest, 1.0, atol=0.05)


@pytest.mark.parametrize("material", ["SOLID", "SPRINGS"])
def test_the_same_bits_for_any_threads_and_after_a_snapshot(material: str) -> None:
    vertices, triangles = box(1.0, 10)
    found = []
    for count in (1, 2):
        world = world_of(
            vertices + [0.0, 0.0, 0.52], triangles, True, voxel_size=0.1, material=material, mass=100.0, stiffness=3e3,
            world={"threads": count},
        )
        settled(world, 4)
        saved = world.snapshot()
        found.append(settled(world, 3))
        world.restore(saved)
        np.testing.assert_array_equal(settled(world, 3), found[-1])
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("material", ["SOLID", "SPRINGS"])
def test_t20_a_symmetric_cube_comes_to_rest_symmetric(material: str, truth: Any) -> None:
    """A cube of six cells a side lands flat on a floor without friction, and does not drift in 200 frames.

    It is then its own mirror image to a few thousandths of a cell only, because cells are solved one after another.
    """
    vertices, triangles = box(0.6, 6)
    world = world_of(
        vertices + [0.0, 0.0, 0.4], triangles, True, voxel_size=0.1, young=2e4, mass=60.0, friction=0.0, air_drag=2.0,
        material=material, stiffness=3e3, damping=5.0,
    )
    x = settled(world, 200)
    key = {tuple(place): k for k, place in enumerate(np.round(vertices, 6).tolist())}
    worst = 0.0
    for axis in (0, 1):
        mirror = np.ones(3)
        mirror[axis] = -1.0
        twin = [key[tuple(place)] for place in (np.round(vertices * mirror, 6) + 0.0).tolist()]
        worst = max(worst, float(np.abs(x[twin] * mirror - x).max()))
    mass = world.model.mass
    drift = np.abs(mass @ world.state.x[:, :2]).max() / mass.sum()
    truth("T20", f"drift of a lattice of {material}", drift, 0.0, 1e-6 * 0.6, relative=False)
    assert worst < 3e-4 * 0.6


@pytest.mark.parametrize("material", ["SOLID", "SPRINGS"])
def test_t24_a_lattice_and_a_crate_give_each_other_the_same(material: str, truth: Any) -> None:
    """They collide off centre, with friction: momentum and angular momentum are conserved."""
    vertices, triangles = box(0.4, 3)
    lattice = SpringGraphSpec(
        "lattice", vertices, triangles, graph="LATTICE", voxel_size=0.1, friction=0.5, material=material, young=3e4,
        stiffness=2e3, mass=8.0, velocity=(2.0, 0.2, 0.0),
    )
    crate = VoxelBodySpec("crate", vertices + [0.5, 0.1, 0.05], triangles, mass=4.0, velocity=(-1.0, 0.0, 0.0))
    world = build_world(WorldSpec(systems=(lattice, crate), gravity=(0.0, 0.0, 0.0)))
    before, scale = momenta(world), float((world.model.mass[:, None] * np.abs(world.state.v)).sum())
    for _frame in range(8):
        step_frame(world, Controls())
    after = momenta(world)
    truth("T24", f"momentum of a lattice of {material} and a crate", after[0], before[0], 1e-6 * scale, relative=False)
    truth("T24", f"angular momentum of a lattice of {material} and a crate", after[1], before[1], 1e-6 * scale,
          relative=False)
    assert world.velocities("lattice").mean(axis=0)[0] < 1.5, "they have met"


def momenta(world: Any) -> tuple[np.ndarray, np.ndarray]:
    """Momentum and angular momentum of everything, of rigid bodies by their own state."""
    soft = slice(0, world.rigid.first)
    mass, x, v = world.model.mass[soft, None], world.state.x[soft], world.state.v[soft]
    rigid = world.rigid
    rigid_mass = rigid.mass[:, None]
    linear = (mass * v).sum(axis=0) + (rigid_mass * rigid.velocity).sum(axis=0)
    angular = np.cross(x, mass * v).sum(axis=0) + np.cross(rigid.position, rigid_mass * rigid.velocity).sum(axis=0)
    return linear, angular + rigid.angular_momentum.sum(axis=0)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"voxel_size": 2.0}, "voxel_size"), ({"voxel_size": 1e-3}, "voxel_size"), ({"poisson": 0.5}, "poisson"),
        ({"triangles": None}, "graph"), ({"world": {"integrator": "SYMPLECTIC"}}, "graph"), ({"young": 0.0}, "young"),
    ],
)
def test_what_no_lattice_can_be_is_refused(values: dict[str, Any], field: str) -> None:
    vertices, triangles = box(1.0, 2)
    with pytest.raises(SpecError) as caught:
        world_of(vertices, **{"triangles": triangles} | values)
    assert caught.value.field == field
    if values.get("voxel_size") == 1e-3:
        assert "GB" in str(caught.value)
