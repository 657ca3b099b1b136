"""Vessels for fluids: glass tanks, bath tubs, plates and taps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from .looks import liquid as looks
from .mesh import mesh_from_arrays, new_object
from .plan import SceneError

if TYPE_CHECKING:
    import numpy as np

    from .liquid_plan import Vessel

# Thickness of a tank's walls, which must stop thrown crates, and of its base [m].
_WALL_THICKNESS, _BASE_THICKNESS = 0.06, 0.02
# Vertices around a tub or plate, and around a tap's pipe.
_AROUND, _PIPE = 48, 24


def add_vessels(vessels: tuple[Vessel, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Glass tanks, bath tubs, plates and taps; all but taps are colliders.

    Raises:
        SceneError: a shape is unknown.
    """
    made = []
    for piece in vessels:
        if piece.shape not in _SHAPES:
            raise SceneError(f"{piece.name!r} asks for the shape {piece.shape!r}; there are {', '.join(_SHAPES)}.")
        make, look = _SHAPES[piece.shape]
        vertices, faces, is_smooth = make(piece.size)
        mesh = mesh_from_arrays(piece.name, vertices, faces)
        mesh.polygons.foreach_set("use_smooth", [is_smooth] * len(mesh.polygons))
        if is_smooth:
            mesh.set_sharp_from_angle(angle=math.radians(50.0))
        obj = new_object(mesh, collection, look(piece.name, piece.colour))
        obj.location, obj.rotation_euler.z = piece.at, math.radians(piece.turn)
        if piece.shape != "tap":
            obj.flotsam.kind = "COLLIDER"
            obj.flotsam.collider.friction = 0.2
        made.append(obj)
    return made


def block(size: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """A box centred on the origin: vertices (8, 3), quads (6, 4) facing outwards."""
    import numpy as np

    unit = np.array([[x, y, z] for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return unit * size, np.array(quads)


def _tank(size: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray, bool]:
    """An open box with glass walls, base at z = 0; `size` is the inner size."""
    import numpy as np

    inner, quads = block(size)
    outer, _quads = block((size[0] + 2.0 * _WALL_THICKNESS, size[1] + 2.0 * _WALL_THICKNESS, size[2] + _BASE_THICKNESS))
    inner[:, 2] += 0.5 * size[2]
    outer[:, 2] += 0.5 * (size[2] - _BASE_THICKNESS)
    sides = np.delete(quads, 1, axis=0)
    rim = np.array([[4, 5], [5, 7], [7, 6], [6, 4]])
    edge = np.column_stack([rim, rim[:, ::-1] + 8])
    return np.concatenate([inner, outer]), np.concatenate([sides[:, ::-1], sides + 8, edge]), False


def _tub(size: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray, bool]:
    """A bath tub with a rolled rim, base at z = 0: a profile revolved around an oval."""
    # Fractions of the half axes and of the height: up the inside, over the rim, down the outside.
    inside = [(0.0, 0.08), (0.45, 0.08), (0.68, 0.1), (0.78, 0.16), (0.84, 0.3), (0.88, 0.6), (0.92, 0.92)]
    rim = [(0.95, 0.98), (1.04, 1.0), (1.14, 0.98), (1.16, 0.94), (1.12, 0.91)]
    outside = [(1.08, 0.85), (1.06, 0.55), (1.02, 0.25), (0.9, 0.05), (0.66, 0.0), (0.0, 0.0)]
    return (*turned(inside + rim + outside, size), True)


def _plate(size: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray, bool]:
    """A plate with a rim, base at z = 0."""
    section = [(0.0, 0.35), (0.6, 0.35), (0.68, 0.45), (0.98, 1.0), (1.0, 0.95), (0.97, 0.8), (0.66, 0.05), (0.0, 0.0)]
    return (*turned(section, size), True)


def _tap(size: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray, bool]:
    """A tap: a pipe that rises from its base, bends towards +X and ends pointing down."""
    import numpy as np

    radius, reach, height = 0.5 * size[1], size[0], size[2]
    bend = np.linspace(math.pi, 0.0, 15)
    along = [(0.0, 0.0), *((0.5 * reach * (1.0 + math.cos(a)), height - 0.5 * reach + 0.5 * reach * math.sin(a))
                           for a in bend), (reach, height - 0.75 * reach)]
    path = np.array(along)
    tangents = np.gradient(path, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    angle = 2.0 * np.pi * np.arange(_PIPE) / _PIPE
    rings = [
        np.stack([
            x - radius * np.cos(angle) * dz, radius * np.sin(angle), z + radius * np.cos(angle) * dx,
        ], axis=1) for (x, z), (dx, dz) in zip(path, tangents, strict=True)
    ]
    vertices = np.concatenate(rings)
    rows = np.arange(len(path) - 1)[:, None] * _PIPE
    here, beside = np.arange(_PIPE)[None, :], (np.arange(_PIPE)[None, :] + 1) % _PIPE
    faces = np.stack((rows + here, rows + _PIPE + here, rows + _PIPE + beside, rows + beside), axis=-1).reshape(-1, 4)
    return vertices, faces, True


def turned(
    section: list[tuple[float, float]], size: tuple[float, float, float], around: int = _AROUND
) -> tuple[np.ndarray, np.ndarray]:
    """A solid of revolution around Z; the profile is closed on the axis at both ends.

    Args:
        section: profile points (fraction of the half axes, fraction of the height).
        size: both axes and height [m]; around: vertices around Z.

    Returns:
        Vertices (n, 3), triangles (t, 3) that face outwards if the profile starts at the top and ends at the bottom.
    """
    import numpy as np

    angle, rings = 2.0 * np.pi * np.arange(around) / around, section[1:-1]
    vertices = [
        np.stack(
            [0.5 * size[0] * r * np.cos(angle), 0.5 * size[1] * r * np.sin(angle), np.full(around, size[2] * z)], 1
        )
        for r, z in rings
    ]
    ends = np.array([[0.0, 0.0, size[2] * section[0][1]], [0.0, 0.0, size[2] * section[-1][1]]])
    rows = np.arange(len(rings) - 1)[:, None] * around
    here, beside = np.arange(around)[None, :], (np.arange(around)[None, :] + 1) % around
    quads = np.stack((rows + here, rows + around + here, rows + around + beside, rows + beside), axis=-1)
    last, count = (len(rings) - 1) * around, len(rings) * around
    cap = np.concatenate([
        np.stack([np.full(around, count), here[0], beside[0]], axis=1),
        np.stack([np.full(around, count + 1), last + beside[0], last + here[0]], axis=1),
    ])
    triangles = np.concatenate([quads.reshape(-1, 4)[:, [0, 1, 2]], quads.reshape(-1, 4)[:, [0, 2, 3]], cap])
    return np.concatenate([*vertices, ends]), triangles


_SHAPES = {
    "tank": (_tank, looks.glass), "tub": (_tub, looks.glaze), "plate": (_plate, looks.glaze),
    "tap": (_tap, lambda name, tint: looks.glaze(name, tint, 0.08)),
}
