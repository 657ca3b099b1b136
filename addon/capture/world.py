"""Scene → WorldSpec: which objects take part, their meshes up to the Flotsam modifier, their settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import bpy
import numpy as np

from ...engine.spec import (
    KINDS,
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
from .checks import mesh_warnings, object_warnings, refuse_mesh, refuse_object, refuse_segments
from .errors import CaptureError
from .interactions import capture_rules
from .joints import capture_joints
from .keys import unkeyed
from .mesh import read_mesh, transform, world_matrix
from .motion import is_deformed, is_keyed, is_moved
from .outside import CapturedOutside, capture_outside, gravity_of
from .rigid import CORNERS, Rigid, parent_matrix, refuse_rigid, refuse_solid, rigid_warnings, split
from .stack import bare


@dataclass(frozen=True, eq=False)
class CapturedBody:
    """What is remembered of an object that will be baked.

    Attributes:
        name: of the object and of its system.
        points: vertices at the Flotsam modifier.
        mesh_points: vertices of its own mesh.
        matrix: matrix_world at the start, (4, 4) float64.
        local: positions in the object's own space at the start, (points, 3) float64.
        pins: indices of pinned vertices, (p,) int32.
        moves: its place in the world may change.
        deforms: its pins may move within the object.
        keyed: its settings may change.
        rigid: of a rigid body how it lies before its pose; None for soft ones.
        as_keys: its frames are place and axes of its matrix_basis, to be keyframes, and not its mesh.
        output: how its frames are kept once they are baked, as its spec declares.
        attributes: what is kept of each vertex beside its position.
    """

    name: str
    points: int
    mesh_points: int
    matrix: np.ndarray
    local: np.ndarray
    pins: np.ndarray
    moves: bool
    deforms: bool
    keyed: bool
    rigid: Rigid | None = None
    as_keys: bool = False
    output: str = "MESH"
    attributes: tuple[str, ...] = ()

    @property
    def follows(self) -> bool:
        """Whether its frames must be visited to know what happens to it."""
        return self.moves or self.deforms or self.keyed

    def for_bake(self) -> CapturedBody:
        """The same body as a bake keeps it: rigid ones as keyframes, within the space of their parent."""
        if self.rigid is None:
            return self
        return replace(
            self, points=len(CORNERS), matrix=self.matrix @ np.linalg.inv(self.rigid.basis),
            local=self.rigid.basis[:3, [3, 0, 1, 2]].T, as_keys=True,
        )


@dataclass(frozen=True, eq=False)
class CapturedCollider:
    """What is remembered of a collider that moves or deforms.

    Attributes:
        name: of the object and of its system.
        matrix: matrix_world at the start, (4, 4) float64.
        local: positions in the object's own space at the start, (points, 3) float64.
        deforms: its mesh may change within the object.
    """

    name: str
    matrix: np.ndarray
    local: np.ndarray
    deforms: bool


@dataclass(frozen=True, eq=False)
class Captured:
    """A scene as the solver gets it, and what is needed to bring the result back.

    Attributes:
        spec: for `build_world`.
        bodies: the objects that will be baked.
        colliders: those that move or deform.
        frame: the frame it was taken at.
        outside: fields, air and gravity.
        warnings: sentences for the artist.
    """

    spec: WorldSpec
    bodies: tuple[CapturedBody, ...]
    colliders: tuple[CapturedCollider, ...]
    frame: int
    outside: CapturedOutside = field(default_factory=CapturedOutside)
    warnings: tuple[str, ...] = field(default=())


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
    taking_part = [obj for obj in scene.objects if _takes_part(obj, depsgraph, warnings)]
    chosen = [obj for obj in taking_part if wanted is None or obj.name_full in wanted]
    soft = [obj for obj in chosen if _kind(obj) == SpringGraphSpec.kind]
    rigid = [obj for obj in chosen if _kind(obj) == VoxelBodySpec.kind]
    if not soft and not rigid:
        raise CaptureError("There is nothing to solve; select a mesh and add Flotsam to it in the Physics tab.")
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


def _takes_part(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, warnings: list[str]) -> bool:
    """Whether an object is in the simulation; those the viewport has switched off are not evaluated at all."""
    if _kind(obj) not in KINDS:
        return False
    # A row of a list that names it keeps it evaluated all the same.
    if not obj.hide_viewport and obj.evaluated_get(depsgraph).is_evaluated:
        return True
    warnings.append(f"{obj.name} is disabled in viewports and was left out.")
    return False


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
    refuse_object(obj, matrix, soft=True)
    settings = _settings(getattr(obj, SETTINGS).spring_graph, SpringGraphSpec)
    group, weighted = getattr(obj, SETTINGS).pin_group, weighted_params(SpringGraphSpec)
    mesh = read_mesh(obj, depsgraph, (group, *weighted))
    pins = mesh.members(group)
    refuse_mesh(obj.name, mesh, True, settings["graph"], settings["mass_by"])
    refuse_segments(obj.name, mesh, settings["pressure_law"])
    inflated = settings["pressure"] != 0.0 and settings["pressure_law"] == "GAS"
    warnings += mesh_warnings(obj.name, mesh, inflated)
    warnings += object_warnings(obj, mesh)
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
        mesh_points=len(obj.data.vertices),
        matrix=matrix,
        local=mesh.local,
        pins=pins,
        moves=by_hand or is_moved(obj),
        deforms=len(pins) > 0 and is_deformed(obj),
        keyed=is_keyed(obj),
        output=spec.output,
        attributes=attributes,
    )
    return spec, body


def _capture_rigid(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, warnings: list[str], by_hand: bool
) -> tuple[VoxelBodySpec, CapturedBody]:
    evaluated = obj.evaluated_get(depsgraph)
    matrix = world_matrix(evaluated)
    refuse_object(obj, matrix, soft=True)
    parent = parent_matrix(evaluated)
    refuse_rigid(obj, parent)
    mesh = read_mesh(obj, depsgraph)
    refuse_mesh(obj.name, mesh, False, "", "")
    settings = _settings(getattr(obj, SETTINGS).voxel_body, VoxelBodySpec)
    refuse_solid(obj.name, mesh, settings["fill"])
    warnings += rigid_warnings(obj, mesh, settings["inside"])
    pose, stretch = split(matrix)
    spec = VoxelBodySpec(obj.name_full, transform(stretch, mesh.local), mesh.triangles, pose=pose, **settings)
    body = CapturedBody(
        name=obj.name_full,
        points=len(mesh.vertices),
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
    refuse_object(obj, matrix, soft=False)
    mesh = read_mesh(obj, depsgraph)
    refuse_mesh(obj.name, mesh, False, "", "")
    deforms = is_deformed(obj)
    if deforms or by_hand or is_moved(obj):
        moving.append(CapturedCollider(obj.name_full, matrix, mesh.local, deforms))
    settings = _settings(getattr(obj, SETTINGS).collider, ColliderSpec)
    return ColliderSpec(obj.name_full, mesh.vertices, mesh.triangles, **settings)


def _capture_water(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, warnings: list[str]) -> WaterSpec:
    if is_moved(obj):
        warnings.append(f"{obj.name} is animated, but water stays at its level of the first frame.")
    settings = _settings(getattr(obj, SETTINGS).water, WaterSpec)
    height = float(obj.evaluated_get(depsgraph).matrix_world.translation.z)
    return WaterSpec(obj.name_full, height, **settings)
