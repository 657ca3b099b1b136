"""`Wall`: a collider that convex bodies meet as a hull: a flat sheet with a convex outline, or a convex solid.

A sheet has two sides and no thickness. Its hull has each corner of the outline twice, and a face of zero area between
the two along each edge; over these rim faces the normals turn from one side to the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....mesh.graph.parts import open_edges, triangle_areas
from .hull import FLAT, Hull, find_hull

# Corners of a sheet; an outline with more counts as round.
MOST_CORNERS = 32
# Relative tolerance between a sheet's area and that of its outline.
SAME_AREA = 1e-6


@dataclass(frozen=True, eq=False)
class Wall:
    """A collider as a hull.

    Attributes:
        system: index of the system; start, stop: its range of particles.
        hull: in its vertices; is_sheet: whether it has no inside.
        corner: (c,) int64 particles of the hull's corners.
        frame: (3,) int64 particles that define its orientation.
    """

    system: int
    start: int
    stop: int
    hull: Hull
    is_sheet: bool
    corner: np.ndarray
    frame: np.ndarray


def find_wall(
    system: int, start: int, vertices: np.ndarray, triangles: np.ndarray, has_inside: bool
) -> Wall | None:
    """The wall for a collider of one piece; None if it is not convex, or if it encloses other bodies.

    Args: system: its index; start: first particle; vertices (n, 3) [m], triangles (t, 3); has_inside: whether it keeps
        other bodies on one side.
    """
    rim = open_edges(triangles)
    if len(rim) == 0:
        hull = find_hull(vertices, triangles) if has_inside else None
    else:
        hull = None if has_inside else _sheet(vertices, triangles, np.unique(rim))
    if hull is None:
        return None
    across = np.cross(hull.at[1:, None] - hull.at[0], hull.at[None, 1:] - hull.at[0])
    one, other = np.unravel_index(np.argmax(np.linalg.norm(across, axis=2)), across.shape[:2])
    corner = start + hull.corner.astype(np.int64)
    frame = corner[[0, 1 + one, 1 + other]]
    return Wall(system, start, start + len(vertices), hull, len(rim) > 0, corner, frame)


def _sheet(vertices: np.ndarray, triangles: np.ndarray, rim: np.ndarray) -> Hull | None:
    """A flat sheet as a hull; None where it is bent or its outline is not convex. Args: rim: (r,) vertices."""
    used = vertices[np.unique(triangles)]
    size = float(np.ptp(used, axis=0).max())
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    largest = across[np.argmax(np.linalg.norm(across, axis=1))]
    if not np.linalg.norm(largest) > 0.0:
        return None
    normal = largest / np.linalg.norm(largest)
    if np.abs((used - used[0]) @ normal).max() > FLAT * size:
        return None
    first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    first /= np.linalg.norm(first)
    second = np.cross(normal, first)
    flat = (vertices[rim] - used[0]) @ np.stack([first, second], axis=1)
    outline = _outline(flat, FLAT * size * size)
    if not 3 <= len(outline) <= MOST_CORNERS:
        return None
    p, q = flat[outline], np.roll(flat[outline], -1, axis=0)
    area = 0.5 * float((p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]).sum())
    if abs(float(triangle_areas(vertices, triangles).sum()) - area) > SAME_AREA * area:
        return None
    return _doubled(rim[outline], vertices, normal)


def _outline(flat: np.ndarray, small: float) -> list[int]:
    """Corners of the convex hull of points (n, 2), counter-clockwise; a bend of less area than `small` is no corner."""
    order = np.lexsort((flat[:, 1], flat[:, 0])).tolist()
    rows = flat.tolist()
    halves = []
    for sequence in (order, order[::-1]):
        half: list[int] = []
        for k in sequence:
            while len(half) > 1:
                (ax, ay), (bx, by), (cx, cy) = rows[half[-2]], rows[half[-1]], rows[k]
                if (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > small:
                    break
                half.pop()
            half.append(k)
        halves.append(half[:-1])
    return halves[0] + halves[1]


def _doubled(corner: np.ndarray, vertices: np.ndarray, normal: np.ndarray) -> Hull:
    """The hull of a sheet with these corners (k,), counter-clockwise seen from the tip of its normal."""
    count = len(corner)
    here = np.arange(count)
    after = np.roll(here, -1)
    at = vertices[corner]
    outward = np.cross(at[after] - at, normal)
    outward /= np.linalg.norm(outward, axis=1)[:, None]
    rims = np.stack([here, count + here, count + after, after], axis=1)
    edge = np.concatenate([np.stack([here, after], axis=1), count + np.stack([here, after], axis=1)])
    edge_face = np.concatenate([np.stack([np.full(count, side), 2 + here], axis=1) for side in range(2)])
    return Hull(
        np.tile(corner, 2), np.tile(at, (2, 1)), np.concatenate([[normal, -normal], outward]),
        (here, count + here[::-1], *rims), edge, edge_face,
    )
