"""Lattices at their limits: a mesh coarser than the cells, solids under water, and cells too stiff for a step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from flotsam.engine import (
    ColliderSpec,
    Controls,
    SpringGraphSpec,
    VoxelBodySpec,
    WaterSpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.mesh.graph.edges import pair_keys, triangle_edges
from flotsam.engine.mesh.graph.parts import triangle_areas
from flotsam.engine.mesh.lattice.refine import refine
from shapes import FLOOR, FLOOR_TRIANGLES, box

SIDE, JELLY = 0.25, {"young": 12500.0, "poisson": 0.45, "friction": 0.6, "air_drag": 0.3}


def jelly(name: str, cells: int, height: float, **values: Any) -> SpringGraphSpec:
    """A cube of jelly with `cells` squares along each of its edges, and its middle at a height [m]."""
    vertices, triangles = box(SIDE, cells)
    settings = {"mass": 1000.0 * SIDE**3} | JELLY | values
    return SpringGraphSpec(name, vertices + [0.0, 0.0, height], triangles, graph="LATTICE", **settings)


def volumes(world: Any, name: str, frames: int) -> list[float]:
    """Volume of a cube after each frame, as a fraction of that at rest."""
    return [step_frame(world).diagnostics[name]["volume"][0] / SIDE**3 for _ in range(frames)]


def test_refined_triangles_fit_each_other_and_cover_the_same() -> None:
    vertices, triangles = box(1.0, 2)
    refinement, fine = refine(vertices, triangles, 0.2)
    x = refinement.extended(vertices)
    assert np.linalg.norm(np.diff(x[triangle_edges(fine)], axis=1), axis=-1).max() <= 0.2
    _keys, count = np.unique(pair_keys(triangle_edges(fine))[0], return_counts=True)
    assert np.all(count == 2), "an edge without a second triangle"
    assert triangle_areas(x, fine).sum() == pytest.approx(6.0)
    top = refinement.between(vertices[:, 2] > 0.49)
    assert np.array_equal(top, len(vertices) + np.flatnonzero(x[len(vertices) :, 2] > 0.49))


def test_a_cube_of_eight_vertices_stands_as_one_of_many() -> None:
    """A crate is dropped on it. Cells without a vertex nearby would fall through the floor."""
    found = []
    for cells in (1, 10):
        crate = VoxelBodySpec("crate", box(0.2, 1)[0] + [0.0, 0.0, 0.45], box(0.2, 1)[1], mass=2.0)
        floor = ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES)
        world = build_world(WorldSpec((jelly("jelly", cells, 0.5 * SIDE + 0.02), crate, floor)))
        assert min(volumes(world, "jelly", 24)) > 0.9
        assert world.state.x[:, 2].min() > -0.02 * SIDE, "a node below the floor"
        assert len(world.positions("jelly")) == len(box(SIDE, cells)[0])
        found.append((world.positions("jelly")[:, 2].max(), world.rigid.position[0, 2]))
    assert found[0] == pytest.approx(found[1], abs=0.04 * SIDE)


def test_what_lies_between_pins_only_is_pinned_and_led_as_well() -> None:
    """A cube whose four top corners are pinned and moved hangs by its whole top."""
    spec = jelly("jelly", 1, 0.0)
    top = np.flatnonzero(spec.vertices[:, 2] > 0.0)
    world = build_world(WorldSpec((jelly("jelly", 1, 0.0, pins=top),)))
    targets = spec.vertices[top]
    for _ in range(12):
        targets = targets + [0.01, 0.0, 0.0]
        frame = step_frame(world, Controls(pins={"jelly": targets}))
    body = world.body("jelly")
    x = world.state.x[body.start : body.stop]
    held = world.model.inv_mass[body.start : body.stop] == 0.0
    assert held.sum() > 60 and np.allclose(x[held, 2], 0.5 * SIDE)
    assert x[held, 0].min() == pytest.approx(0.12 - 0.5 * SIDE) and x[held, 0].max() == pytest.approx(0.12 + 0.5 * SIDE)
    assert "jelly" not in frame.pins or frame.pins["jelly"]["vertex"].max() < len(spec.vertices)


def test_a_led_cube_of_eight_vertices_is_led_whole_and_released() -> None:
    """Animated for six frames at 0.24 m/s, then keyed off: all of it flies on with that velocity."""
    spec = jelly("jelly", 1, 0.0, animated=True, keyed=("animated",), air_drag=0.0)
    world = build_world(WorldSpec((spec,), gravity=(0.0, 0.0, 0.0)))
    for number in range(1, 13):
        values = {"jelly": {"animated": float(number <= 6)}}
        pins = {"jelly": spec.vertices + [0.01 * min(number, 6), 0.0, 0.0]}
        step_frame(world, Controls(values=values, pins=pins))
    body = world.body("jelly")
    assert np.allclose(world.state.v[body.start : body.stop, 0], 0.24, atol=2e-3)
    assert np.allclose(world.positions("jelly") - spec.vertices, [0.12, 0.0, 0.0], atol=1e-3)


def test_jelly_of_the_density_of_water_hovers_in_it_and_is_not_crushed() -> None:
    """Dropped into deep water at 4 m/s. Pressure at 1 m would compress its bulk modulus of 42 kPa by a quarter."""
    water = WaterSpec("water", 2.0)
    world = build_world(WorldSpec((jelly("jelly", 4, 1.4, velocity=(0.0, 0.0, -4.0)), water)))
    assert min(volumes(world, "jelly", 60)) > 0.85
    x, speed = world.positions("jelly"), np.abs(world.velocities("jelly")[:, 2]).mean()
    assert x[:, 2].max() < 1.4 and speed < 0.05, (x[:, 2].max(), speed)


@pytest.mark.parametrize("material", ["SOLID", "SPRINGS"])
def test_t7_a_lattice_floats_as_deep_as_its_weight(material: str, truth: Any) -> None:
    """A cube of density d floats with d / rho of its side below the surface, here 0.8."""
    spec = jelly(
        "jelly", 1, (0.5 - 0.75) * SIDE, mass=800.0 * SIDE**3, material=material, stiffness=500.0, air_drag=3.0
    )
    world = build_world(WorldSpec((spec, WaterSpec("water", 0.0))))
    volumes(world, "jelly", 60)
    low = world.positions("jelly")[:, 2].min()
    truth("T7", f"draft of a lattice of {material}", -low / SIDE, 0.8, 0.03)


@pytest.mark.parametrize(
    ("values", "steps"), [({"young": 1e8, "poisson": 0.48}, 0), ({"young": 9e4, "poisson": 0.0}, 4)]
)
def test_t21_cells_too_stiff_for_an_inner_step_do_not_burst(values: dict[str, float], steps: int) -> None:
    """Light tilted cubes that fall by v = g t; shear waves travel 2.5 and 1.5 cells in an inner step.

    Part of the shear modulus is explicit; without a limit nodes reached 5 km/s and 90 m/s in half a second.
    """
    spec = jelly("body", 5, 0.0, mass=20.0 * SIDE**3, air_drag=0.0, **values)
    rotation = np.linalg.qr(np.array([[1.0, 0.4, 0.3], [0.2, 1.0, -0.5], [0.1, 0.3, 1.0]]))[0]
    world = build_world(WorldSpec((replace(spec, vertices=spec.vertices @ rotation.T),), spring_steps=steps))
    for _ in range(12):
        step_frame(world)
    assert np.abs(world.state.v + [0.0, 0.0, 0.5 * 9.81]).max() < 0.05
