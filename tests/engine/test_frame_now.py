"""The frame of a world before its first step."""

from __future__ import annotations

import dataclasses

import pytest
from flotsam.engine import SpringGraphSpec, WorldSpec, build_world, frame_now
from shapes import sphere


def test_stress_is_told_of_every_vertex_and_not_of_the_spheres() -> None:
    vertices, triangles = sphere(0.5, 2)
    spec = SpringGraphSpec("a", vertices, triangles, contact="PROXIES")
    swollen = dataclasses.replace(spec, start=1.1 * spec.vertices)
    for body, expected in ((spec, 0.0), (swollen, 0.1)):
        stress = frame_now(build_world(WorldSpec(systems=(body,)))).attributes["a"]["stress"]
        assert stress.shape == (len(spec.vertices),)
        assert stress == pytest.approx(expected, abs=1e-4)
