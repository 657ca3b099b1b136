"""The frame of a world before its first step: start positions, velocities and stress."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from flotsam.engine import SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, frame_now, step_frame
from shapes import box, sphere


def ball(**fields: object) -> SpringGraphSpec:
    vertices, triangles = sphere(0.5, 2)
    return SpringGraphSpec("ball", vertices, triangles, **fields)


@pytest.mark.parametrize("contact", ["SURFACE", "PROXIES"])
def test_stress_is_told_of_every_vertex_and_not_of_the_spheres(contact: str) -> None:
    spec = ball(contact=contact, struts=1)
    swollen = dataclasses.replace(spec, start=1.1 * spec.vertices)
    for body, expected in ((spec, 0.0), (swollen, 0.1)):
        stress = frame_now(build_world(WorldSpec(systems=(body,)))).attributes["ball"]["stress"]
        assert stress.shape == (len(spec.vertices),)
        assert stress == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("integrator", ["XPBD", "SYMPLECTIC"])
def test_a_look_changes_nothing(integrator: str) -> None:
    bodies = [ball(velocity=(1.0, 0.0, 0.0))]
    if integrator == "XPBD":
        vertices, triangles = box(1.0, 2)
        bodies.append(VoxelBodySpec("crate", vertices + [3.0, 0.0, 0.0], triangles, velocity=(0.0, 2.0, 0.0)))
    spec = WorldSpec(systems=tuple(bodies), integrator=integrator)
    looked, other = build_world(spec), build_world(spec)
    start = frame_now(looked)
    assert start.number == 0
    assert start.velocities["ball"] == pytest.approx(np.tile((1.0, 0.0, 0.0), (len(bodies[0].vertices), 1)))
    assert start.positions["ball"] == pytest.approx(bodies[0].vertices, abs=1e-6)
    first, same = step_frame(looked), step_frame(other)
    assert first.number == 1
    for name, positions in first.positions.items():
        assert np.array_equal(positions, same.positions[name])
