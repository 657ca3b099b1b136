"""Water, level with an object's origin or with the waves of its mesh."""

from __future__ import annotations

import bpy

from ....engine.spec import WaterSpec, uses_mesh
from ...names import SETTINGS
from ..captured import CapturedCollider
from ..checks import refuse_mesh, refuse_object
from ..errors import CaptureError
from ..key_digest import keyed_channels
from ..levels import unlike_modifiers
from ..mesh import read_mesh, world_matrix
from ..motion import is_deformed, is_moved
from ..sentence import Sentence, about
from ..stack import modifiers_before
from .base import Capturing, Taken, settings_of

# Modifiers that make waves.
WAVY = {"OCEAN", "WAVE"}


def capture(obj: bpy.types.Object, scene: Capturing) -> Taken:
    """Capture water, level with the object's origin or with the waves of its mesh; keeps its data if these move.

    Raises:
        CaptureError: one sentence that names the object and says what to do.
    """
    group = getattr(obj, SETTINGS).water
    settings = settings_of(group, WaterSpec)
    scene.warnings.extend(about(obj.name_full, wave_warnings(obj)))
    if uses_mesh(WaterSpec, group):
        return _capture_waves(obj, scene, settings)
    if is_moved(obj):
        scene.warnings.append(
            Sentence(f"{obj.name} is animated, but water stays at its level of the first frame.", obj.name_full)
        )
    height = float(obj.evaluated_get(scene.depsgraph).matrix_world.translation.z)
    return Taken(WaterSpec(obj.name_full, height, **settings))


def _capture_waves(obj: bpy.types.Object, scene: Capturing, settings: dict[str, object]) -> Taken:
    if obj.type != "MESH":
        raise CaptureError(f"{obj.name} is no mesh; convert it to a mesh, or set its Surface to Level.")
    matrix = world_matrix(obj.evaluated_get(scene.depsgraph))
    refuse_object(obj, matrix, scene.by_hand)
    mesh = read_mesh(obj, scene.depsgraph)
    refuse_mesh(obj.name, mesh, False, "", "")
    scene.warnings.extend(about(obj.name_full, [
        f"{obj.name}: {modifier.name} differs between viewport and render, so bodies do not lie on the waves that "
        "are rendered; choose the levels of one of them in the Physics tab and bake again."
        for modifier in unlike_modifiers(obj, scene.depsgraph.scene)
    ]))
    deforms, moving = is_deformed(obj), None
    if deforms or scene.by_hand or is_moved(obj):
        moving = CapturedCollider(obj.name_full, matrix, mesh.local, deforms, has_waves=True)
    spec = WaterSpec(obj.name_full, vertices=mesh.vertices, triangles=mesh.triangles, **settings)
    return Taken(spec, collider=moving)


def wave_warnings(obj: bpy.types.Object) -> list[str]:
    """Sentences about waves that bodies do not feel, and about an ocean that stands still."""
    shown = [modifier for modifier in modifiers_before(obj) if modifier.show_viewport and modifier.type in WAVY]
    if not shown:
        return []
    if not uses_mesh(WaterSpec, getattr(obj, SETTINGS).water):
        return [f"{obj.name} has waves, but bodies float at the level of its origin; set its Surface to Mesh."]
    keyed = {path for path, _component in keyed_channels(obj)}
    return [
        f"The waves of {obj.name} stand still; animate Time of its modifier {modifier.name}."
        for modifier in shown if modifier.type == "OCEAN" and f'modifiers["{modifier.name}"].time' not in keyed
    ]
