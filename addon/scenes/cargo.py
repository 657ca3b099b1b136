"""Rigid cargo: crates, barrels and buoys that float, cardboard boxes; and a quay that they knock against."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from .looks import timber
from .looks.buoy import buoy
from .looks.cardboard import cardboard
from .mesh import place
from .plan import Cargo, Quay, SceneError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import bmesh
    import numpy as np

# Of a crate's side, how wide its frame is, and how deep the boards lie in it.
_FRAME, _DEPTH = 0.13, 0.035
# Of a barrel, round it and along it.
_STAVES, _ROWS = 32, 12


def add_cargo(
    cargo: tuple[Cargo, ...], collection: bpy.types.Collection, rides: bool = False
) -> list[bpy.types.Object]:
    """Crates, barrels, cartons, buoys; those of one shape share one mesh, and those of one size their voxels too.

    Args: rides: whether they float on waves, and so are wet about their own middle.

    Raises:
        SceneError: a shape is unknown.
    """
    meshes: dict[str, bpy.types.Mesh] = {}
    made = []
    for piece in cargo:
        _refuse_unknown(piece, tuple(_MAKERS))
        if piece.shape not in meshes:
            mesh = _MAKERS[piece.shape]()
            mesh.materials.append(_SKINS[piece.shape](rides))
            meshes[piece.shape] = mesh
        thing = place(meshes[piece.shape], collection, None)
        thing.name = piece.name
        thing.location, thing.scale = piece.at, [piece.size * share for share in piece.stretch]
        thing.rotation_euler = [math.radians(angle) for angle in piece.tilt]
        thing.color = (*piece.stain, 1.0)
        thing.flotsam.kind = "VOXEL_BODY"
        thing.flotsam.voxel_body.density = piece.density
        thing.flotsam.voxel_body.friction = 0.4
        made.append(thing)
    return made


def add_quay(quays: tuple[Quay, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Blocks of stone, decks of boards and wooden piles, all of them colliders.

    Raises:
        SceneError: a shape is unknown.
    """
    made = []
    for quay in quays:
        _refuse_unknown(quay, tuple(_LOOKS))
        mesh = _pile(quay.name, quay.size) if quay.shape == "pile" else _box(quay.name, quay.size)
        thing = place(mesh, collection, _LOOKS[quay.shape](f"{quay.name} {quay.shape.title()}"))
        thing.location = quay.at
        thing.color = _STAINS[quay.shape]
        thing.flotsam.kind = "COLLIDER"
        made.append(thing)
    return made


def _refuse_unknown(piece: Cargo | Quay, shapes: tuple[str, ...]) -> None:
    if piece.shape not in shapes:
        raise SceneError(f"{piece.name!r} asks for the shape {piece.shape!r}; there are {', '.join(shapes)}.")


def _crate() -> bpy.types.Mesh:
    """A cube of 1 m whose six sides are boards within a frame."""
    import bmesh

    mesh, made = bpy.data.meshes.new("Crate"), bmesh.new()
    bmesh.ops.create_cube(made, size=1.0)
    bmesh.ops.inset_individual(made, faces=made.faces[:], thickness=_FRAME, depth=0.0)
    bmesh.ops.inset_individual(made, faces=_sides(made), thickness=0.012, depth=-_DEPTH)
    made.to_mesh(mesh)
    made.free()
    return mesh


def _sides(made: bmesh.types.BMesh) -> list[bmesh.types.BMFace]:
    """The faces in the middle of a cube's sides."""
    return [face for face in made.faces if sorted(abs(k) for k in face.calc_center_median())[1] < 1e-4]


def _carton() -> bpy.types.Mesh:
    """A cube of 1 m with broken edges."""
    return _box("Carton", (1.0, 1.0, 1.0), 0.015)


def _barrel() -> bpy.types.Mesh:
    """A barrel 1 m high with sunken heads, upright."""
    import numpy as np

    z = np.linspace(-0.5, 0.5, _ROWS + 1)
    belly = 0.36 - 0.32 * z**2
    # At both ends the chime, and its inner side down to the sunken head.
    rings = np.vstack((
        [(0.235, -0.46), (0.25, -0.5)], np.stack((belly, z), axis=1), [(0.25, 0.5), (0.235, 0.46)],
    ))
    return _turned("Barrel", rings)


