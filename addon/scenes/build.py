"""Builds a scene: its objects first, and separately the settings of the scene itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from .beach import add_balls, add_towels
from .breeze import add_line, add_parachutes, add_washing, add_winds
from .cargo import add_cargo, add_quay
from .deep import add_deep, deep_world
from .flocks import add_flocks, add_interactions
from .growth import add_growth
from .land import add_boulders, add_land, add_stones
from .liquids import add_ducks, add_liquids, add_pancakes, add_water_balloons
from .ocean import add_ocean
from .rings import add_ring
from .stage import add_camera, add_light, add_reflections, set_view_transform
from .studio import add_studio
from .surface import add_water
from .trampoline import add_cushions, add_trampolines
from .vessels import add_vessels

if TYPE_CHECKING:
    from .plan import Plan


def build_objects(plan: Plan, scene: bpy.types.Scene) -> tuple[bpy.types.Collection, list[bpy.types.Object]]:
    """Build bodies, water and scenery in a new collection of `scene`, and change nothing else in it.

    Returns:
        The collection, and every new object.
    """
    collection = bpy.data.collections.new(plan.label)
    scene.collection.children.link(collection)
    scenery = bpy.data.collections.new(f"{plan.label} Scenery")
    collection.children.link(scenery)
    made = [add_ring(ring, plan, collection) for ring in plan.rings]
    made += add_balls(plan.balls, collection)
    made += add_towels(plan.towels, collection)
    made += add_cargo(plan.cargo, collection, plan.ocean is not None)
    made += add_quay(plan.quays, collection)
    made += add_trampolines(plan.trampolines, collection)
    made += add_cushions(plan.cushions, collection)
    made += add_washing(plan.washing, collection)
    made += add_line(plan.line, collection)
    made += add_parachutes(plan.parachutes, scene, made, collection)
    made += add_winds(plan.winds, plan.timing, collection)
    made += add_flocks(plan.flocks, collection)
    add_interactions(plan.wills, scene, made)
    made += add_boulders(plan.boulders, scenery)
    if plan.studio is not None:
        made += add_studio(plan.studio, plan.timing, scene, collection)
        made += add_vessels(plan.studio.vessels, collection)
        made += add_liquids(plan.studio.liquids, collection)
        made += add_ducks(plan.studio.ducks, collection)
        made += add_water_balloons(plan.studio.water_balloons, collection)
        return collection, [*made, *add_pancakes(plan.studio.pancakes, collection)]
    if plan.deep:
        return collection, [*made, *add_deep(plan, scenery)]
    if plan.ocean is not None:
        return collection, [*made, *add_ocean(plan.ocean, plan, scene, collection, scenery)]
    made.append(add_water(plan, scene, collection))
    made += add_land(plan.river, scenery)
    made.append(add_stones(plan.river, plan.seed, scenery))
    made += add_growth(plan.river, plan.seed, scenery)
    return collection, made


def build(plan: Plan, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Build a plan, with its light, camera, frame range and color management; returns every new object."""
    _set_timing(plan, scene)
    collection, made = build_objects(plan, scene)
    scene.flotsam.air.still_air = plan.still_air
    if plan.studio is not None:
        scene.flotsam.attributes = {"STRESS"}
    made.append(add_light(plan.light, scene, collection))
    if plan.deep:
        scene.world = deep_world("Deep Water")
    set_view_transform(plan.light, scene)
    add_reflections(scene)
    camera = add_camera(plan.view, collection)
    scene.camera = camera
    return [*made, camera]


def _set_timing(plan: Plan, scene: bpy.types.Scene) -> None:
    """Set frame range, substeps and 24 frames a second, the frame rate that presets assume."""
    scene.render.fps, scene.render.fps_base = 24, 1.0
    scene.frame_start, scene.frame_end = plan.timing.start, plan.timing.end
    scene.frame_set(plan.timing.start)
    scene.flotsam.frame_start, scene.flotsam.frame_end = plan.timing.start, plan.timing.end
    scene.flotsam.substeps = plan.timing.substeps
