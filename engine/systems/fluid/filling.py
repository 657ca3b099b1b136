"""Initial particles of a fluid, a lattice in a mesh; and their removal, by drains and the water below.

A fluid fills a closed body, such as a balloon or a jar, if more than half of the fluid begins in it. Other closed
bodies displace it: a mesh may be filled around a crate, a jelly or a rock in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import SpecError
from ...mesh.graph.parts import find_parts
from ...mesh.voxel.grid import Voxels, is_closed, voxelize
from ...mesh.voxel.within import are_within
from ...spec import FluidSpec, WorldSpec
from ...spec.check import check_params, indices, points, vector
from ...spec.kinds.fluid import BYTES_EACH, MOST_DISPLACED, SPACING_SHARE, layers
from .nozzle import RADIUS_SHARE, Nozzle

if TYPE_CHECKING:
    from ...world.world import World
    from .population import Population

# Most particles accepted: a spacing that is too small would fill the memory.
MOST_PARTICLES = 20_000_000
# Largest density ratio of fluids in one world; oil, water and mercury are within it.
MOST_RATIO = 20.0


def spacing_of(spec: FluidSpec) -> float:
    """Distance between particles at rest [m]; raises SpecError."""
    check_params(spec.name, spec)
    if spec.emission == "POINT":
        return float(spec.spacing) or RADIUS_SHARE * float(spec.radius)
    vertices = points(spec.name, "vertices", spec.vertices)
    triangles = indices(spec.name, "triangles", spec.triangles, 3, len(vertices))
    if len(triangles) == 0:
        raise SpecError(spec.name, "triangles", "no triangle", "a mesh with faces to fill")
    extent = np.ptp(vertices[np.unique(triangles)], axis=0)
    spacing = float(spec.spacing) or SPACING_SHARE * float(extent.max())
    if not spacing > 0.0:
        raise SpecError(spec.name, "vertices", "a single point", "a mesh with a volume to fill")
    count = float(np.prod(np.maximum(extent / spacing, 1.0)))
    if count > MOST_PARTICLES:
        needed = spacing * (count / MOST_PARTICLES) ** (1.0 / 3.0)
        raise SpecError(
            spec.name, "spacing", f"{spacing:g} m, up to {count / 1e6:.0f} million particles of "
            f"{count * BYTES_EACH / 2**30:.0f} GiB", f"{needed:.3g} m or more",
        )
    return spacing


def depth_of(spec: FluidSpec, down: np.ndarray) -> float:
    """Depth of a fluid at the start [m]; 0 for an inflow; down: (3,) unit vector. Raises SpecError."""
    if spec.emission != "FILL":
        return 0.0
    vertices = points(spec.name, "vertices", spec.vertices)
    triangles = indices(spec.name, "triangles", spec.triangles, 3, len(vertices))
    return float(np.ptp(vertices[np.unique(triangles)] @ down)) if len(triangles) else 0.0


def common_spacing(fluids: Sequence[FluidSpec]) -> float:
    """The spacing of all fluids of a world [m]; raises SpecError where spacings differ, or densities too much."""
    first = fluids[0]
    spacing, density = spacing_of(first), float(first.density)
    for one in fluids:
        if abs(spacing_of(one) - spacing) > 1e-6 * spacing:
            raise SpecError(
                one.name, "spacing", f"{spacing_of(one):g} m", f"{spacing:g} m, that of {first.name}: all fluids of a "
                "scene have one spacing",
            )
        if not 1.0 / MOST_RATIO <= float(one.density) / density <= MOST_RATIO:
            raise SpecError(
                one.name, "density", f"{one.density:g} kg/m³", f"{density / MOST_RATIO:g} to {density * MOST_RATIO:g} "
                f"kg/m³ beside {first.name}: what is much lighter would be shot away",
            )
    return spacing


def source_of(spec: FluidSpec, spacing: float, frame: float) -> tuple[np.ndarray, Nozzle | None]:
    """Where particles are emitted, (n, 3) [m], n >= 1, and the nozzle of a jet; frame [s]. Raises SpecError."""
    if spec.emission != "POINT":
        return lattice_of(spec, spacing), None
    nozzle = Nozzle(spec, spacing, frame)
    return nozzle.sites, nozzle


def lattice_of(spec: FluidSpec, spacing: float) -> np.ndarray:
    """Particles in a mesh, (n, 3) float64 [m], n >= 1; raises SpecError."""
    vector(spec.name, "velocity", spec.velocity)
    voxels = voxels_of(replace(spec, vertices=_fitted(spec, spacing)), spacing, spacing)
    return voxels.corner + spacing * (np.argwhere(voxels.full) + 0.5)


def displaced(name: str, sites: np.ndarray, others: Sequence[Any]) -> np.ndarray:
    """The sites (n, 3) [m] that lie in no closed body, except in bodies that they fill; raises SpecError.

    A fluid reserves all sites, so that a world in which bodies have moved can continue with the particles of another.

    Args: others: specs of all systems of the world.
    """
    is_free, low, high = np.ones(len(sites), dtype=bool), sites.min(axis=0), sites.max(axis=0)
    displacing = []
    for one in others:
        if not (one.traits.is_springy or one.traits.is_rigid or one.traits.is_wall):
            continue
        vertices, triangles = mesh_of(one)
        used = vertices[np.unique(triangles)] if len(triangles) else vertices[:0]
        if len(used) == 0 or (used.min(axis=0) > high).any() or (used.max(axis=0) < low).any():
            continue
        if not is_closed(triangles):
            continue
        parts = find_parts(vertices, triangles)
        within = are_within(vertices, parts.triangles, sites)
        if parts.hollow.all() and within.any() and not is_filled(within):
            is_free &= ~within
            displacing.append(one.name)
    if not is_free.any():
        raise SpecError(
            name, "vertices", f"a mesh that lies in {' and '.join(displacing)}", "a mesh that is not filled by others"
        )
    return sites[is_free]


def is_filled(within: np.ndarray) -> bool:
    """Whether a fluid fills a body; within: (n,) bool, which of its particles begin in the body."""
    return bool(within.mean() > MOST_DISPLACED)


def mesh_of(spec: Any) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) of a body at the start [m], and its triangles (t, 3); none if it has no faces."""
    if spec.triangles is None or len(spec.triangles) == 0:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32)
    start, pose = getattr(spec, "start", None), getattr(spec, "pose", None)
    vertices = np.asarray(spec.vertices if start is None else start, dtype=np.float64)
    if pose is not None:
        vertices = vertices @ np.asarray(pose)[:3, :3].T + np.asarray(pose)[:3, 3]
    return vertices, np.asarray(spec.triangles, dtype=np.int32)


