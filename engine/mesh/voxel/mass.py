"""Mass, centre of mass and inertia, of voxels and of a closed mesh.

For voxels that are cubes of mass m = density s^3 at x_i, with covered fractions f_i:

    M = sum m f_i,   c = sum m f_i x_i / M,   I = sum m f_i (|r_i|^2 1 - r_i r_i^T) + M s^2 / 6,   r_i = x_i - c

For a closed mesh, by tetrahedra (o, a, b, c) of volume V = a . (b x c) / 6 (Tonon 2004):

    M = density sum V,   integral of x = sum V (a + b + c) / 4,
    integral of x x^T = sum V / 20 (a a^T + b b^T + c c^T + (a + b + c)(a + b + c)^T)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .grid import Voxels


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass [kg], centre (3,) [m] and inertia about it (3, 3) [kg m²]."""

    mass: float
    centre: np.ndarray
    inertia: np.ndarray

    def difference(self, other: MassProperties) -> float:
        """Largest relative difference of mass, centre (relative to the body's size) or inertia."""
        size = np.sqrt(np.trace(other.inertia) / max(other.mass, 1e-300))
        return float(max(
            abs(self.mass / other.mass - 1.0),
            np.linalg.norm(self.centre - other.centre) / max(size, 1e-300),
            np.abs(self.inertia - other.inertia).max() / max(np.abs(other.inertia).max(), 1e-300),
        ))


def voxel_mass(voxels: Voxels, density: float) -> MassProperties:
    """Mass properties of voxels of uniform density [kg/m³]."""
    fraction = voxels.share
    # Convert one layer at a time to double precision, never the whole grid at once.
    layers = [layer.astype(np.float64) for layer in fraction]
    flat = sum(layers, np.zeros(fraction.shape[1:]))
    across_xy = np.stack([layer.sum(axis=1) for layer in layers])
    across_xz = np.stack([layer.sum(axis=0) for layer in layers])
    along = [np.arange(n) + 0.5 for n in fraction.shape]
    single = [across_xy.sum(axis=1), across_xy.sum(axis=0), across_xz.sum(axis=0)]
    total = float(single[0].sum())
    middle = np.array([(line * places).sum() for line, places in zip(single, along, strict=True)]) / total
    r = [places - m for places, m in zip(along, middle, strict=True)]
    second = np.zeros((3, 3))
    for k in range(3):
        second[k, k] = (single[k] * r[k] ** 2).sum()
    for (i, j), plane in (((0, 1), across_xy), ((0, 2), across_xz), ((1, 2), flat)):
        second[i, j] = second[j, i] = (r[i][:, None] * r[j][None] * plane).sum()
    size = voxels.size
    unit = density * size**3
    inertia = unit * size**2 * (np.trace(second) * np.eye(3) - second + total / 6.0 * np.eye(3))
    return MassProperties(unit * total, voxels.corner + size * middle, inertia)


def mesh_mass(vertices: np.ndarray, triangles: np.ndarray, density: float) -> MassProperties:
    """Mass properties of the volume inside a closed mesh of either winding: vertices (n, 3) [m], triangles (t, 3)."""
    origin = vertices[triangles[:, 0]].mean(axis=0)
    a, b, c = (vertices[triangles[:, k]] - origin for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    if volume.sum() < 0.0:
        volume = -volume
    together = a + b + c
    first = (volume[:, None] * together).sum(axis=0) / 4.0
    second = sum(np.einsum("t,ti,tj->ij", volume, p, p) for p in (a, b, c, together)) / 20.0
    total = float(volume.sum())
    middle = first / max(total, 1e-300)
    second = second - total * np.outer(middle, middle)
    inertia = density * (np.trace(second) * np.eye(3) - second)
    return MassProperties(density * total, origin + middle, inertia)
