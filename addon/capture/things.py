"""Digests of everything that a bake of a scene depends on, by thing (object, field, list row, scene) and by part.

Fast enough for frequent calls: no mesh is evaluated and no frame visited. An animated property is represented by its
keyframes instead of its current value, so the digests are the same at every frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import bpy

from ...engine.spec import KINDS, WorldSpec, params_of, uses_mesh, weighted_params
from ..names import BODY_KINDS, SETTINGS, settings_field
from ..properties.interactions import values_group
from ..properties.outside import field_objects, has_field
from ..properties.pointers import pointed_at
from ..properties.scene import bake_range
from .block_digest import Target, block_values, referred_values, strings_in
from .fields import MESH_SHAPES
from .key_digest import animation_values, keyed_channels
from .keys import has_keys, own_shape_keys, rotation_path
from .levels import limited_levels
from .mesh_digest import mesh_digest
from .participants import participants
from .plain import digest, objects_in, plain, plain_values, unkeyed
from .stack import modifiers_before

# Key of the scene itself; other keys are "object:Crate", "interaction:Slippery" and the like.
SCENE = "scene"
Things = dict[str, dict[str, str]]

_WEIGHTED = {kind: set(weighted_params(spec)) for kind, spec in KINDS.items() if spec.traits.is_springy}
_PARAMS = {kind: tuple(params_of(spec)) for kind, spec in KINDS.items()}
# Settings that some bakes are older than, with the value that these had; omitted, so that they still match.
_SINCE_THEN = {"surface": "LEVEL"}
_CHANNELS = ("location", "scale", "delta_location", "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale")


def things_of(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, bodies: Iterable[str] | None = None,
    names: Mapping[str, str] | None = None,
) -> Things:
    """Digests of all participants of a bake.

    Args:
        scene: the scene; depsgraph: of its view layer, up to date.
        bodies: names of the bodies to bake, None for all.
        names: names of objects at the time of the bake, by their present names.
    """
    wanted = None if bodies is None else set(bodies)

    def name_of(obj: bpy.types.Object) -> str:
        return (names or {}).get(obj.name_full, obj.name_full)

    taking_part = [
        obj for obj, reason in participants(scene, depsgraph)
        if reason is None and (wanted is None or _kind(obj) not in BODY_KINDS or name_of(obj) in wanted)
    ]
    things: Things = {SCENE: _scene_parts(scene)}
    simplified = [levels for obj in taking_part if obj.type == "MESH" and (levels := limited_levels(obj, scene))]
    if simplified:
        things[SCENE]["simplify"] = digest(simplified)
    for obj in taking_part:
        things[_unique_name(things, f"object:{name_of(obj)}")] = _object_parts(obj)
    for obj in field_objects(scene):
        if not obj.hide_viewport:
            things[_unique_name(things, f"field:{name_of(obj)}")] = _field_parts(obj)
    present = {obj.name_full for obj in taking_part}
    settings = getattr(scene, SETTINGS)
    for kind, rows in (
        ("interaction", settings.interactions), ("attachment", settings.attachments), ("joint", settings.joints),
    ):
        for row in rows:
            if row.mute:
                continue
            things[_unique_name(things, f"{kind}:{row.name}")] = {"row": digest(_row_values(row, name_of, present))}
    return things


def _unique_name(things: Things, name: str) -> str:
    """The name, with a number added if it is taken."""
    number, found = 1, name
    while found in things:
        number += 1
        found = f"{name}#{number}"
    return found


def _object_parts(obj: bpy.types.Object) -> dict[str, str]:
    """Digests of an object's input to a bake, by part; its name is not included."""
    kind, settings, keyed = _kind(obj), getattr(obj, SETTINGS), keyed_channels(obj)
    field = settings_field(kind)
    group = getattr(settings, field)
    values = [
        unkeyed(plain(getattr(group, name)), f"{SETTINGS}.{field}.{name}", keyed) for name in _PARAMS[kind]
        if name not in _SINCE_THEN or getattr(group, name) != _SINCE_THEN[name]
    ]
    for field, target in pointed_at(group, kind).items():
        values += [field, _target_values(target, {obj.name_full})]
    if KINDS[kind].traits.moves:
        weights, path = settings.effector_weights, f"{SETTINGS}.effector_weights"
        # Omitted at 0, so that bakes from before soft pins still match.
        values += [settings.pin_stiffness] if settings.pin_stiffness else []
        values += [settings.pin_group, *plain_values(weights, path, keyed)]
        if weights.collection is not None:
            values += sorted(
                repr(_placement_values(other, set())) for other in weights.collection.all_objects if has_field(other)
            )
    parts = {
        "kind": kind,
        "place": digest(_placement_values(obj, set())),
        "settings": digest(values),
        "animation": digest([animation_values(block) for block in _animated(obj)]),
    }
    if obj.type == "MESH" and uses_mesh(KINDS[kind], group):
        names = _WEIGHTED[kind] | {settings.pin_group} if kind in _WEIGHTED else ()
        modifier_values = _modifier_values(obj, set())
        # An armature uses the groups that are named like its bones, so all groups are included.
        used = strings_in(modifier_values) | set(names)
        group_indices = {group.index for group in obj.vertex_groups if group.name in used or "ARMATURE" in used}
        parts["mesh"] = digest((mesh_digest(obj.data, group_indices), _shape_key_values(obj.data)))
        parts["modifiers"] = digest(modifier_values)
    return parts


