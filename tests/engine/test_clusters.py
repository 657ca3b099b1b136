"""Clusters of vertices, each represented by one proxy sphere."""

from __future__ import annotations

import math

import numpy as np
from flotsam.engine.mesh.graph.clusters import sphere_groups, sphere_radii
from shapes import sphere, torus

RADIUS = 0.5
NOTHING = np.zeros((0, 3), dtype=np.int32)


def test_a_tube_is_cut_into_slices_and_a_ball_not_at_all() -> None:
    vertices, triangles, _edges = torus(0.5, 0.15, 48, 24)
    group = sphere_groups(vertices, triangles, 0)
    for own in range(int(group.max()) + 1):
        angle = np.unwrap(np.sort(np.arctan2(*vertices[group == own, :2].T[::-1])))
        gaps = np.diff(angle)
        assert 24 * len(np.unique(angle.round(6))) == np.count_nonzero(group == own), "whole cross-sections"
        assert np.count_nonzero(gaps > 2.5 * math.pi / 24) <= 1, "beside each other"
    radius = sphere_radii(vertices, group, np.ones(len(vertices)))
    assert 12 <= len(radius) <= 24 and radius.min() > 0.15 and radius.max() < 0.18
    vertices, triangles = sphere(RADIUS, 3)
    assert sphere_groups(vertices, triangles, 0).max() == 0


def test_groups_of_a_sheet_are_patches_and_a_count_is_kept() -> None:
    place = np.stack([*np.meshgrid(np.linspace(0, 1, 20), np.linspace(0, 1, 20)), np.zeros((20, 20))], axis=-1)
    for count in (1, 5, 16):
        group = sphere_groups(place.reshape(-1, 3), NOTHING, count)
        assert np.array_equal(np.unique(group), np.arange(count))
    radius = sphere_radii(place.reshape(-1, 3), group, np.ones(400))
    assert radius.max() < 0.25, "16 patches of a quarter of a metre"
