"""Total mass of a body and its distribution among the vertices."""

from __future__ import annotations

import numpy as np

from ...errors import SpecError
from ...mesh.graph.links import lengths
from ...mesh.graph.parts import Parts, triangle_areas
from ...spec import SpringGraphSpec

# Smallest mass of a vertex, as a fraction of the mean.
LEAST_FRACTION = 0.1


def vertex_masses(
    spec: SpringGraphSpec, vertices: np.ndarray, triangles: np.ndarray, links: np.ndarray, parts: Parts
) -> np.ndarray:
    """Mass of each vertex [kg], (n,).

    Args:
        vertices: (n, 3) at rest [m]; triangles: (t, 3); links: (s, 2); parts: of the same triangles.

    Raises:
        SpecError: the mass depends on an area or a volume that the mesh does not have.
    """
    return total_mass(spec, vertices, parts) * mass_shares(spec, vertices, triangles, links)


def total_mass(spec: SpringGraphSpec, vertices: np.ndarray, parts: Parts) -> float:
    """Mass of the whole body [kg]: given directly, or area density times surface, or density times enclosed volume.

    Openings count as closed by flat lids. Raises SpecError as `vertex_masses`.
    """
    if spec.mass_by == "AREA_DENSITY":
        area = float(triangle_areas(vertices, parts.triangles).sum())
        if area == 0.0:
            raise SpecError(spec.name, "mass_by", spec.mass_by, "VERTEX, because the mesh has no surface")
        return spec.area_density * area
    if spec.mass_by == "DENSITY":
        volume = float(parts.volume[parts.hollow].sum())
        if volume == 0.0:
            raise SpecError(
                spec.name, "mass_by", spec.mass_by, "AREA_DENSITY or VERTEX, because the mesh encloses no volume"
            )
        return spec.density * volume
    return spec.mass


def mass_shares(
    spec: SpringGraphSpec, vertices: np.ndarray, triangles: np.ndarray, links: np.ndarray
) -> np.ndarray:
    """Fraction of the mass at each vertex, (n,), with sum 1. By area, no vertex has less than a tenth of the mean.

    With a volume density, mass is distributed by area if all vertices lie on the surface, and evenly if some are
    inside.
    """
    count = len(vertices)
    inside = len(np.unique(triangles)) < count
    if spec.mass_by == "VERTEX" or (spec.mass_by == "DENSITY" and inside):
        return np.full(count, 1.0 / count)
    if len(triangles):
        fraction = np.bincount(
            triangles.reshape(-1), weights=np.repeat(triangle_areas(vertices, triangles), 3), minlength=count
        )
    else:
        fraction = np.bincount(links.reshape(-1), weights=np.repeat(lengths(vertices, links), 2), minlength=count)
    fraction = np.maximum(fraction, LEAST_FRACTION * fraction.mean()) if fraction.sum() > 0.0 else np.ones(count)
    return fraction / fraction.sum()
