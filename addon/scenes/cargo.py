"""Rigid cargo: floating crates, barrels and buoys, cardboard boxes; and a quay that they collide with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from .looks import timber
from .looks.buoy import buoy
from .looks.cardboard import cardboard
from .mesh import new_object
from .plan import Cargo, Quay, SceneError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import bmesh
    import numpy as np

# Width of the frame on a crate's side, and depth of the boards within it, as fractions of the side.
_FRAME_WIDTH, _FRAME_DEPTH = 0.13, 0.035
# Faces of a barrel around it and along it.
_STAVES, _ROWS = 32, 12


def add_cargo(
    cargo: tuple[Cargo, ...], collection: bpy.types.Collection, rides: bool = False
) -> list[bpy.types.Object]:
    """Crates, barrels, cartons, buoys; those of the same shape share one mesh, and of the same size their voxels too.

    Args: rides: whether they float on waves, and so are wet around their own middle.

    Raises:
        SceneError: a shape is unknown.
    """
    meshes: dict[str, bpy.types.Mesh] = {}
    made = []
    for piece in cargo:
        _refuse_unknown(piece, tuple(_MAKERS))
        if piece.shape not in meshes:
            mesh = _MAKERS[piece.shape]()
            mesh.materials.append(_MATERIALS[piece.shape](rides))
            meshes[piece.shape] = mesh
        obj = new_object(meshes[piece.shape], collection, None)
        obj.name = piece.name
        obj.location, obj.scale = piece.at, [piece.size * factor for factor in piece.stretch]
        obj.rotation_euler = [math.radians(angle) for angle in piece.tilt]
        obj.color = (*piece.stain, 1.0)
        obj.flotsam.kind = "VOXEL_BODY"
        obj.flotsam.voxel_body.density = piece.density
        obj.flotsam.voxel_body.friction = 0.4
        made.append(obj)
    return made


def add_quay(quays: tuple[Quay, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Blocks of stone, decks of boards and wooden piles, all of them colliders.

    Raises:
        SceneError: a shape is unknown.
    """
    made = []
    for quay in quays:
        _refuse_unknown(quay, tuple(_QUAY_MATERIALS))
        mesh = _pile(quay.name, quay.size) if quay.shape == "pile" else _box(quay.name, quay.size)
        obj = new_object(mesh, collection, _QUAY_MATERIALS[quay.shape](f"{quay.name} {quay.shape.title()}"))
        obj.location = quay.at
        obj.color = _STAINS[quay.shape]
        obj.flotsam.kind = "COLLIDER"
        made.append(obj)
    return made


def _refuse_unknown(piece: Cargo | Quay, shapes: tuple[str, ...]) -> None:
    if piece.shape not in shapes:
        raise SceneError(f"{piece.name!r} asks for the shape {piece.shape!r}; there are {', '.join(shapes)}.")


def _crate() -> bpy.types.Mesh:
    """A cube of 1 m; each side is a frame around inset boards."""
    import bmesh

    mesh, bm = bpy.data.meshes.new("Crate"), bmesh.new()
    bmesh.ops.create_cube(bm, size=1.0)
    bmesh.ops.inset_individual(bm, faces=bm.faces[:], thickness=_FRAME_WIDTH, depth=0.0)
    bmesh.ops.inset_individual(bm, faces=_sides(bm), thickness=0.012, depth=-_FRAME_DEPTH)
    bm.to_mesh(mesh)
    bm.free()
    return mesh


def _sides(bm: bmesh.types.BMesh) -> list[bmesh.types.BMFace]:
    """The faces at the centre of each of a cube's sides."""
    return [face for face in bm.faces if sorted(abs(k) for k in face.calc_center_median())[1] < 1e-4]


def _carton() -> bpy.types.Mesh:
    """A cube of 1 m with bevelled edges."""
    return _box("Carton", (1.0, 1.0, 1.0), 0.015)


def _barrel() -> bpy.types.Mesh:
    """An upright barrel, 1 m high, with recessed heads."""
    import numpy as np

    z = np.linspace(-0.5, 0.5, _ROWS + 1)
    radii = 0.36 - 0.32 * z**2
    # At both ends the chime, and its inner side down to the recessed head.
    profile = np.vstack((
        [(0.235, -0.46), (0.25, -0.5)], np.stack((radii, z), axis=1), [(0.25, 0.5), (0.235, 0.46)],
    ))
    return _revolved("Barrel", profile)


