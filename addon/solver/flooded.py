"""Warns of fluids that start, or are emitted, partly in a closed body; called by the solver thread after the build.

A surface separates the fluid on its two sides, so particles that start in a closed body stay in it. A fluid fills a
body if most of its particles start in it. Other bodies displace a fluid that fills a mesh, and nothing is emitted in
them if they move. A fluid that starts entirely in a body is meant to fill it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...engine import ColliderSpec, EngineError, FluidSpec, SpringGraphSpec, VoxelBodySpec
from ...engine.spec.kinds.fluid import MOST_DISPLACED
from ..capture.sentence import about
from .masses import may_collide

if TYPE_CHECKING:
    from ...engine.world.world import World

# Largest number of cubes along the longest side of a body when its inside is voxelized.
_MOST_CUBES = 64


def flooded_warnings(world: World) -> list[str]:
    """A sentence for each fluid and closed body if a part of the fluid or of its source, but not all, starts in it."""
    warnings: list[str] = []
    for fluid in (one for one in world.spec.systems if isinstance(one, FluidSpec)):
        if fluid.emission not in ("FILL", "INFLOW"):
            continue
        fills = fluid.emission == "FILL"
        x, begins = (world.positions(fluid.name), "begins") if fills else (_filled(fluid), "pours out")
        for body in world.spec.systems:
            if not (body.traits.is_springy or body.traits.is_rigid or body.traits.is_wall):
                continue
            collides = may_collide(fluid.name, body.name, world.spec.interactions)
            if collides and _is_partly_in(x, body, 0.5 * fluid.spacing):
                warnings += about(fluid.name, [
                    f"{fluid.name} {begins} in {body.name} as well, and what is in there stays in; cut {body.name} out "
                    f"of the mesh of {fluid.name} (modifier Boolean, Difference), or move them apart."
                ])
    return warnings


def _filled(source: FluidSpec) -> np.ndarray:
    """Points that fill the mesh of a source, (n, 3) [m]."""
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

    If the body moves, more than half of the points must be in it: otherwise no particle starts there.
    """
    # Imported here, because it imports numba, which is not loaded at Blender's start.
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
        # The body is thinner than a cube.
        return False
    full = np.pad(cubes.full, 2)
    deep, near = full.copy(), full.copy()
    for axis in range(3):
        for shift in (-1, 1):
            deep &= np.roll(full, shift, axis)
            near |= np.roll(full, shift, axis)
    cell = np.floor((x - cubes.corner) / cubes.size).astype(np.int64) + 2
    cell = tuple(np.clip(cell, 0, np.array(full.shape) - 1).T)
    is_filled = body.traits.is_wall or near[cell].mean() > MOST_DISPLACED
    return bool(is_filled and deep[cell].any() and not near[cell].all())
