"""Arrays of convex bodies and walls, grouped by subject; kernels take each group as one argument."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class HullShapes(NamedTuple):
    """Corners, faces and edges of b bodies and walls and of s shapes, see `bodies.HullBodies`.

    Attributes:
        shape: (b,) int64, -1 for bodies that are not convex.
        first_corner, first_normal: (b + 1,) int64, ranges of at, normal: (., 3), at the end of the substep [m].
        face_start: (s + 1,), ranges of faces; loop_start: (f + 1,), ranges of loop: corners of faces.
        edge_start: (s + 1,), ranges of edges; edge, edge_face: (e, 2), corners and faces as indices in the shape.
        edge_direction: (e,), direction index of each edge; direction_start: (s + 1,), ranges of direction_edge: one
            edge of each direction.
        is_box: (b,) bool, whether a body is a parallelepiped; extent: (b, 12), of parallelepipeds at the end of the
            substep, the middle and half an edge of each direction [m].
    """

    shape: np.ndarray
    first_corner: np.ndarray
    first_normal: np.ndarray
    at: np.ndarray
    normal: np.ndarray
    face_start: np.ndarray
    loop_start: np.ndarray
    loop: np.ndarray
    edge_start: np.ndarray
    edge: np.ndarray
    edge_face: np.ndarray
    edge_direction: np.ndarray
    direction_start: np.ndarray
    direction_edge: np.ndarray
    is_box: np.ndarray
    extent: np.ndarray


class HullLocals(NamedTuple):
    """Shapes in their own axes.

    Attributes:
        corner_start: (s + 1,) int64, ranges of local: (., 3), corners about the centre [m].
        normals: (f, 3), outward normals of the faces; extent: (s, 12), see `HullShapes`.
    """

    corner_start: np.ndarray
    local: np.ndarray
    normals: np.ndarray
    extent: np.ndarray


class HullPoses(NamedTuple):
    """Poses and sizes of bodies and walls, (b, ...) each.

    Attributes:
        position_before, position: (b, 3) [m]; rotation_before, rotation: (b, 4), at the start and end of the substep.
        reach: (b,), furthest corner from the centre [m]; thin: (b,), see `bodies.HullBodies` [m].
        radius: (b,), half the thickness [m]; box: (b, 6), low and high around the motion in the substep [m].
    """

    position_before: np.ndarray
    position: np.ndarray
    rotation_before: np.ndarray
    rotation: np.ndarray
    reach: np.ndarray
    thin: np.ndarray
    radius: np.ndarray
    box: np.ndarray


class HullPairs(NamedTuple):
    """Pairs of bodies that may touch.

    Attributes:
        one, other: (pairs,) int64; separating_face: (pairs,) int64, in and out: the face that separated them last, see
            `axes.is_separated_by_face`.
    """

    one: np.ndarray
    other: np.ndarray
    separating_face: np.ndarray


class HullScratch(NamedTuple):
    """Scratch arrays, with one row (card) for each task.

    Attributes:
        cut: (cards, 2, MOST_CUT_CORNERS, 4), clipped polygons; across: (cards, faces).
        axis: (cards, 16), the axis found, see `axes.find_axis`.
    """

    cut: np.ndarray
    across: np.ndarray
    axis: np.ndarray


class HullPoints(NamedTuple):
    """Contact points of pairs.

    Attributes:
        found: (pairs,) int64, number of points; normal: (pairs, 3), from the second body to the first.
        point: (pairs, POINTS, 6), on the first and on the second body, relative to the centres, in body axes [m].
    """

    found: np.ndarray
    normal: np.ndarray
    point: np.ndarray


class HullSurfaces(NamedTuple):
    """Surfaces of bodies and walls.

    Attributes:
        particle: (b, 3) int64, three particles of each; kind: (b,), index into the tables friction, restitution.
    """

    particle: np.ndarray
    kind: np.ndarray
    friction: np.ndarray
    restitution: np.ndarray


class HullMemory(NamedTuple):
    """Contacts of the previous substep, for warm starts.

    Attributes:
        first: (b + 1,) int64, ranges by the first body; other: (m,) int64, the second body.
        on: (m, 3), points on the first body in its axes [m]; impulse: (m, 3) [N s].
    """

    first: np.ndarray
    other: np.ndarray
    on: np.ndarray
    impulse: np.ndarray
