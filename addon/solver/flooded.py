"""Warns of fluids that begin, or pour out, in closed bodies as well; called by the solver thread after the build.

Surfaces part a fluid on both sides, so what begins in a closed body stays in it. A fluid of which most begins in a body
fills it; other bodies displace what is filled, and let nothing pour out in them if they move. A fluid that begins in a
body as a whole is meant to fill it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...engine import ColliderSpec, EngineError, FluidSpec, SpringGraphSpec, VoxelBodySpec
from ...engine.spec.kinds.fluid import MOST_DISPLACED
from ..capture.sentence import about
from .masses import may_meet

if TYPE_CHECKING:
    from ...engine.world.world import World

# At most so many cubes lie along the longest side of a body whose inside is looked for.
_MOST_CUBES = 64


def flooded_warnings(world: World) -> list[str]:
    """A sentence for each fluid and each closed body in which a part of it begins, or of its source is, but not all."""
    told: list[str] = []
    for fluid in (one for one in world.spec.systems if isinstance(one, FluidSpec)):
        if fluid.emission not in ("FILL", "INFLOW"):
            continue
        fills = fluid.emission == "FILL"
        x, begins = (world.positions(fluid.name), "begins") if fills else (_filled(fluid), "pours out")
        for body in world.spec.systems:
            if not (body.traits.is_springy or body.traits.is_rigid or body.traits.is_wall):
                continue
            meets = may_meet(fluid.name, body.name, world.spec.interactions)
            if meets and _is_partly_in(x, body, 0.5 * fluid.spacing):
                told += about(fluid.name, [
                    f"{fluid.name} {begins} in {body.name} as well, and what is in there stays in; cut {body.name} out "
                    f"of the mesh of {fluid.name} (modifier Boolean, Difference), or move them apart."
                ])
    return told


def _filled(source: FluidSpec) -> np.ndarray:
    """Points all over the mesh of a source (n, 3) [m]."""
    from ...engine.mesh.voxel.grid import voxelize

    vertices = np.asarray(source.vertices, dtype=float)
    size = max(source.spacing, float(np.ptp(vertices, axis=0).max()) / _MOST_CUBES)
    try:
        cubes = voxelize(source.name, vertices, np.asarray(source.triangles), size)
    except EngineError:
        return vertices
    return cubes.corner + (np.argwhere(cubes.full) + 0.5) * cubes.size


def _is_partly_in(x: np.ndarray, body: ColliderSpec | SpringGraphSpec | VoxelBodySpec, size: float) -> bool:
    """Whether some points (n, 3) [m] are in a closed body, and some outside, each by `size` [m] or more.

    Of a body that moves, more than half has to be in it: otherwise nothing begins there.
    """
    # Not at the top: it imports numba, which Blender's start does without.
    from ...engine.mesh.voxel.grid import is_closed, voxelize

    triangles = np.asarray(body.triangles if body.triangles is not None else ())
    if not len(triangles) or not len(x) or not is_closed(triangles):
        return False
    vertices = np.asarray(body.vertices, dtype=float)
    if isinstance(body, VoxelBodySpec) and body.pose is not None:
        vertices = vertices @ body.pose[:3, :3].T + body.pose[:3, 3]
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    if (x.max(axis=0) < low).any() or (x.min(axis=0) > high).any():
        return False
    try:
        cubes = voxelize(body.name, vertices, triangles, max(size, float((high - low).max()) / _MOST_CUBES))
    except EngineError:
        # Thinner than a cube.
        return False
    full = np.pad(cubes.full, 2)
    deep, near = full.copy(), full.copy()
    for axis in range(3):
        for way in (-1, 1):
            deep &= np.roll(full, way, axis)
            near |= np.roll(full, way, axis)
    place = np.floor((x - cubes.corner) / cubes.size).astype(np.int64) + 2
    place = tuple(np.clip(place, 0, np.array(full.shape) - 1).T)
    begins = body.traits.is_wall or near[place].mean() > MOST_DISPLACED
    return bool(begins and deep[place].any() and not near[place].all())