def _buoy() -> bpy.types.Mesh:
    """A buoy 1 m high: a flat float 0.8 m across, with a post and a lamp on it."""
    return _revolved("Buoy", [
        (0.2, -0.32), (0.36, -0.25), (0.4, -0.17), (0.4, -0.09), (0.37, -0.05), (0.16, 0.02), (0.08, 0.1),
        (0.06, 0.48), (0.105, 0.5), (0.105, 0.64), (0.07, 0.68),
    ])


def _revolved(name: str, rings: Sequence[tuple[float, float]] | np.ndarray) -> bpy.types.Mesh:
    """A solid of revolution around Z with flat ends; rings: (radius, height) of each, from below [m]."""
    import numpy as np

    profile = np.asarray(rings)
    angle = 2.0 * np.pi * np.arange(_STAVES) / _STAVES
    vertices = np.stack((
        profile[:, :1] * np.cos(angle), profile[:, :1] * np.sin(angle), np.repeat(profile[:, 1:], _STAVES, axis=1),
    ), axis=-1).reshape(-1, 3)
    mesh = bpy.data.meshes.new(name)
    rows = np.arange(len(profile) - 1)[:, None] * _STAVES
    here, beside = np.arange(_STAVES)[None, :], (np.arange(_STAVES)[None, :] + 1) % _STAVES
    faces = np.stack((rows + here, rows + beside, rows + _STAVES + beside, rows + _STAVES + here), axis=-1)
    last = (len(profile) - 1) * _STAVES
    lids = [list(range(_STAVES))[::-1], list(range(last, last + _STAVES))]
    mesh.from_pydata(vertices.tolist(), [], faces.reshape(-1, 4).tolist() + lids)
    mesh.polygons.foreach_set("use_smooth", [True] * len(faces.reshape(-1, 4)) + [False] * 2)
    mesh.set_sharp_from_angle(angle=math.radians(40.0))
    mesh.update()
    return mesh


def _box(name: str, size: tuple[float, float, float], bevel: float = 0.03) -> bpy.types.Mesh:
    """A block with bevelled edges; args: size and bevel [m]."""
    import bmesh

    mesh, bm = bpy.data.meshes.new(name), bmesh.new()
    bmesh.ops.create_cube(bm, size=1.0)
    bmesh.ops.scale(bm, vec=size, verts=bm.verts)
    bmesh.ops.bevel(bm, geom=bm.edges[:], offset=bevel, segments=1, affect="EDGES")
    bm.to_mesh(mesh)
    bm.free()
    return mesh


def _pile(name: str, size: tuple[float, float, float]) -> bpy.types.Mesh:
    """An upright post; args: size: (diameter, diameter, height) [m]."""
    import bmesh

    mesh, bm = bpy.data.meshes.new(name), bmesh.new()
    bmesh.ops.create_cone(
        bm, cap_ends=True, segments=16, radius1=0.5 * size[0], radius2=0.46 * size[1], depth=size[2],
    )
    bm.to_mesh(mesh)
    bm.free()
    mesh.polygons.foreach_set("use_smooth", [len(polygon.vertices) == 4 for polygon in mesh.polygons])
    mesh.set_sharp_from_angle(angle=math.radians(40.0))
    return mesh


# Multiplied with the material: posts are tarred, the boards of a deck are bleached.
_STAINS = {"stone": (1.0, 1.0, 1.0, 1.0), "deck": (1.0, 0.93, 0.82, 1.0), "pile": (0.5, 0.45, 0.4, 1.0)}
_QUAY_MATERIALS = {"stone": timber.masonry, "deck": timber.planks, "pile": timber.pile}
_MAKERS = {"crate": _crate, "barrel": _barrel, "carton": _carton, "buoy": _buoy}
_MATERIALS = {
    "crate": lambda rides: timber.planks("Crate Wood", rides),
    "barrel": lambda rides: timber.staves("Barrel Oak", rides),
    "carton": lambda _rides: cardboard("Cardboard"), "buoy": lambda _rides: buoy("Buoy Paint"),
}
