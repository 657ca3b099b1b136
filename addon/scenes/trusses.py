"""Trusses: a bridge that lorries cross, and a vehicle whose wheels are shaken by noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..names import MODIFIER, PIN_GROUP
from .looks import bars
from .mesh import new_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from .plan import Timing
    from .studio_plan import Bridge, Chassis, Lorry


def add_bridge(piece: Bridge, look: bpy.types.Material, collection: bpy.types.Collection) -> bpy.types.Object:
    """Two Pratt trusses with a deck between their lower chords."""
    import numpy as np

    low = {(i, s): 2 * i + s for i in range(piece.panels + 1) for s in (0, 1)}
    high = {(i, s): len(low) + 2 * (i - 1) + s for i in range(1, piece.panels) for s in (0, 1)}
    points = np.empty((len(low) + len(high), 3))
    for nodes, z in ((low, 0.0), (high, piece.height)):
        for (i, s), number in nodes.items():
            points[number] = (i - 0.5 * piece.panels) * piece.panel, (s - 0.5) * piece.width, z
    sides: list[tuple[int, int]] = []
    for s in (0, 1):
        sides += [(low[i, s], low[i + 1, s]) for i in range(piece.panels)]
        sides += [(high[i, s], high[i + 1, s]) for i in range(1, piece.panels - 1)]
        sides += [(low[i, s], high[i, s]) for i in range(1, piece.panels)]
        sides += [(low[0, s], high[1, s]), (low[piece.panels, s], high[piece.panels - 1, s])]
        # Diagonals slope down towards the middle, so that they are in tension.
        for i in range(1, piece.panels - 1):
            falls = 2 * i < piece.panels
            sides.append((high[i, s], low[i + 1, s]) if falls else (low[i, s], high[i + 1, s]))
    for nodes, first, last in ((low, 0, piece.panels), (high, 1, piece.panels - 1)):
        sides += [(nodes[i, 0], nodes[i, 1]) for i in range(first, last + 1)]
        sides += [(nodes[i, a], nodes[i + 1, 1 - a]) for i in range(first, last) for a in (0, 1)]
    deck = [(low[i, 0], low[i + 1, 0], low[i + 1, 1], low[i, 1]) for i in range(piece.panels)]
    bridge = _truss(piece.name, points, sides, deck, collection)
    bridge.data.materials.append(bars.plain(f"{piece.name} Deck", "#5a5650", 0.8))
    bridge.location = piece.at
    _make_soft_body(bridge, piece.stiffness, piece.mass, [low[i, s] for i in (0, piece.panels) for s in (0, 1)])
    settings = bridge.flotsam.spring_graph
    settings.break_strain, settings.damping, settings.friction = piece.break_strain, 0.002 * piece.stiffness, 0.0
    bars.add_bars(bridge, piece.bar, 1.0 + 2.0 * piece.break_strain, look)
    return bridge


def add_lorry(piece: Lorry, collection: bpy.types.Collection) -> bpy.types.Object:
    """A lorry of blocks that slides without friction; its wheels do not turn."""
    import bmesh
    from mathutils import Matrix, Vector

    mesh, bm = bpy.data.meshes.new(piece.name), bmesh.new()
    blocks = ((3.4, 1.7, 0.25), (0, 0, 0.6)), ((2.2, 1.7, 0.9), (-0.6, 0, 1.2)), ((0.9, 1.6, 1.3), (1.2, 0, 1.4))
    for size, at in blocks:
        block = bmesh.ops.create_cube(bm, size=1.0)["verts"]
        bmesh.ops.transform(bm, matrix=Matrix.LocRotScale(Vector(at), None, Vector(size)), verts=block)
    for x in (-1.2, 1.2):
        for y in (-0.65, 0.65):
            turned = Matrix.Translation((x, y, 0.23)) @ Matrix.Rotation(1.5707963, 4, "X")
            bmesh.ops.create_cone(
                bm, cap_ends=True, segments=16, radius1=0.23, radius2=0.23, depth=0.3, matrix=turned
            )
    volume = abs(bm.calc_volume(signed=True))
    bm.to_mesh(mesh)
    bm.free()
    lorry = new_object(mesh, collection, bars.plain(f"{piece.name} Paint", piece.colour, 0.35))
    tyre = bars.plain("Tyre", "#17181a", 0.8)
    mesh.materials.append(tyre)
    for polygon in mesh.polygons:
        polygon.material_index = int(polygon.center.z < 0.47)
    lorry.location = piece.at
    lorry.flotsam.kind = "VOXEL_BODY"
    settings = lorry.flotsam.voxel_body
    settings.density, settings.friction, settings.velocity = piece.mass / volume, 0.0, (piece.speed, 0.0, 0.0)
    return lorry


def add_chassis(
    piece: Chassis, timing: Timing, look: bpy.types.Material, collection: bpy.types.Collection
) -> list[bpy.types.Object]:
    """A frame of bars, connected by soft springs to four hubs; the hubs are pins that noise moves."""
    import numpy as np

    wide, long, high = 0.5 * piece.size[0], piece.size[1] / 4.0, piece.size[2]
    low = {(i, s): 2 * i + s for i in range(5) for s in (0, 1)}
    top = {(i, s): 10 + 2 * (i - 1) + s for i in range(1, 4) for s in (0, 1)}
    points = [(wide * (2 * s - 1), long * (i - 2), 0.25) for i, s in low]
    points += [(0.8 * wide * (2 * s - 1), long * (i - 2) * 0.8, 0.25 + high) for i, s in top]
    hubs = {(i, s): 16 + k for k, (i, s) in enumerate((i, s) for i in (0, 4) for s in (0, 1))}
    points += [(1.45 * wide * (2 * s - 1), 0.8 * long * (i - 2), 0.0) for i, s in hubs]
    sides = [(low[i, 0], low[i, 1]) for i in range(5)] + [(top[i, 0], top[i, 1]) for i in range(1, 4)]
    for s in (0, 1):
        sides += [(low[i, s], low[i + 1, s]) for i in range(4)] + [(top[i, s], top[i + 1, s]) for i in (1, 2)]
        sides += [(low[i, s], top[i, s]) for i in range(1, 4)]
        sides += [(low[i, s], top[i + d, s]) for i, d in ((0, 1), (4, -1), (2, 1), (2, -1))]
    sides += [(low[i, a], low[i + 1, 1 - a]) for i in range(4) for a in (0, 1)]
    sides += [(top[i, a], top[i + 1, 1 - a]) for i in (1, 2) for a in (0, 1)]
    sides += [(low[i, a], top[i, 1 - a]) for i in (1, 3) for a in (0, 1)]
    bar_count = len(sides)
    for (i, s), hub in hubs.items():
        inner = 1 if i == 0 else 3
        sides += [(hub, low[i, s]), (hub, low[inner, s]), (hub, top[inner, s]), (hub, low[i, 1 - s])]
    frame = _truss(piece.name, np.array(points), sides, [], collection)
    stiffness = frame.data.attributes.new("stiffness", "FLOAT", "EDGE")
    edge_index = {frozenset(edge.vertices): edge.index for edge in frame.data.edges}
    for number, pair in enumerate(sides):
        stiffness.data[edge_index[frozenset(pair)]].value = piece.stiffness if number < bar_count else piece.springs
    wheel = frame.data.attributes.new("wheel", "FLOAT", "POINT")
    for hub in hubs.values():
        wheel.data[hub].value = 1.0
    frame.location = piece.at
    _make_soft_body(frame, piece.stiffness, piece.mass, list(hubs.values()))
    settings = frame.flotsam.spring_graph
    settings.damping, settings.pin_noise = 0.004 * piece.stiffness, (0.0, 0.0, piece.noise)
    settings.pin_noise_frequency = piece.frequency
    _drive(frame, piece.drive, timing)
    tyre = _wheel(piece.wheel, collection)
    bars.add_bars(frame, piece.bar, 10.0, look, tyre)
    return [frame, tyre]


def _truss(
    name: str, points: np.ndarray, sides: Sequence[tuple[int, int]], faces: Sequence[tuple[int, ...]],
    collection: bpy.types.Collection,
) -> bpy.types.Object:
    """A mesh of edges and some faces, with the length of each edge as "rest_length"."""
    import numpy as np

    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), list(sides), list(faces))
    mesh.update()
    ends = np.array([edge.vertices for edge in mesh.edges])
    lengths = mesh.attributes.new("rest_length", "FLOAT", "EDGE")
    distances = np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1)
    lengths.data.foreach_set("value", distances.astype(np.float32))
    return new_object(mesh, collection, None)


def _make_soft_body(obj: bpy.types.Object, stiffness: float, mass: float, pins: Sequence[int]) -> None:
    """Make the object a soft body whose edges are springs, pinned at some vertices."""
    obj.flotsam.kind = "SPRING_GRAPH"
    settings = obj.flotsam.spring_graph
    settings.graph, settings.stiffness, settings.mass, settings.thickness = "EDGES", stiffness, mass, 0.02
    obj.vertex_groups.new(name=PIN_GROUP).add(list(pins), 1.0, "REPLACE")
    modifier = obj.modifiers.new(MODIFIER, "MESH_CACHE")
    modifier.show_viewport = modifier.show_render = False


def _drive(obj: bpy.types.Object, distance: float, timing: Timing) -> None:
    """Insert keyframes that move the object along Y by a distance [m] at constant speed."""
    middle = obj.location.y
    for frame, fraction in ((timing.start, -0.5), (timing.end, 0.5)):
        obj.location.y = middle + fraction * distance
        obj.keyframe_insert("location", index=1, frame=frame)
    action = obj.animation_data.action
    curves = action.fcurves if hasattr(action, "fcurves") else action.layers[0].strips[0].channelbags[0].fcurves
    for curve in curves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"


def _wheel(radius: float, collection: bpy.types.Collection) -> bpy.types.Object:
    """A tyre around X; hidden, and instanced at the hubs."""
    import numpy as np

    around, across = 28, 12
    u, v = (k.ravel() for k in np.meshgrid(np.arange(around), np.arange(across), indexing="ij"))
    theta, phi = 2.0 * np.pi * u / around, 2.0 * np.pi * v / across
    out = radius * (0.68 + 0.32 * np.cos(phi))
    vertices = np.stack([0.3 * radius * np.sin(phi), out * np.cos(theta), out * np.sin(theta)], axis=1)
    faces = [
        [(a % around) * across + b % across for a, b in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))]
        for i, j in zip(u.tolist(), v.tolist(), strict=True)
    ]
    mesh = bpy.data.meshes.new("Wheel")
    mesh.from_pydata(vertices.tolist(), [], faces)
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    wheel = new_object(mesh, collection, bars.plain("Tyre Rubber", "#1a1b1e", 0.75))
    wheel.location = (0.0, 0.0, -100.0)
    wheel.hide_render = wheel.hide_viewport = True
    return wheel
