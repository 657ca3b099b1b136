"""A soft body: mesh at the Flotsam modifier, pins, weights, segments."""

from __future__ import annotations

import bpy
import numpy as np

from ....engine.spec import SpringGraphSpec, weighted_params
from ...names import SETTINGS
from ..captured import CapturedBody
from ..checks import mesh_warnings, object_warnings, refuse_mesh, refuse_object, refuse_segments, refuse_tear
from ..edge_values import graph_warnings, values_for_spec
from ..keyed import keyed_fields
from ..mesh import read_mesh, world_matrix
from ..motion import is_deformed, is_moved, may_change_count
from ..sentence import about
from ..soft_pins import split_pins
from .base import Capturing, Taken, settings_of


def capture(obj: bpy.types.Object, scene: Capturing) -> Taken:
    """Capture a spring graph and the data for its bake.

    Raises:
        CaptureError: one sentence that names the object and says what to do.
    """
    matrix = world_matrix(obj.evaluated_get(scene.depsgraph))
    refuse_object(obj, matrix, scene.by_hand)
    settings = settings_of(getattr(obj, SETTINGS).spring_graph, SpringGraphSpec)
    group, weighted = getattr(obj, SETTINGS).pin_group, weighted_params(SpringGraphSpec)
    mesh = read_mesh(obj, scene.depsgraph, (group, *weighted))
    pins, soft_pins = split_pins(mesh.weights.get(group, np.empty(0)), float(getattr(obj, SETTINGS).pin_stiffness))
    keyed = keyed_fields(obj, SpringGraphSpec)
    if settings["release_pins"] and "release_pins" not in keyed:
        soft_pins = None
    refuse_mesh(obj.name, mesh, True, settings["graph"], settings["mass_by"])
    refuse_segments(obj.name, mesh, settings["pressure_law"])
    inflated = settings["pressure"] != 0.0 and settings["pressure_law"] == "GAS"
    in_pieces = settings["graph"] == "LATTICE" and bool(settings["pieces"])
    scene.warnings.extend(about(obj.name_full, mesh_warnings(obj.name, mesh, inflated, in_pieces)))
    scene.warnings.extend(about(obj.name_full, object_warnings(obj, mesh, scene.depsgraph.scene)))
    tears = bool(settings["tear"])
    if tears:
        refuse_tear(obj.name, mesh, settings)
    spec = SpringGraphSpec(
        name=obj.name_full,
        vertices=mesh.vertices if mesh.rest is None else mesh.rest,
        start=None if mesh.rest is None else mesh.vertices,
        triangles=mesh.triangles if len(mesh.triangles) else None,
        edges=mesh.edges,
        pins=pins,
        segments=mesh.segments,
        corners=mesh.corners if tears else None,
        triangle_corners=mesh.triangle_corners if tears else None,
        weights={name: weight for name, weight in mesh.weights.items() if name in weighted},
        **settings,
        **values_for_spec(obj.name, mesh, settings["graph"]),
    )
    permanent_pins = pins if "release_pins" not in keyed and not spec.release_pins else pins[:0]
    scene.warnings.extend(about(obj.name_full, graph_warnings(obj.name, mesh, spec, permanent_pins)))
    kinematic = np.arange(len(mesh.vertices), dtype=np.int32) if settings["animated"] or "animated" in keyed else pins
    body = CapturedBody(
        name=obj.name_full,
        points=len(mesh.vertices),
        vertices=len(mesh.vertices),
        mesh_points=len(obj.data.vertices),
        matrix=matrix,
        local=mesh.local,
        kinematic=kinematic,
        moves=scene.by_hand or is_moved(obj),
        deforms=(len(kinematic) > 0 or soft_pins is not None) and is_deformed(obj),
        soft_pins=soft_pins,
        corners=mesh.corners if tears else None,
        count_may_change=not scene.by_hand and may_change_count(obj),
        output=spec.output,
        attributes=scene.attributes,
    )
    return Taken(spec, body)
