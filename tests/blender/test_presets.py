"""Material presets name real settings, within their limits."""

from __future__ import annotations

import pytest
from flotsam.addon.presets import PresetError, apply_material, material_presets
from flotsam.engine.spec import SpringGraphSpec, params_of
from make_scene import cube, fresh_scene


@pytest.mark.parametrize("name", ["balloon", "beach_ball", "cloth", "jelly", "rubber_ring"])
def test_a_material_arrives_as_written(name):
    fresh_scene()
    settings = cube().flotsam.spring_graph
    apply_material(settings, name)
    for key, value in material_presets()[name].values.items():
        assert key in params_of(SpringGraphSpec)
        # Blender clamps what lies beyond the limits, so equal means within.
        assert getattr(settings, key) == (pytest.approx(value) if isinstance(value, float) else value)


def test_an_unknown_material_changes_nothing():
    fresh_scene()
    settings = cube().flotsam.spring_graph
    settings.mass = 3.0
    with pytest.raises(PresetError, match="no material preset 'lead'"):
        apply_material(settings, "lead")
    assert settings.mass == 3.0