def _buoy() -> bpy.types.Mesh:
    """A buoy 1 m high: a flat float 0.8 m across, on it a post with a lamp."""
    return _turned("Buoy", [
        (0.2, -0.32), (0.36, -0.25), (0.4, -0.17), (0.4, -0.09), (0.37, -0.05), (0.16, 0.02), (0.08, 0.1),
        (0.06, 0.48), (0.105, 0.5), (0.105, 0.64), (0.07, 0.68),
    ])


def _turned(name: str, profile: Sequence[tuple[float, float]] | np.ndarray) -> bpy.types.Mesh:
    """A body turned about Z with flat ends, from (radius, height) of its rings from below [m]."""
    import numpy as np

    rings = np.asarray(profile)
    turn = 2.0 * np.pi * np.arange(_STAVES) / _STAVES
    vertices = np.stack((
        rings[:, :1] * np.cos(turn), rings[:, :1] * np.sin(turn), np.repeat(rings[:, 1:], _STAVES, axis=1),
    ), axis=-1).reshape(-1, 3)
    mesh = bpy.data.meshes.new(name)
    rows = np.arange(len(rings) - 1)[:, None] * _STAVES
    here, beside = np.arange(_STAVES)[None, :], (np.arange(_STAVES)[None, :] + 1) % _STAVES
    faces = np.stack((rows + here, rows + beside, rows + _STAVES + beside, rows + _STAVES + here), axis=-1)
    last = (len(rings) - 1) * _STAVES
    lids = [list(range(_STAVES))[::-1], list(range(last, last + _STAVES))]
    mesh.from_pydata(vertices.tolist(), [], faces.reshape(-1, 4).tolist() + lids)
    mesh.polygons.foreach_set("use_smooth", [True] * len(faces.reshape(-1, 4)) + [False] * 2)
    mesh.set_sharp_from_angle(angle=math.radians(40.0))
    mesh.update()
    return mesh


def _box(name: str, size: tuple[float, float, float], bevel: float = 0.03) -> bpy.types.Mesh:
    """A block with broken edges, so wide [m]."""
    import bmesh

    mesh, made = bpy.data.meshes.new(name), bmesh.new()
    bmesh.ops.create_cube(made, size=1.0)
    bmesh.ops.scale(made, vec=size, verts=made.verts)
    bmesh.ops.bevel(made, geom=made.edges[:], offset=bevel, segments=1, affect="EDGES")
    made.to_mesh(mesh)
    made.free()
    return mesh


def _pile(name: str, size: tuple[float, float, float]) -> bpy.types.Mesh:
    """An upright post of (diameter, diameter, height)."""
    import bmesh

    mesh, made = bpy.data.meshes.new(name), bmesh.new()
    bmesh.ops.create_cone(
        made, cap_ends=True, segments=16, radius1=0.5 * size[0], radius2=0.46 * size[1], depth=size[2],
    )
    made.to_mesh(mesh)
    made.free()
    mesh.polygons.foreach_set("use_smooth", [len(polygon.vertices) == 4 for polygon in mesh.polygons])
    mesh.set_sharp_from_angle(angle=math.radians(40.0))
    return mesh


# A post is tarred, boards of a deck are bleached.
_STAINS = {"stone": (1.0, 1.0, 1.0, 1.0), "deck": (1.0, 0.93, 0.82, 1.0), "pile": (0.5, 0.45, 0.4, 1.0)}
_LOOKS = {"stone": timber.masonry, "deck": timber.planks, "pile": timber.pile}
_MAKERS = {"crate": _crate, "barrel": _barrel, "carton": _carton, "buoy": _buoy}
_SKINS = {
    "crate": lambda rides: timber.planks("Crate Wood", rides),
    "barrel": lambda rides: timber.staves("Barrel Oak", rides),
    "carton": lambda _rides: cardboard("Cardboard"), "buoy": lambda _rides: buoy("Buoy Paint"),
}
