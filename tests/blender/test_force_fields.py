"""Blender's field objects act on bodies as on Blender's own particles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest
from field_probe import Probe, relative_difference
from make_scene import fresh_scene

Truth = Callable[..., None]
TYPES = ("FORCE", "WIND", "VORTEX", "MAGNET", "HARMONIC", "CHARGE", "LENNARDJ", "TURBULENCE", "DRAG")
SHAPES = ("POINT", "LINE", "PLANE", "SURFACE", "POINTS")
# Settings common to all fields, with distances that contain about half of the points.
SETTINGS = {
    "strength": 1.7, "flow": 0.1, "size": 0.8, "noise": 0.0, "use_max_distance": True, "distance_max": 2.5,
    "use_min_distance": True, "distance_min": 0.4, "use_radial_min": True, "use_radial_max": True,
}
OWN = {
    "HARMONIC": {"rest_length": 0.5, "harmonic_damping": 0.1}, "DRAG": {"linear_drag": 0.2, "quadratic_drag": 0.1},
}
FALLOFFS = {
    "SPHERE": {"falloff_power": 2.0}, "TUBE": {"falloff_power": 1.3, "radial_min": 0.2, "radial_max": 2.0},
    "CONE": {"falloff_power": 0.7, "radial_falloff": 0.7, "radial_min": 20.0, "radial_max": 100.0},
}
SIDES = ("BOTH", "POSITIVE", "NEGATIVE")


def field_on_a_plate(kind: str) -> tuple[bpy.types.Scene, bpy.types.Object]:
    """A bent plate of a few vertices, rotated and stretched, with a field."""
    scene = fresh_scene()
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=2, y_subdivisions=2, size=1.5, location=(0.3, 0.2, 0.1), rotation=(0.5, 0.2, 0.9)
    )
    plate = bpy.context.object
    plate.scale = (1.0, 1.2, 0.8)
    bpy.ops.object.forcefield_toggle()
    plate.field.type = kind
    return scene, plate


def give(settings: Any, **values: Any) -> None:
    for name, value in values.items():
        setattr(settings, name, value)


@pytest.mark.parametrize("kind", TYPES)
def test_t27_a_step_changes_velocities_as_in_blender(kind: str, truth: Truth) -> None:
    """Every shape and falloff, a thousand points: velocity changes within 1 % of Blender's."""
    scene, plate = field_on_a_plate(kind)
    probe = Probe(scene, plate)
    for number, shape in enumerate(SHAPES):
        if kind == "VORTEX" and shape == "LINE":
            continue
        for falloff, distances in FALLOFFS.items():
            give(plate.field, shape=shape, falloff_type=falloff, z_direction=SIDES[number % 3])
            give(plate.field, **SETTINGS, **distances)
            give(plate.field, **OWN.get(kind, {}))
            velocity, blenders = probe.blenders()
            error, bad = relative_difference(probe.ours(velocity), blenders)
            truth("T27", f"{kind} {shape} {falloff}, root mean square over Blender's", error, 0.0, 0.01, relative=False)
            assert bad == 0, f"{shape} {falloff}: {bad} points differ"


@pytest.mark.parametrize("settings", [
    {"type": "FORCE", "use_gravity_falloff": True}, {"type": "TURBULENCE", "use_global_coords": True, "size": 0.6},
    {"type": "TURBULENCE", "size": 0.0}, {"type": "VORTEX", "inflow": 0.4, "shape": "PLANE"},
    {"type": "WIND", "apply_to_location": False, "flow": 0.5}, {"type": "HARMONIC", "rest_length": 0.0},
], ids=lambda settings: " ".join(map(str, settings.values())))
def test_t27_settings_of_one_type_do_what_they_do_in_blender(settings: dict[str, Any], truth: Truth) -> None:
    scene, plate = field_on_a_plate(settings["type"])
    give(plate.field, strength=1.3, shape="POINT")
    give(plate.field, **{name: value for name, value in settings.items() if name != "type"})
    probe = Probe(scene, plate)
    velocity, blenders = probe.blenders()
    ours = probe.ours(velocity)
    if not settings.get("apply_to_location", True):
        assert np.abs(blenders).max() == 0.0 and np.abs(ours).max() < 1e-8
        return
    error, bad = relative_difference(ours, blenders)
    truth("T27", f"{settings}", error, 0.0, 0.01, relative=False)
    assert bad == 0


@pytest.mark.parametrize("mode", ["RGB", "GRADIENT", "CURL"])
def test_t27_a_texture_pushes_as_in_blender(mode: str, truth: Truth) -> None:
    """Root mean square error within 3 %, because Flotsam samples the texture."""
    scene, plate = field_on_a_plate("TEXTURE")
    texture = bpy.data.textures.new("Marks", "CLOUDS")
    texture.noise_scale, texture.noise_depth, texture.cloud_type = 2.5, 0, "COLOR"
    give(plate.field, texture=texture, texture_mode=mode, texture_nabla=0.05, strength=2.0)
    probe = Probe(scene, plate)
    velocity, blenders = probe.blenders()
    error, _bad = relative_difference(probe.ours(velocity), blenders)
    truth("T27", f"TEXTURE {mode}, root mean square over Blender's", error, 0.0, 0.03, relative=False)


def test_noise_has_the_spread_that_it_has_in_blender() -> None:
    """Blender's random numbers depend on the order of evaluation, so mean and spread are compared."""
    scene, plate = field_on_a_plate("WIND")
    give(plate.field, strength=2.0, noise=1.5, flow=0.0, shape="PLANE")
    probe = Probe(scene, plate)
    velocity, blenders = probe.blenders()
    axis = np.array(plate.matrix_world)[:3, 2]
    axis /= np.linalg.norm(axis)
    ours, theirs = probe.ours(velocity) @ axis / 0.04, blenders @ axis / 0.04
    assert np.abs(probe.ours(velocity) - np.outer(ours * 0.04, axis)).max() < 1e-6
    assert abs(ours.mean() - theirs.mean()) < 0.1
    assert ours.std() == pytest.approx(theirs.std(), rel=0.1)
    assert abs(ours).max() <= 3.5
