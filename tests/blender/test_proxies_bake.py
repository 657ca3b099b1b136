"""Proxy spheres as a setting: from the setting to a bake, and their display."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.capture import CaptureError, capture_world
from flotsam.addon.names import panel_of_group
from make_scene import cube, fresh_scene, ground, ring, soft, world_positions
from recorded import drawn


def test_a_cube_of_spheres_lands_on_the_ground_and_on_another(tmp_path: Path) -> None:
    """Two cubes with one sphere each: the lower one rests on its sphere, the upper one on the lower one's."""
    scene = fresh_scene(tmp_path, (1, 48))
    settings = {"stiffness": 1e5, "struts": 1, "contact": "PROXIES", "proxy_count": 1, "friction": 1.0}
    lower, upper = soft(cube("Lower", z=0.6), **settings), soft(cube("Upper", z=1.6), **settings)
    ground()
    bake_blocking(scene)
    heights = [
        sum(place[2] for place in world_positions(obj, 48)) / 8.0 for obj in (lower, upper)
    ]
    # A corner is size * sqrt(3) / 2 from the centre, plus half the thickness, a tenth of the mean edge.
    # At 5 substeps h² g is 0.7 mm.
    radius = 0.5 * 3.0**0.5 / 2.0 + 0.05
    assert heights[0] == pytest.approx(radius, abs=1e-3)
    assert heights[1] - heights[0] == pytest.approx(2.0 * radius, abs=2e-3)


def test_the_number_of_spheres_is_dimmed_where_the_surface_is_touched() -> None:
    fresh_scene()
    obj = soft(cube())
    panel = panel_of_group("contact")
    assert "proxy_count" in drawn("physics")[panel].dimmed
    obj.flotsam.spring_graph.contact = "PROXIES"
    assert "proxy_count" not in drawn("physics")[panel].dimmed


def test_segments_are_the_spheres_where_a_mesh_has_them() -> None:
    scene = fresh_scene()
    obj = soft(ring(major=16, minor=8), contact="PROXIES", pressure_law="SEGMENT")
    with pytest.raises(CaptureError, match="has no segments"):
        capture_world(scene, bpy.context.evaluated_depsgraph_get())
    attribute = obj.data.attributes.new("segment", "INT", "POINT")
    for k, item in enumerate(attribute.data):
        item.value = k // 16
    (spec,) = capture_world(scene, bpy.context.evaluated_depsgraph_get()).spec.systems
    assert spec.contact == "PROXIES" and len(set(spec.segments)) == 8
