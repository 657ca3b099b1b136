"""Preview of a rigid body's voxels or a lattice's cells: count and faces to draw. No GPU in here."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ...engine.compiler.kernel_cache import ask_folder
from ...engine.spec import SpringGraphSpec, VoxelBodySpec, params_of
from ...engine.spec.kinds.voxel_body import VOXEL_SHARE
from ..capture.checks import refuse_mesh, refuse_object
from ..capture.mesh import read_mesh, transform, world_matrix
from ..capture.rigid import refuse_solid, split
from ..names import SETTINGS
from ..paths import kernel_cache_folder
from ..properties.kinds import traits_of

# Corners of a cube side perpendicular to an axis, as offsets along the two other axes, for two triangles.
_SIDE = ((0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1))


@dataclass(frozen=True, eq=False)
class Preview:
    """Voxelization of a body.

    Attributes:
        count: voxels or cells of the body; across: (nx, ny, nz) of the grid; size: side of a voxel or cell [m].
        mass: of a rigid body as it would be baked [kg], None for a lattice.
        difference: relative difference from the closed mesh in mass, centre or inertia; None if that cannot be
            computed.
        corners: (3 f, 3) float32, corners of triangles in object space, for visible sides only.
        axes: (3 f,) int, 0 to 2, the axis perpendicular to each corner's side.
        made_with: settings of the object at that time.
    """

    count: int
    across: tuple[int, int, int]
    size: float
    mass: float | None
    difference: float | None
    corners: np.ndarray
    axes: np.ndarray
    made_with: tuple[object, ...]


def settings_now(obj: bpy.types.Object) -> tuple[object, ...]:
    """Settings that the voxels depend on, without reading the mesh."""
    is_lattice = traits_of(obj).is_springy
    spec, group = (SpringGraphSpec, "lattice") if is_lattice else (VoxelBodySpec, "voxels")
    settings = getattr(obj, SETTINGS)
    settings = settings.spring_graph if is_lattice else settings.voxel_body
    own = [getattr(settings, name) for name, declared in params_of(spec).items() if declared.group == group]
    return (*own, len(obj.data.vertices), *(round(length, 5) for length in obj.dimensions))


def preview(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Preview:
    """Fill an object in its current state, with the cells of its lattice or with voxels.

    Raises:
        CaptureError, SpecError: it cannot become such a body; one sentence.
    """
    return _cells(obj, depsgraph) if traits_of(obj).is_springy else _voxels(obj, depsgraph)


def _cells(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Preview:
    ask_folder(kernel_cache_folder())
    from ...engine.mesh.lattice.cells import build_lattice

    matrix = world_matrix(obj.evaluated_get(depsgraph))
    refuse_object(obj, matrix, by_hand=False)
    mesh, settings = read_mesh(obj, depsgraph), getattr(obj, SETTINGS).spring_graph
    refuse_mesh(obj.name, mesh, True, "LATTICE", settings.mass_by)
    rest = mesh.vertices if mesh.rest is None else mesh.rest
    lattice = build_lattice(obj.name, rest, mesh.triangles, float(settings.voxel_size))
    full = np.zeros(lattice.place.max(axis=0) + 3, dtype=bool)
    full[tuple((lattice.place + 1).T)] = True
    places, axes = boundary_faces(full)
    corners = transform(np.linalg.inv(matrix), lattice.corner + lattice.size * (places - 1.0)).astype(np.float32)
    return Preview(
        len(lattice.place), tuple((np.array(full.shape) - 2).tolist()), lattice.size, None, None, corners, axes,
        settings_now(obj),
    )


def _voxels(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Preview:
    # Before the first kernel is imported, so that compiled kernels are cached where a bake looks for them.
    ask_folder(kernel_cache_folder())
    from ...engine.mesh.voxel.grid import is_closed, voxelize
    from ...engine.mesh.voxel.mass import mesh_mass, voxel_mass

    matrix = world_matrix(obj.evaluated_get(depsgraph))
    refuse_object(obj, matrix, by_hand=False)
    mesh = read_mesh(obj, depsgraph)
    refuse_mesh(obj.name, mesh, False, "", "")
    settings = getattr(obj, SETTINGS).voxel_body
    refuse_solid(obj.name, mesh, settings.fill)
    stretch = split(matrix)[1]
    vertices = transform(stretch, mesh.local)
    size = settings.voxel_size or VOXEL_SHARE * float(np.ptp(vertices[np.unique(mesh.triangles)], axis=0).max())
    voxels = voxelize(obj.name, vertices, mesh.triangles, size, settings.fill, settings.inside)
    weighed = voxel_mass(voxels, settings.density)
    difference = None
    if settings.fill == "SOLID" and is_closed(mesh.triangles):
        difference = weighed.difference(mesh_mass(vertices, mesh.triangles, settings.density))
    places, axes = boundary_faces(voxels.full)
    corners = transform(np.linalg.inv(stretch), voxels.corner + size * places).astype(np.float32)
    return Preview(
        voxels.count, voxels.full.shape, size, settings.mass or weighed.mass, difference, corners, axes,
        settings_now(obj),
    )


def boundary_faces(full: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Faces between a full and an empty voxel as triangles: corners (3 f, 3) in voxels, and axes (3 f,).

    Border voxels of `full`, (nx, ny, nz) bool, must be empty.
    """
    places, axes = [], []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        change = np.argwhere(np.diff(full, axis=axis))
        # The plane between the voxels i and i + 1 is at i + 1.
        change[:, axis] += 1
        corner = np.repeat(change[:, None], len(_SIDE), axis=1)
        corner[:, :, u] += [a for a, _b in _SIDE]
        corner[:, :, v] += [b for _a, b in _SIDE]
        places.append(corner.reshape(-1, 3))
        axes.append(np.full(len(change) * len(_SIDE), axis))
    return np.concatenate(places), np.concatenate(axes)
