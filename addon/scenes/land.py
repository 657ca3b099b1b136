"""Bed, banks, boulders and stones: colliders for the rings, and finer meshes that only render.

Each collider is a coarse mesh, hidden in renders. The visible mesh of a boulder is a child of its collider, so that
both move together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from .looks import ground
from .mesh import grid_faces, mesh_from_arrays, new_object
from .river import River

if TYPE_CHECKING:
    import numpy as np

    from .plan import Boulder

BANK_REACH = (-1.2, 2.6)
STONE_COUNT = 150


def add_land(river: River, collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """The visible ground, and a collider for each bank; shadows of low land would not be worth their render time."""
    banks = [_bank_collider(river, side, collection) for side in (-1.0, 1.0)]
    ground_object = new_object(_ground_mesh(river), collection, ground.bank("Banks"))
    ground_object.visible_shadow = False
    return [*banks, ground_object]


def add_boulders(boulders: tuple[Boulder, ...], collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Each boulder as a collider with its visible mesh."""
    look = ground.rock("River Stone")
    made: list[bpy.types.Object] = []
    for boulder in boulders:
        fine = _stone_mesh(boulder, 4)
        fine.name = f"{boulder.name} Skin"
        collider = new_object(_hull(fine, boulder.name), collection, look)
        collider.location = boulder.at
        make_collider(collider)
        skin = new_object(fine, collection, look)
        skin.parent = collider
        made += [collider, skin]
    return made


def add_stones(river: River, seed: int, collection: bpy.types.Collection) -> bpy.types.Object:
    """Stones along both edges of the water, as one mesh without a collider."""
    import numpy as np

    rng = np.random.default_rng(seed)
    sphere, faces = _sphere(2)
    vertices, corners = [], []
    for index in range(STONE_COUNT):
        y = river.length[0] + 26.0 * rng.random() ** 1.3
        side = rng.choice((-1.0, 1.0))
        size = 0.07 + 0.3 * rng.random() ** 2.5
        width = np.abs(river.half_width - river.edge(np.float64(side * river.half_width), np.float64(y)))
        s = side * (width + rng.uniform(0.05, 0.75) + 0.3 * size)
        centre = (river.middle(np.float64(y)) + s, y, river.height(np.float64(s), np.float64(y)) + 0.15 * size)
        shape = _weathered(sphere * size * rng.uniform((0.8, 0.8, 0.5), (1.3, 1.3, 0.85)), size, index + seed)
        vertices.append(shape + np.array(centre))
        corners.append(faces + index * len(sphere))
    mesh = mesh_from_arrays("Shore Stones", np.concatenate(vertices), np.concatenate(corners))
    stones = new_object(mesh, collection, ground.rock("Shore Stone"))
    stones.visible_shadow = False
    return stones


def make_collider(obj: bpy.types.Object) -> None:
    """Make an object a Flotsam collider that is hidden in renders."""
    obj.flotsam.kind = "COLLIDER"
    obj.hide_render = True
    obj.display_type = "WIRE"


def _bank_collider(river: River, side: float, collection: bpy.types.Collection) -> bpy.types.Object:
    import numpy as np

    rows, columns = 26, 8
    y = np.linspace(river.length[0], river.length[0] + 25.0, rows)[:, None]
    s = side * (river.half_width + np.linspace(*BANK_REACH, columns))[None, :] * np.ones_like(y)
    if side < 0.0:
        s = s[:, ::-1]
    vertices = np.stack((river.middle(y) + s, y + 0.0 * s, river.height(s, y + 0.0 * s)), axis=-1)
    name = "Bank Left" if side < 0.0 else "Bank Right"
    obj = new_object(mesh_from_arrays(name, vertices.reshape(-1, 3), grid_faces(rows, columns)), collection, None)
    make_collider(obj)
    return obj


def _ground_mesh(river: River) -> bpy.types.Mesh:
    import numpy as np

    low, high = river.length
    along = np.linspace(0.0, 1.0, 150)
    y = (low + (high - low) * (0.35 * along + 0.65 * along**2.2))[:, None]
    across = np.linspace(-1.0, 1.0, 120)
    s = (np.sign(across) * (7.5 * np.abs(across) + 26.0 * np.abs(across) ** 4))[None, :] + 0.0 * y
    y = y + 0.0 * s
    height = river.height(s, y)
    dry = np.clip(river.edge(s, y) + 0.2, 0.0, 1.0)
    flat = np.stack((s, y, 0.0 * s), axis=-1).reshape(-1, 3)
    rough = _noise(flat, 0.55) * 0.25 + _noise(flat, 2.3) * 0.07
    height = height + rough.reshape(height.shape) * dry - 0.03 * (1.0 - dry)
    vertices = np.stack((river.middle(y) + s, y, height), axis=-1).reshape(-1, 3)
    return mesh_from_arrays("Ground", vertices, grid_faces(*s.shape))


def _stone_mesh(boulder: Boulder, level: int) -> bpy.types.Mesh:
    import numpy as np

    sphere, faces = _sphere(level)
    size = float(np.mean(boulder.size))
    return mesh_from_arrays(boulder.name, _weathered(sphere * np.array(boulder.size), size, boulder.seed), faces)


def _hull(mesh: bpy.types.Mesh, name: str) -> bpy.types.Mesh:
    """The convex hull of `mesh`: nothing protrudes from it that a ring could intersect."""
    import bmesh

    bm = bmesh.new()
    for vertex in mesh.vertices:
        bm.verts.new(vertex.co)
    bmesh.ops.convex_hull(bm, input=bm.verts)
    bmesh.ops.delete(bm, geom=[vertex for vertex in bm.verts if not vertex.link_faces], context="VERTS")
    hull = bpy.data.meshes.new(name)
    bm.to_mesh(hull)
    bm.free()
    return hull


def _weathered(vertices: np.ndarray, size: float, seed: int) -> np.ndarray:
    """Vertices displaced to a stone's shape: lumps, chipped facets, some grain; the same at each level of detail."""
    import numpy as np

    offset = np.array((7.3, 3.1, 5.7)) * seed
    sample_points = vertices / size + offset
    bumps = 0.34 * _noise(sample_points, 0.9) + 0.10 * _noise(sample_points, 2.6) + 0.035 * _noise(sample_points, 7.0)
    chips = np.round(bumps * 6.0) / 6.0
    return vertices * (1.0 + 0.55 * bumps + 0.45 * chips)[:, None]


def _sphere(level: int) -> tuple[np.ndarray, np.ndarray]:
    """A unit icosphere: vertices (n, 3), triangles (t, 3)."""
    import bmesh
    import numpy as np

    bm = bmesh.new()
    bmesh.ops.create_icosphere(bm, subdivisions=level, radius=1.0)
    vertices = np.array([vertex.co[:] for vertex in bm.verts])
    faces = np.array([[vertex.index for vertex in face.verts] for face in bm.faces])
    bm.free()
    return vertices, faces


def _noise(points: np.ndarray, scale: float) -> np.ndarray:
    """Perlin noise between about -1 and 1, shape (n,)."""
    import numpy as np
    from mathutils import noise

    return np.array([noise.noise(point) for point in (points * scale).tolist()])