def _field_parts(obj: bpy.types.Object) -> dict[str, str]:
    """Digests of a force field, by part."""
    referred = referred_values(obj.field, _target_reader(set()))
    parts = {
        "place": digest(_placement_values(obj, set())),
        "settings": digest((plain_values(obj.field, "field", keyed_channels(obj)), referred)),
        "animation": digest([animation_values(block) for block in _animated(obj)]),
    }
    if obj.field.shape in MESH_SHAPES and obj.data is not None:
        parts["mesh"] = digest(_data_values(obj, set()))
        parts["modifiers"] = digest(_modifier_values(obj, set()))
    return parts


def _kind(obj: bpy.types.Object) -> str:
    return getattr(obj, SETTINGS).kind


def _animated(obj: bpy.types.Object) -> list[bpy.types.ID | None]:
    """Data-blocks whose keyframes may move or deform an object: itself, its mesh, its parents."""
    found: list[bpy.types.ID | None] = [obj, obj.data, own_shape_keys(obj.data)]
    ancestor = obj.parent
    while ancestor is not None:
        found += [ancestor, ancestor.data]
        ancestor = ancestor.parent
    return found


def _placement_values(obj: bpy.types.Object, seen: set[str]) -> list[Any]:
    """An object's placement as the artist set it: its own channels, its parents, its constraints."""
    if obj.name_full in seen:
        return []
    seen.add(obj.name_full)
    keyed = keyed_channels(obj)
    mode, location, rotation = _own_channels(obj)
    values = {name: plain(getattr(obj, name)) for name in _CHANNELS} | {
        "location": location, rotation_path(mode): rotation, "rotation_mode": mode,
    }
    found: list[Any] = [(name, unkeyed(value, name, keyed)) for name, value in values.items()]
    if obj.parent is not None:
        found += [obj.parent_type, obj.parent_bone, plain(obj.matrix_parent_inverse)]
        shapes = obj.parent_type in ("VERTEX", "VERTEX_3")
        found.append((_target_values if shapes else _placement_values)(obj.parent, seen))
    if obj.pose is not None:
        # If the object has animation, its keyframes cover keyed bones, and other bones do not move.
        found += [plain(bone.matrix_basis) for bone in obj.pose.bones] if not keyed else []
    for constraint in obj.constraints:
        if not constraint.mute:
            found += [constraint.type, plain_values(constraint, f'constraints["{constraint.name}"]', keyed)]
            found += [_target_values(target, seen) for target in objects_in(constraint)]
    return found


def _own_channels(obj: bpy.types.Object) -> tuple[str, tuple[float, ...], tuple[float, ...]]:
    """Rotation mode, location and rotation; for a baked rigid body the values from before the bake."""
    if has_keys(obj) and getattr(obj, SETTINGS).baked.rotation_mode:
        baked = getattr(obj, SETTINGS).baked
        count = 3 if rotation_path(baked.rotation_mode) == "rotation_euler" else 4
        return baked.rotation_mode, plain(baked.location), plain(baked.rotation)[:count]
    return obj.rotation_mode, plain(obj.location), plain(getattr(obj, rotation_path(obj.rotation_mode)))


