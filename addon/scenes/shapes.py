"""Ready-made bodies and water: their meshes, material presets and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import bmesh
import bpy

from ..presets import MaterialPreset, material_named

# Edges are about 5 cm long for a body a metre across: fine enough to wrinkle, coarse enough to play in real time.
_AROUND, _ACROSS = 48, 16
_MATTRESS_CUTS = (20, 10, 2)
_CUBE_CELLS, _TRUSS_CELLS = 10, 8


def _ring(bm: bmesh.types.BMesh) -> None:
    """A torus with a tube radius of 0.17 m around a circle of radius 0.5 m."""
    from math import cos, pi, sin

    rows = [
        [bm.verts.new((
            (0.5 + 0.17 * cos(b)) * cos(a), (0.5 + 0.17 * cos(b)) * sin(a), 0.17 * sin(b)
        )) for b in (2.0 * pi * j / _ACROSS for j in range(_ACROSS))]
        for a in (2.0 * pi * i / _AROUND for i in range(_AROUND))
    ]
    for i, row in enumerate(rows):
        following = rows[(i + 1) % _AROUND]
        for j in range(_ACROSS):
            k = (j + 1) % _ACROSS
            bm.faces.new((row[j], following[j], following[k], row[k]))


def _ball(bm: bmesh.types.BMesh) -> None:
    """A ball with a radius of half a metre."""
    bmesh.ops.create_icosphere(bm, subdivisions=4, radius=0.5)


def _mattress(bm: bmesh.types.BMesh) -> None:
    """A flat box of 2 by 1 by 0.1 m, rounded by its air pressure."""
    _shell(bm, _MATTRESS_CUTS, (2.0, 1.0, 0.1))


def _dinghy(bm: bmesh.types.BMesh) -> None:
    """A rubber boat."""
    from .dinghy import dinghy

    dinghy(bm)


def _jelly(bm: bmesh.types.BMesh) -> None:
    """A cube of half a metre, its faces cut finely enough to bulge."""
    _shell(bm, (_CUBE_CELLS,) * 3, (0.5, 0.5, 0.5))


def _truss(bm: bmesh.types.BMesh) -> None:
    """A bridge of eight cubic cells of half a metre, to be pinned at both ends; every edge is a bar."""
    vertices = {at: bm.verts.new((0.5 * at[0] - 0.25 * _TRUSS_CELLS, 0.5 * at[1] - 0.25, 0.5 * at[2]))
              for at in _grid((_TRUSS_CELLS + 1, 2, 2))}
    offsets = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1))
    for at, vertex in vertices.items():
        for offset in offsets:
            neighbour = vertices.get(tuple(a + w for a, w in zip(at, offset, strict=True)))
            if neighbour is not None:
                bm.edges.new((vertex, neighbour))


def _crate(bm: bmesh.types.BMesh) -> None:
    """A box of 0.6 m, two cells a side."""
    _shell(bm, (2, 2, 2), (0.6, 0.6, 0.6))


def _barrel(bm: bmesh.types.BMesh) -> None:
    """An upright barrel, 0.6 m wide at its middle and 0.85 m high."""
    from math import cos, pi, sin

    staves, rows = 24, 8
    heights = [j / rows - 0.5 for j in range(rows + 1)]
    angles = [2.0 * pi * i / staves for i in range(staves)]
    rings = [
        [bm.verts.new(((0.3 - 0.22 * z * z) * cos(a), (0.3 - 0.22 * z * z) * sin(a), 0.85 * z)) for a in angles]
        for z in heights
    ]
    for lower, upper in zip(rings, rings[1:], strict=False):
        for i in range(staves):
            k = (i + 1) % staves
            bm.faces.new((lower[i], lower[k], upper[k], upper[i]))
    bm.faces.new(rings[0][::-1])
    bm.faces.new(rings[-1])


def _water(bm: bmesh.types.BMesh) -> None:
    """A horizontal square of 20 m."""
    bmesh.ops.create_grid(bm, x_segments=1, y_segments=1, size=10.0)


def _swarm(bm: bmesh.types.BMesh) -> None:
    """A box of 2 by 2 by 1 m, within which agents start."""
    _shell(bm, (1, 1, 1), (2.0, 2.0, 1.0))


def _grid(counts: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    nx, ny, nz = counts
    return ((i, j, k) for k in range(nz) for j in range(ny) for i in range(nx))


def _shell(
    bm: bmesh.types.BMesh, cells: tuple[int, int, int], size: tuple[float, float, float]
) -> dict[tuple[int, ...], bmesh.types.BMVert]:
    """Add the faces of a box, divided into cells and facing outwards; returns its vertices by grid index."""
    points: dict[tuple[int, ...], bmesh.types.BMVert] = {}

    def point(at: list[int]) -> bmesh.types.BMVert:
        key = tuple(at)
        if key not in points:
            points[key] = bm.verts.new([s * (a / c - 0.5) for a, c, s in zip(at, cells, size, strict=True)])
        return points[key]

    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (0, cells[axis]):
            for a in range(cells[u]):
                for b in range(cells[v]):
                    corners = []
                    for da, db in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        at = [0, 0, 0]
                        at[axis], at[u], at[v] = side, a + da, b + db
                        corners.append(point(at))
                    bm.faces.new(corners if side else corners[::-1])
    return points


class Shape(NamedTuple):
    """An entry of the menu: mesh, kind of body, and the settings that differ from the material preset.

    Attributes:
        label, tip, icon: as displayed; make: fills a BMesh; kind: as in `Object.flotsam`.
        material: a material preset, or empty; settings: (field of the kind's settings, value) at the default size.
        pins: whether the vertices at both ends along X are pinned; smooth: shaded smooth; loose: it has no faces.
    """

    label: str
    tip: str
    icon: str
    make: Callable[[bmesh.types.BMesh], None]
    kind: str = "SPRING_GRAPH"
    material: str = ""
    settings: tuple[tuple[str, object], ...] = ()
    pins: bool = False
    smooth: bool = True
    loose: bool = False


SHAPES = {
    "RING": Shape("Ring", "An inflated rubber ring", "MESH_TORUS", _ring, material="rubber_ring"),
    "BALL": Shape("Ball", "A beach ball", "MESH_ICOSPHERE", _ball, material="beach_ball"),
    "MATTRESS": Shape("Mattress", "An air mattress", "MESH_PLANE", _mattress, material="rubber_ring"),
    "DINGHY": Shape("Dinghy", "A rubber boat with an air floor", "OUTLINER_OB_CURVE", _dinghy, material="rubber_ring",
                    settings=(("area_density", 0.8), ("pressure", 2000.0), ("stiffness", 20000.0))),
    "JELLY": Shape(
        "Jelly Cube", "A cube of jelly: solid inside, it keeps its volume", "MESH_CUBE", _jelly, material="jelly",
        smooth=False,
    ),
    "TRUSS": Shape(
        "Truss", "A bridge of bars, pinned at both ends", "MOD_WIREFRAME", _truss,
        settings=(("graph", "EDGES"), ("stiffness", 1e5), ("damping", 20.0), ("mass", 100.0)), pins=True,
        smooth=False, loose=True,
    ),
    "CRATE": Shape(
        "Crate", "A wooden crate, rigid; it floats", "CUBE", _crate, kind="VOXEL_BODY", material="wood",
        settings=(("density", 300.0),), smooth=False,
    ),
    "BARREL": Shape(
        "Barrel", "A barrel, rigid; it rolls and floats", "MESH_CYLINDER", _barrel, kind="VOXEL_BODY",
        material="wood", settings=(("density", 350.0),),
    ),
    "FLOCK": Shape(
        "Flock", "Two hundred birds that start within a box; Add Instances gives them a body", "OUTLINER_OB_POINTCLOUD",
        _swarm, kind="FLOCK", settings=(("start_on", "VOLUME"), ("count", 200)), smooth=False,
    ),
    "WATER": Shape("Water", "A level of water", "MOD_OCEAN", _water, kind="WATER"),
}


def settings_of(shape: Shape, default_size: float, size: float) -> dict[str, Any]:
    """Settings of a shape scaled from its `default_size` [m] to `size` [m], by field.

    Raises:
        PresetError: its material preset is missing.
    """
    values = material_named(shape.material).values_at(default_size) if shape.material else {}
    values |= dict(shape.settings)
    return MaterialPreset("", "", "", values, shape.kind, size=default_size).values_at(size)


def mesh_of(shape: Shape) -> bpy.types.Mesh:
    """A new mesh of a shape, in its default size."""
    mesh, bm = bpy.data.meshes.new(shape.label), bmesh.new()
    try:
        shape.make(bm)
        bm.to_mesh(mesh)
    finally:
        bm.free()
    mesh.polygons.foreach_set("use_smooth", [shape.smooth] * len(mesh.polygons))
    mesh.update()
    return mesh
