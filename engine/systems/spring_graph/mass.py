"""How a body's mass is shared among its vertices."""

from __future__ import annotations

import numpy as np

from ...mesh.graph.links import lengths
from ...mesh.graph.parts import triangle_areas
from ...spec import SpringGraphSpec


def mass_shares(
    spec: SpringGraphSpec, vertices: np.ndarray, triangles: np.ndarray, links: np.ndarray
) -> np.ndarray:
    """Each vertex's share of the mass, (n,), sum 1. By area, none gets less than a tenth of the mean."""
    count = len(vertices)
    if spec.mass_by == "VERTEX":
        return np.full(count, 1.0 / count)
    if len(triangles):
        share = np.bincount(
            triangles.reshape(-1), weights=np.repeat(triangle_areas(vertices, triangles), 3), minlength=count
        )
    else:
        share = np.bincount(links.reshape(-1), weights=np.repeat(lengths(vertices, links), 2), minlength=count)
    share = np.maximum(share, 0.1 * share.mean()) if share.sum() > 0.0 else np.ones(count)
    return share / share.sum()