def _target_values(obj: bpy.types.Object, seen: set[str]) -> list[Any]:
    """Placement and shape of an object that others depend on; empty if it is among `seen`."""
    if obj.name_full in seen:
        return []
    place = _placement_values(obj, seen)
    return [_data_values(obj, seen), animation_values(obj), place, _modifier_values(obj, seen)]


def _target_reader(seen: set[str]) -> Target:
    """A function that gives `_target_values` of objects to which data-blocks refer."""
    return lambda obj: _target_values(obj, seen)


def _data_values(obj: bpy.types.Object, seen: set[str]) -> Any:
    """Values of an object's mesh, curve or lattice."""
    if obj.type == "MESH":
        return mesh_digest(obj.data), _shape_key_values(obj.data)
    return block_values(obj.data, _target_reader(seen))


def _modifier_values(obj: bpy.types.Object, seen: set[str]) -> list[Any]:
    """Values of the modifiers before Flotsam, and of what they refer to, except objects among `seen`."""
    found: list[Any] = []
    keyed, seen = keyed_channels(obj), seen | {obj.name_full}
    for modifier in modifiers_before(obj):
        if not modifier.show_viewport:
            continue
        found += [modifier.type, plain_values(modifier, f'modifiers["{modifier.name}"]', keyed)]
        found += [_target_values(target, set(seen)) for target in objects_in(modifier)]
        found += referred_values(modifier, _target_reader(set(seen)))
        if modifier.type == "NODES" and modifier.node_group is not None:
            found += [block_values(value, _target_reader(set(seen))) for value in _node_inputs(modifier)]
    return found


def _node_inputs(modifier: bpy.types.NodesModifier) -> list[Any]:
    """Values of a geometry-nodes modifier's inputs; Blender 5.2 stores them elsewhere than earlier versions."""
    sockets = [
        item.identifier for item in modifier.node_group.interface.items_tree
        if item.item_type == "SOCKET" and item.in_out == "INPUT"
    ]
    if hasattr(modifier, "properties"):
        inputs = modifier.properties.inputs
        return [getattr(getattr(inputs, name, None), "value", None) for name in sockets]
    return [modifier.get(name) for name in sockets]


def _shape_key_values(mesh: bpy.types.Mesh) -> list[Any]:
    keys = own_shape_keys(mesh)
    if keys is None:
        return []
    keyed = keyed_channels(keys)
    return [unkeyed(block.value, f'key_blocks["{block.name}"].value', keyed) for block in keys.key_blocks]


def _scene_parts(scene: bpy.types.Scene) -> dict[str, str]:
    settings, keyed = getattr(scene, SETTINGS), keyed_channels(scene)
    quality = [plain(getattr(settings, name)) for name in params_of(WorldSpec) if hasattr(settings, name)]
    gravity = unkeyed(plain(scene.gravity), "gravity", keyed)
    return {
        "gravity": digest((scene.use_gravity, gravity, animation_values(scene) if None in gravity else None)),
        "frame rate": digest((scene.render.fps, scene.render.fps_base)),
        "settings": digest(quality),
        "start": digest(bake_range(settings)[0]),
        "air": digest(plain_values(settings.air, f"{SETTINGS}.air", keyed)),
    }


def _row_values(
    row: bpy.types.PropertyGroup, name_of: Callable[[bpy.types.Object], str], present: set[str]
) -> list[Any]:
    """Values of a row of one of the scene's lists, with the names that its objects had at the bake."""
    found: list[Any] = plain_values(row)
    if hasattr(row, "rule"):
        found += plain_values(values_group(row))
    found += [name_of(obj) for obj in objects_in(row)]
    for side in ("a_collection", "b_collection"):
        chosen = getattr(row, side, None)
        if chosen is not None:
            found.append(sorted(name_of(obj) for obj in chosen.all_objects if obj.name_full in present))
    found += [(link.a, link.b) for link in getattr(row, "links", ())]
    return found
