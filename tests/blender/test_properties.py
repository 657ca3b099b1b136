"""Each parameter of a spec is a property under the same name with the same default, limits, label and unit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest
from flotsam.addon.names import settings_field
from flotsam.addon.properties.from_spec import UNITS
from flotsam.addon.properties.kinds import SETTINGS_OF
from flotsam.addon.properties.scene import FlotsamScene
from flotsam.engine.spec import KINDS, Param, WorldSpec, params_of
from make_scene import cube, fresh_scene

ALL = [
    pytest.param(kind, field, declared, id=f"{kind}.{field}")
    for kind, spec_class in {**KINDS, "WORLD": WorldSpec}.items()
    for field, declared in params_of(spec_class).items()
]


def rna_of(kind: str, field: str) -> bpy.types.Property:
    fresh_scene()
    owner = FlotsamScene if kind == "WORLD" else SETTINGS_OF[kind]
    return owner.bl_rna.properties[field]


@pytest.mark.parametrize(("kind", "field", "declared"), ALL)
def test_a_parameter_becomes_a_property(kind: str, field: str, declared: Param) -> None:
    prop = rna_of(kind, field)
    assert prop.is_animatable == declared.keyable
    assert prop.is_overridable
    shown_by_blender = declared.unit in UNITS or not declared.unit
    assert prop.name == declared.label and "(" not in prop.name
    assert prop.description == (declared.tip if shown_by_blender else f"{declared.tip}; in {declared.unit}")
    if declared.choices:
        assert [(item.identifier, item.name, item.description) for item in prop.enum_items] == list(declared.choices)
        assert prop.default == declared.default
        return
    if isinstance(declared.default, tuple):
        assert tuple(prop.default_array) == pytest.approx(declared.default)
        return
    assert prop.default == pytest.approx(declared.default)


@pytest.mark.parametrize(("kind", "field", "declared"), ALL)
def test_limits_are_those_of_the_spec(kind: str, field: str, declared: Param) -> None:
    prop = rna_of(kind, field)
    if declared.choices or isinstance(declared.default, bool):
        return
    low, high = declared.limits
    soft_low, soft_high = declared.soft or declared.limits
    if low is not None:
        assert low <= prop.hard_min <= low + max(1e-6, 1e-6 * abs(low)) * 1.01
    if high is not None:
        assert high * (1.0 - math.copysign(1e-6, high)) <= prop.hard_max <= high
    if soft_low is not None:
        assert prop.soft_min == pytest.approx(max(soft_low, prop.hard_min), rel=1e-6)
    if soft_high is not None:
        assert prop.soft_max == pytest.approx(min(soft_high, prop.hard_max), rel=1e-6)
    if declared.positive:
        assert prop.hard_min > 0.0


def other_values(spec_class: type) -> Iterator[tuple[str, object]]:
    """A value for each parameter that differs from its default."""
    for field, declared in params_of(spec_class).items():
        default = declared.default
        if declared.choices:
            yield field, declared.choices[-1][0]
        elif isinstance(default, bool):
            yield field, not default
        elif isinstance(default, tuple):
            yield field, tuple(0.25 * (number + 1) for number in range(len(default)))
        elif isinstance(default, int):
            yield field, default + 1
        else:
            high = declared.limits[1]
            yield field, default + 0.25 if high is None or default + 0.25 <= high else default - 0.25


def test_every_setting_survives_a_saved_file(tmp_path: Path) -> None:
    fresh_scene(tmp_path)
    obj = cube()
    obj.flotsam.kind = "WATER"
    groups = {settings_field(kind): spec_class for kind, spec_class in KINDS.items()}
    for name, spec_class in groups.items():
        for field, value in other_values(spec_class):
            setattr(getattr(obj.flotsam, name), field, value)
    for field, value in other_values(WorldSpec):
        setattr(bpy.context.scene.flotsam, field, value)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    obj = bpy.data.objects["Cube"]
    assert obj.flotsam.kind == "WATER"
    for settings, spec_class in [
        *((getattr(obj.flotsam, name), spec_class) for name, spec_class in groups.items()),
        (bpy.context.scene.flotsam, WorldSpec),
    ]:
        for field, value in other_values(spec_class):
            loaded = getattr(settings, field)
            if isinstance(value, tuple):
                assert tuple(loaded) == pytest.approx(value)
            else:
                assert loaded == (value if isinstance(value, str | bool) else pytest.approx(value, rel=1e-6))
