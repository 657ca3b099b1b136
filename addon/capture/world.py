"""Scene → WorldSpec: which objects take part, their meshes up to the Flotsam modifier, their settings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from ...engine.spec import (
    ColliderSpec,
    SpringGraphSpec,
    VoxelBodySpec,
    WaterSpec,
    WorldSpec,
    params_of,
    weighted_params,
)
from ..names import ATTRIBUTES, SETTINGS
from .attachments import capture_attachments
from .blenders_rigid import rigid_body_warnings
from .captured import Captured, CapturedBody, CapturedCollider
from .checks import mesh_warnings, object_warnings, refuse_mesh, refuse_object, refuse_segments
from .errors import CaptureError
from .interactions import capture_rules
from .joints import capture_joints
from .keys import unkeyed
from .mesh import read_mesh, transform, world_matrix
from .motion import is_deformed, is_keyed, is_moved, is_recounted
from .outside import capture_outside, gravity_of
from .participants import participants
from .rigid import Rigid, parent_matrix, refuse_rigid, refuse_solid, rigid_warnings, split
from .sentence import Sentence, about
from .stack import bare


def capture_world(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    objects: Iterable[bpy.types.Object] | None = None,
    by_hand: bool = False,
) -> Captured:
    """Take the scene at its current frame.

    Args:
        scene: whose objects take part.
        depsgraph: of that scene; it is updated.
        objects: bodies to bake, None for all; colliders and water of the scene always take part.
        by_hand: the artist may move any object at any time, so all are followed, not only those that are animated.

    Raises:
        CaptureError: one sentence naming the object and the way out.
    """
    warnings: list[str] = []
    wanted = None if objects is None else {obj.name_full for obj in objects}
    depsgraph.update()
    taking_part = _taking_part(scene, depsgraph, warnings)
    chosen = [obj for obj in taking_part if wanted is None or obj.name_full in wanted]
    soft = [obj for obj in chosen if _kind(obj) == SpringGraphSpec.kind]
    rigid = [obj for obj in chosen if _kind(obj) == VoxelBodySpec.kind]
    if not soft and not rigid:
        way_out = warnings[0] if warnings else "Select a mesh and add Flotsam to it in the Physics tab."
        raise CaptureError(f"There is nothing to solve. {way_out}")
    colliders = [obj for obj in taking_part if _kind(obj) == ColliderSpec.kind]
    water = [obj for obj in taking_part if _kind(obj) == WaterSpec.kind]
    with unkeyed(rigid), bare(soft + rigid):
        depsgraph.update()
        attributes = _attributes(scene)
        pairs = [_capture_soft(obj, depsgraph, warnings, by_hand, attributes) for obj in soft]
        pairs += [_capture_rigid(obj, depsgraph, warnings, by_hand) for obj in rigid]
    starts = {body.name: spec.pose @ body.rigid.stretch for spec, body in pairs if body.rigid is not None}
    systems: list[Any] = [spec for spec, _body in pairs]
    moving: list[CapturedCollider] = []
    systems += [_capture_collider(obj, depsgraph, moving, by_hand) for obj in colliders]
    systems += [_capture_water(obj, depsgraph, warnings) for obj in water]
    outside, weights, followed = capture_outside(scene, depsgraph, systems, warnings, by_hand)
    warnings += rigid_body_warnings(scene)
    if scene.unit_settings.scale_length != 1.0:
        warnings.append("The scene's Unit Scale is not 1; Flotsam takes one Blender unit for one metre.")
    spec = WorldSpec(
        systems=(*systems, *outside),
        effector_weights=weights,
        interactions=capture_rules(scene, {system.name for system in systems}, warnings),
        attachments=capture_attachments(scene, systems, warnings),
        joints=capture_joints(scene, {system.name for system in systems}, starts, warnings),
        gravity=gravity_of(scene.evaluated_get(depsgraph)),
        frame_rate=scene.render.fps / scene.render.fps_base,
        **_settings(getattr(scene, SETTINGS), WorldSpec),
    )
    bodies = tuple(body for _spec, body in pairs)
    return Captured(spec, bodies, tuple(moving), scene.frame_current, followed, tuple(warnings))


def _attributes(scene: bpy.types.Scene) -> tuple[str, ...]:
    """What the artist wants kept of each vertex, in the order of files."""
    chosen = getattr(scene, SETTINGS).attributes
    return tuple(name for name in ATTRIBUTES if name.upper() in chosen)


def _kind(obj: bpy.types.Object) -> str:
    return getattr(obj, SETTINGS).kind


def _taking_part(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, warnings: list[str]
) -> list[bpy.types.Object]:
    """Objects in the simulation; of those that are left out, a sentence says why."""
    found = []
    for obj, reason in participants(scene, depsgraph):
        if reason is None:
            found.append(obj)
        else:
            warnings.append(Sentence(f"{obj.name} {reason} and was left out.", obj.name_full))
    return found


def _settings(group: bpy.types.PropertyGroup, spec_class: type) -> dict[str, Any]:
    """The artist's values of a spec's parameters, by field name."""
    values = {name: getattr(group, name) for name in params_of(spec_class) if hasattr(group, name)}
    return {name: tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
            for name, value in values.items()}


def _capture_soft(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, warnings: list[str], by_hand: bool,
    attributes: tuple[str, ...],
) -> tuple[SpringGraphSpec, CapturedBody]:
    matrix = world_matrix(obj.evaluated_get(depsgraph))
    refuse_object(obj, matrix, by_hand)
    settings = _settings(getattr(obj, SETTINGS).spring_graph, SpringGraphSpec)
    group, weighted = getattr(obj, SETTINGS).pin_group, weighted_params(SpringGraphSpec)
    mesh = read_mesh(obj, depsgraph, (group, *weighted))
    pins = mesh.members(group)
    refuse_mesh(obj.name, mesh, True, settings["graph"], settings["mass_by"])
    refuse_segments(obj.name, mesh, settings["pressure_law"])
    inflated = settings["pressure"] != 0.0 and settings["pressure_law"] == "GAS"
    warnings += about(obj.name_full, mesh_warnings(obj.name, mesh, inflated))
    warnings += about(obj.name_full, object_warnings(obj, mesh))
    spec = SpringGraphSpec(
        name=obj.name_full,
        vertices=mesh.vertices if mesh.rest is None else mesh.rest,
        start=None if mesh.rest is None else mesh.vertices,
        triangles=mesh.triangles if len(mesh.triangles) else None,
        edges=mesh.edges,
        pins=pins,
        segments=mesh.segments,
        weights={name: weight for name, weight in mesh.weights.items() if name in weighted},
        **settings,
    )
    body = CapturedBody(
        name=obj.name_full,
        points=len(mesh.vertices),
        vertices=len(mesh.vertices),
        mesh_points=len(obj.data.vertices),
        matrix=matrix,
        local=mesh.local,
        pins=pins,
        moves=by_hand or is_moved(obj),
        deforms=len(pins) > 0 and is_deformed(obj),
        keyed=is_keyed(obj),
        recounted=is_recounted(obj),
        output=spec.output,
        attributes=attributes,
    )
    return spec, body


def _capture_rigid(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, warnings: list[str], by_hand: bool
) -> tuple[VoxelBodySpec, CapturedBody]:
    evaluated = obj.evaluated_get(depsgraph)
    matrix = world_matrix(evaluated)
    refuse_object(obj, matrix, by_hand)
    parent = parent_matrix(evaluated)
    refuse_rigid(obj, parent)
    mesh = read_mesh(obj, depsgraph)
    refuse_mesh(obj.name, mesh, False, "", "")
    settings = _settings(getattr(obj, SETTINGS).voxel_body, VoxelBodySpec)
    refuse_solid(obj.name, mesh, settings["fill"])
    warnings += about(obj.name_full, rigid_warnings(obj, mesh, settings["inside"]))
    pose, stretch = split(matrix)
    spec = VoxelBodySpec(obj.name_full, transform(stretch, mesh.local), mesh.triangles, pose=pose, **settings)
    body = CapturedBody(
        name=obj.name_full,
        points=len(mesh.vertices),
        vertices=len(mesh.vertices),
        mesh_points=len(obj.data.vertices),
        matrix=matrix,
        local=mesh.local,
        pins=np.empty(0, dtype=np.int32),
        moves=by_hand or (obj.parent is not None and is_moved(obj.parent)),
        deforms=False,
        keyed=False,
        rigid=Rigid(stretch, np.linalg.inv(parent) @ matrix),
        output=spec.output,
    )
    return spec, body if by_hand else body.for_bake()


def _capture_collider(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, moving: list[CapturedCollider], by_hand: bool
) -> ColliderSpec:
    matrix = world_matrix(obj.evaluated_get(depsgraph))
    refuse_object(obj, matrix, by_hand)
    mesh = read_mesh(obj, depsgraph)
    refuse_mesh(obj.name, mesh, False, "", "")
    deforms = is_deformed(obj)
    if deforms or by_hand or is_moved(obj):
        moving.append(CapturedCollider(obj.name_full, matrix, mesh.local, deforms))
    settings = _settings(getattr(obj, SETTINGS).collider, ColliderSpec)
    return ColliderSpec(obj.name_full, mesh.vertices, mesh.triangles, **settings)


def _capture_water(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, warnings: list[str]) -> WaterSpec:
    if is_moved(obj):
        warnings.append(
            Sentence(f"{obj.name} is animated, but water stays at its level of the first frame.", obj.name_full)
        )
    settings = _settings(getattr(obj, SETTINGS).water, WaterSpec)
    height = float(obj.evaluated_get(depsgraph).matrix_world.translation.z)
    return WaterSpec(obj.name_full, height, **settings)
