"""Classes of edges: the angle between their faces decides which edges are tested against each other."""

from __future__ import annotations

import math

import numpy as np

from ....compiler.kernels import parallel_kernel, part_of_kernel, prange
from ..narrow_phase.nearest import face_normal
from ..narrow_phase.place import FINE_EDGES
from .elements import Elements

# Two edges of rigid surfaces can touch where no vertex touches a face if one of them is a boundary edge, or its faces
# meet at more than this angle. An edge of length l on a round surface bulges by angle l / 8 beyond its ends. If that is
# less than the rest separation of contacts, vertices against faces are enough. At 45° it is a tenth of l, the default
# rest separation.
SHARP = math.radians(45.0)
# An edge of a rigid surface whose faces meet at less than this angle lies within a flat face: another edge touches that
# face with its ends first.
FLAT = math.radians(0.3)

# Classes of edges: in a flat rigid face, of a soft surface, sharp, or in a rounded surface of a rigid body or collider.
# Edges of soft surfaces are paired with each other, with sharp and with rounded ones: two beach balls that collide at
# 5 m/s are compressed to a separation below the bulge of their edges, and crossed there while only sharp edges were
# tested. Two rounded rigid surfaces touch at vertices and faces, see `rigid.contact.round_off`.
FLAT_EDGE, SOFT_EDGE, SHARP_EDGE, ROUND_EDGE = 0, 1, 2, 3


@parallel_kernel
def classify_edges(active, edge_start, edge_of, edge_face, x, corner, edge, keep, is_soft, edge_class):
    """Classify the edges of active patches: out bend (e,) int8, FLAT_EDGE, SOFT_EDGE, SHARP_EDGE or ROUND_EDGE.

    Args: keep: (e,) rest separation of contacts of each edge [m]; is_soft: (e,) bool, whether its faces can deform.
    """
    for m in prange(active.shape[0]):
        for place in range(edge_start[active[m]], edge_start[active[m] + 1]):
            e = edge_of[place]
            edge_class[e] = _class_of(e, edge_face, x, corner, edge, keep, is_soft)


@part_of_kernel
def _class_of(e, edge_face, x, corner, edge, keep, is_soft):
    if is_soft[e]:
        return SOFT_EDGE
    f = edge_face[e, 0]
    g = edge_face[e, 1]
    angle = math.pi
    if f >= 0 and g >= 0:
        fx, fy, fz = face_normal(x, corner[f, 0], corner[f, 1], corner[f, 2])
        gx, gy, gz = face_normal(x, corner[g, 0], corner[g, 1], corner[g, 2])
        angle = math.acos(max(-1.0, min(1.0, fx * gx + fy * gy + fz * gz)))
    square = 0.0
    for k in range(3):
        square += (x[edge[e, 1], k] - x[edge[e, 0], k]) ** 2
    if angle >= SHARP or (angle > FLAT and 0.125 * angle * math.sqrt(square) > keep[e]):
        return SHARP_EDGE
    return ROUND_EDGE if angle > FLAT and keep[e] < math.inf else FLAT_EDGE


def are_fine(rest: np.ndarray, elements: Elements, radius: np.ndarray, inv_mass: np.ndarray) -> np.ndarray:
    """Which edges belong to soft surfaces and bulge little, at rest, relative to the rest separation, (e,) bool.

    Contacts of vertices and faces keep such edges of two surfaces apart. Boundary edges, sharp edges and edges that end
    at a sharp edge are excluded.

    Args: rest: (n, 3) [m]; radius: (n,) [m]; inv_mass: (n,) [1/kg].
    """
    edge, face = elements.edge, elements.edge_face
    a, b, c = (rest[elements.corner[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    has_two_faces = (face >= 0).all(axis=1)
    angle = np.full(len(edge), math.pi)
    angle[has_two_faces] = np.arccos(
        np.clip((normal[face[has_two_faces, 0]] * normal[face[has_two_faces, 1]]).sum(axis=1), -1.0, 1.0)
    )
    length = np.linalg.norm(rest[edge[:, 1]] - rest[edge[:, 0]], axis=1)
    keep = 2.0 * radius[edge].max(axis=1, initial=0.0)
    # A flat edge within a cube's face deforms with it: an edge that ends at a sharp edge counts as no finer than that.
    is_sharp = np.zeros(len(rest), dtype=bool)
    is_sharp[edge[angle >= SHARP]] = True
    bulges = is_sharp[edge].any(axis=1) | (0.125 * angle * length > 0.5 * FINE_EDGES * keep)
    return ~bulges & (inv_mass[edge] > 0.0).any(axis=1)
