"""Birds, fish and ducks: small meshes that face +Y, one for each pose of a wing beat or tail beat.

Lengths are fractions of the creature's length.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from .looks.shading import colour, new_material
from .mesh import mesh_from_arrays

if TYPE_CHECKING:
    import numpy as np

POSES = 8
# Rings along a body, and vertices of each.
_RINGS, _CORNERS = 12, 10

Part = tuple["np.ndarray", "np.ndarray"]


def poses_of(creature: str, scale: float) -> list[bpy.types.Object]:
    """Objects with the poses of one beat, in order, then the rest pose of creatures that land; a duck has one pose."""
    make = {"starling": _starling, "fish": _fish, "shark": _shark}.get(creature)
    if make is None:
        shown = _duck(scale, creature == "duckling")
        return [bpy.data.objects.new(creature.title(), shown)]
    material = _MATERIALS[creature](creature.title())
    poses = []
    for pose in range(POSES):
        parts = make(2.0 * math.pi * pose / POSES)
        mesh = _mesh(creature.title(), parts, scale, material)
        poses.append(bpy.data.objects.new(f"{creature.title()} {pose}", mesh))
    if creature in REST:
        mesh = _mesh(creature.title(), REST[creature](), scale, material)
        poses.append(bpy.data.objects.new(f"{creature.title()} Rest", mesh))
    return poses


def _mesh(name: str, parts: list[Part], scale: float, material: bpy.types.Material) -> bpy.types.Mesh:
    import numpy as np

    starts = np.cumsum([0, *(len(vertices) for vertices, _faces in parts)])
    vertices = scale * np.concatenate([vertices for vertices, _faces in parts])
    faces = np.concatenate([faces + start for (_vertices, faces), start in zip(parts, starts, strict=False)])
    mesh = mesh_from_arrays(name, vertices, faces)
    mesh.materials.append(material)
    return mesh


def _body(radii: list[float], height_ratio: float) -> Part:
    """A tube of triangles along Y from nose to tail; args: radii along X; height_ratio: radii along Z over those."""
    import numpy as np

    along = np.linspace(0.5, -0.5, _RINGS)
    size = np.interp(np.linspace(0.0, 1.0, _RINGS), np.linspace(0.0, 1.0, len(radii)), radii)
    angle = 2.0 * np.pi * np.arange(_CORNERS) / _CORNERS
    x, z = size[:, None] * np.cos(angle), height_ratio * size[:, None] * np.sin(angle)
    vertices = np.stack([x, np.broadcast_to(along[:, None], x.shape), z], axis=-1).reshape(-1, 3)
    ring, corner = np.meshgrid(np.arange(_RINGS - 1), np.arange(_CORNERS), indexing="ij")
    a = (ring * _CORNERS + corner).ravel()
    b = (ring * _CORNERS + (corner + 1) % _CORNERS).ravel()
    return vertices, np.concatenate([np.stack([a, b, b + _CORNERS], 1), np.stack([a, b + _CORNERS, a + _CORNERS], 1)])


def _sheet(*corners: tuple[float, float, float]) -> Part:
    """A flat fin or feather of three or more corners, as a triangle fan."""
    import numpy as np

    return np.array(corners), np.array([[0, k, k + 1] for k in range(1, len(corners) - 1)])


def _starling(phase: float) -> list[Part]:
    """Pointed wings that bend at the wrist, a short tail."""
    parts = [_body([0.01, 0.07, 0.11, 0.12, 0.1, 0.06, 0.03], 0.9)]
    parts.append(_sheet((0.0, -0.38, 0.0), (0.11, -0.66, 0.0), (0.0, -0.62, 0.0), (-0.11, -0.66, 0.0)))
    inner, outer = 0.15 + 0.62 * math.sin(phase), 0.1 + 0.85 * math.sin(phase - 0.8)
    for side in (1.0, -1.0):
        wrist = (side * (0.08 + 0.36 * math.cos(inner)), 0.26, 0.04 + 0.36 * math.sin(inner))
        back = (wrist[0], -0.1, wrist[2])
        tip = (wrist[0] + side * 0.52 * math.cos(outer), 0.0, wrist[2] + 0.52 * math.sin(outer))
        parts.append(_sheet((side * 0.05, 0.22, 0.04), wrist, back, (side * 0.05, -0.16, 0.04)))
        parts.append(_sheet(wrist, tip, back))
    return parts


def _sitting_starling() -> list[Part]:
    """Wings folded along the back, their tips crossed above the tail; the breast raised."""
    import numpy as np

    parts = _starling(0.0)[:2]
    for side in (1.0, -1.0):
        shoulder, elbow = (side * 0.06, 0.27, 0.05), (side * 0.14, 0.05, 0.02)
        parts.append(_sheet(shoulder, elbow, (side * 0.1, -0.2, 0.03), (-side * 0.02, -0.62, 0.06)))
        parts.append(_sheet(shoulder, (-side * 0.02, -0.62, 0.06), (side * 0.02, -0.1, 0.12)))
    c, s = math.cos(0.6), math.sin(0.6)
    return [(vertices @ np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]]), faces) for vertices, faces in parts]


def _wagging(parts: list[Part], phase: float, amplitude: float) -> list[Part]:
    """Parts bent sideways by a wave that travels towards the tail with growing amplitude."""
    import numpy as np

    wagged = []
    for vertices, faces in parts:
        distance = 0.5 - vertices[:, 1]
        bent = vertices.copy()
        bent[:, 0] += amplitude * (0.15 + distance**2) * np.sin(phase - 4.0 * distance)
        wagged.append((bent, faces))
    return wagged


def _fish(phase: float) -> list[Part]:
    """A slim fish with a forked tail and a dorsal fin."""
    parts = [
        _body([0.015, 0.055, 0.08, 0.085, 0.07, 0.045, 0.015], 2.0),
        _sheet((0.0, -0.44, 0.0), (0.0, -0.68, 0.17), (0.0, -0.56, 0.0)),
        _sheet((0.0, -0.44, 0.0), (0.0, -0.56, 0.0), (0.0, -0.68, -0.17)),
        _sheet((0.0, 0.14, 0.15), (0.0, -0.06, 0.25), (0.0, -0.2, 0.1)),
    ]
    return _wagging(parts, phase, 0.13)


def _shark(phase: float) -> list[Part]:
    """A long grey body, pectoral fins, a dorsal fin, a high tail."""
    parts = [
        _body([0.01, 0.055, 0.08, 0.09, 0.08, 0.055, 0.03, 0.012], 1.05),
        _sheet((0.0, -0.43, 0.0), (0.0, -0.68, 0.24), (0.0, -0.54, 0.02)),
        _sheet((0.0, -0.45, 0.0), (0.0, -0.54, 0.02), (0.0, -0.6, -0.12)),
        _sheet((0.0, 0.13, 0.08), (0.0, -0.06, 0.24), (0.0, -0.05, 0.08)),
    ]
    for side in (1.0, -1.0):
        parts.append(_sheet((side * 0.06, 0.2, -0.04), (side * 0.3, 0.0, -0.12), (side * 0.07, 0.06, -0.04)))
    return _wagging(parts, phase, 0.09)


def _duck(scale: float, is_young: bool) -> bpy.types.Mesh:
    """A round body, a head, a beak and a tail: yellow for ducklings, brown and cream for adults."""
    import numpy as np

    down, beak = ("#ffd23c", "#ff8a1f") if is_young else ("#8a6a48", "#d9a441")
    head_size = 0.17 if is_young else 0.13
    head = (0.0, 0.27, 0.36) if is_young else (0.0, 0.33, 0.4)
    body, round_head = _body([0.03, 0.2, 0.25, 0.26, 0.23, 0.14, 0.03], 0.8), _ball(head_size)
    bill = _body([0.004, 0.02, 0.035, 0.04], 0.55)
    parts = [
        (body[0] + [0.0, 0.0, 0.08], body[1]), (round_head[0] + head, round_head[1]),
        _sheet((0.0, -0.35, 0.16), (0.09, -0.58, 0.25), (-0.09, -0.58, 0.25)),
        (bill[0] * [1.0, 0.16, 1.0] + [head[0], head[1] + head_size + 0.03, head[2] - 0.02], bill[1]),
    ]
    mesh = _mesh("Duckling" if is_young else "Duck", parts, scale, _plain(f"{down} Down", down, 0.9))
    mesh.materials.append(_plain(f"{beak} Beak", beak, 0.4))
    mesh.materials.append(_plain("Eye", "#0c0a08", 0.2))
    eye = _ball(0.028)
    faces_before = sum(len(faces) for _vertices, faces in parts[:3])
    is_bill = np.arange(len(mesh.polygons)) >= faces_before
    mesh.polygons.foreach_set("material_index", is_bill.astype(np.int32))
    eyes = [(eye[0] + [side * 0.8 * head_size, head[1] + 0.5 * head_size, head[2] + 0.05], eye[1])
            for side in (1.0, -1.0)]
    return _joined(mesh, eyes, scale)


def _joined(mesh: bpy.types.Mesh, parts: list[Part], scale: float) -> bpy.types.Mesh:
    """The mesh, with parts added that have its last material."""
    import bmesh

    bm = bmesh.new()
    bm.from_mesh(mesh)
    for vertices, faces in parts:
        corners = [bm.verts.new(scale * vertex) for vertex in vertices]
        for face in faces:
            bm_face = bm.faces.new([corners[k] for k in face])
            bm_face.material_index, bm_face.smooth = len(mesh.materials) - 1, True
    bm.to_mesh(mesh)
    bm.free()
    return mesh


def _ball(radius: float) -> Part:
    import numpy as np

    angle = np.linspace(0.0, np.pi, _RINGS)
    skin, faces = _body([1.0], 1.0)
    rows = skin.reshape(_RINGS, _CORNERS, 3).copy()
    rows[:, :, [0, 2]] *= np.sin(angle)[:, None, None]
    rows[:, :, 1] = np.cos(angle)[:, None]
    return radius * rows.reshape(-1, 3), faces


def _plain(name: str, code: str, roughness: float) -> bpy.types.Material:
    material, shading = new_material(name)
    shader = shading.node("ShaderNodeBsdfPrincipled", {"Base Color": colour(code), "Roughness": roughness})
    shading.surface(shader.outputs[0])
    material.diffuse_color = colour(code)
    return material


def _feathers(name: str) -> bpy.types.Material:
    return _plain(name, "#17131a", 0.45)


def _scales(name: str) -> bpy.types.Material:
    """Orange to gold, different for each fish, with a pale belly."""
    material, shading = new_material(name)
    random = shading.node("ShaderNodeObjectInfo").outputs["Random"]
    back = shading.mix(random, colour("#ff5a1c"), colour("#ffb52e"))
    _x, _y, up = shading.split(shading.coordinates("Object"))
    skin = shading.mix(shading.step(up, -0.02, 0.0), colour("#fff0dc"), back)
    shader = shading.node("ShaderNodeBsdfPrincipled", {"Base Color": skin, "Roughness": 0.3})
    shading.surface(shader.outputs[0])
    material.diffuse_color = colour("#ff7a22")
    return material


def _hide(name: str) -> bpy.types.Material:
    """Slate above, white below."""
    material, shading = new_material(name)
    _x, _y, up = shading.split(shading.coordinates("Object"))
    skin = shading.mix(shading.step(up, -0.06, 0.02), colour("#e8eef0"), colour("#4b5f6b"))
    shader = shading.node("ShaderNodeBsdfPrincipled", {"Base Color": skin, "Roughness": 0.4})
    shading.surface(shader.outputs[0])
    material.diffuse_color = colour("#4b5f6b")
    return material


# Poses of creatures that have landed.
REST = {"starling": _sitting_starling}
_MATERIALS = {"starling": _feathers, "fish": _scales, "shark": _hide}