def _fitted(spec: FluidSpec, spacing: float) -> np.ndarray:
    """The vertices (n, 3) scaled about the middle so that whole layers fill the bounding box."""
    vertices = points(spec.name, "vertices", spec.vertices)
    used = vertices[np.unique(spec.triangles)]
    middle, extent = 0.5 * (used.min(axis=0) + used.max(axis=0)), np.ptp(used, axis=0)
    whole = np.array([layers(side, spacing) for side in extent]) * spacing
    # A little less than whole layers, so that rounding does not add cells to the grid.
    scale = np.where(extent > 0.0, 0.999999 * whole / np.where(extent > 0.0, extent, 1.0), 1.0)
    return middle + scale * (vertices - middle)


def voxels_of(spec: FluidSpec, size: float, spacing: float) -> Voxels:
    """The interior of a mesh in cubes of `size` [m]; a SpecError reports the fluid's `spacing` [m] instead."""
    check_params(spec.name, spec)
    vertices = points(spec.name, "vertices", spec.vertices)
    triangles = indices(spec.name, "triangles", spec.triangles, 3, len(vertices))
    if len(triangles) == 0:
        raise SpecError(spec.name, "triangles", "no triangle", "a mesh with faces to fill")
    try:
        return voxelize(spec.name, vertices, triangles, size)
    except SpecError as error:
        raise SpecError(
            spec.name, "spacing", f"{spacing:g} m, at which the mesh holds no particle or too many",
            "less than the mesh is thick, and a mesh that encloses a volume",
        ) from error


class Drain:
    """A mesh that removes particles inside it.

    Attributes:
        name: of its system; opening: at 0 it removes nothing.
    """

    def __init__(self, spec: FluidSpec, spacing: float) -> None:
        """Args: spacing: of the fluids [m]; the interior is resolved to half of it. Raises SpecError."""
        self.name, self.opening = spec.name, float(spec.opening)
        self._voxels = voxels_of(spec, 0.5 * spacing, spacing)

    def set_value(self, field: str, value: float) -> None:
        """Open or close it."""
        if field == "opening":
            self.opening = value

    def swallows(self, x: np.ndarray) -> np.ndarray:
        """Which of some points (n, 3) [m] are in it, (n,) bool."""
        voxels, inside = self._voxels, np.zeros(len(x), dtype=bool)
        if self.opening <= 0.0:
            return inside
        place = np.floor((x - voxels.corner) / voxels.size)
        near = np.flatnonzero(((place >= 0.0) & (place < voxels.full.shape)).all(axis=1))
        inside[near] = voxels.full[tuple(place[near].astype(np.int64).T)]
        return inside


def swallow(population: Population, x: np.ndarray, drains: Sequence[Drain], below: np.ndarray) -> bool:
    """Remove particles in drains, and those that join water below them; returns whether any were removed.

    Args: x: (n, 3) of the world [m]; below: (n,) height at which each has joined the water [m].
    """
    living, joins = population.living, population.spec.joins_water
    if not (drains or joins):
        return False
    own = slice(living.start, living.start + living.born)
    place = x[own]
    lost = place[:, 2] < below[own] if joins else np.zeros(len(place), dtype=bool)
    for drain in drains:
        lost |= drain.swallows(place)
    return living.remove(lost)


def water_level(spec: WorldSpec) -> float:
    """The highest level of the waters of a world [m], minus infinity without any."""
    return max((float(one.height) for one in spec.systems if one.traits.lifts), default=-np.inf)


def water_over(world: World, level: float, populations: Sequence[Population]) -> np.ndarray:
    """Height of the water that populations may join, over or under each particle, (n,) [m].

    Args: level: where the water has no waves [m]; without a population that joins it, it is not looked up.
    """
    joins = any(population.spec.joins_water for population in populations)
    wavy = [field for field in world.fields if joins and field.has_waves()]
    return wavy[0].level_at(world.state.x) if wavy else np.broadcast_to(level, len(world.state.x))


def split(specs: Sequence[FluidSpec]) -> tuple[list[FluidSpec], list[FluidSpec]]:
    """Fluids that have particles, and drains."""
    drains = [one for one in specs if one.emission == "OUTFLOW"]
    return [one for one in specs if one.emission != "OUTFLOW"], drains
