"""Classes of edges: how far their faces bend decides which edges are tested against each other."""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ..narrow_phase.nearest import face_normal

# Two edges can touch where no vertex touches a face if one of them is a rim, or its faces meet at more than this angle.
# An edge of length l on a round surface bulges by angle l / 8 beyond its ends. If that is less than the distance that
# contacts keep, vertices against faces are enough. At 45° it is a tenth of l, the distance kept by default.
SHARP = math.radians(45.0)
# An edge of a rigid surface whose faces meet at less than this angle is a line within a flat face: another edge touches
# that face with its ends first. Faces of a soft body may bend before the next search, so this is not used for them.
FLAT = math.radians(0.3)
# Fast contacts press soft surfaces together to a part of the distance that they keep. Their edges count as sharp if
# they bulge by more than this share of it. Mixed piles had crossings at 1, and none at 0.25.
PRESSED = 0.25

# Classes of edges: in a flat rigid face, in a soft surface, sharp, or in a rounded surface of a rigid body or collider.
# A sharp edge is paired with all edges. A rounded rigid edge is paired with soft edges, which may fold around it within
# a frame; two rounded rigid surfaces touch at vertices and faces, see `rigid.contact.round_off`.
EVEN, BLUNT, KEEN, ROUND = 0, 1, 2, 3


@parallel_kernel
def find_bends(active, edge_start, edge_of, edge_face, x, corner, edge, keep, is_soft, bend):
    """Classify the edges of active patches: out bend (e,) int8, EVEN, BLUNT, KEEN or ROUND.

    Args: keep: (e,) distance that contacts of each edge keep [m]; is_soft: (e,) bool, whether its faces can bend.
    """
    for m in prange(active.shape[0]):
        for place in range(edge_start[active[m]], edge_start[active[m] + 1]):
            e = edge_of[place]
            bend[e] = _class_of(e, edge_face, x, corner, edge, keep, is_soft)


@parallel_kernel
def find_bent(active, edge_start, edge_of, edge_face, x, corner, edge, keep, is_soft, bend, is_bent):
    """Find the edges of active patches that are now sharp and were not: in and out bend, out is_bent (e,) bool."""
    for m in prange(active.shape[0]):
        for place in range(edge_start[active[m]], edge_start[active[m] + 1]):
            e = edge_of[place]
            if bend[e] == BLUNT and _class_of(e, edge_face, x, corner, edge, keep, is_soft) == KEEN:
                bend[e] = KEEN
                is_bent[e] = True


@kernel
def mark_patches(contacts, patches_start, patches, is_asked):
    """Mark all patches that contain a particle of some contacts, (k, 4): out is_asked (p,) bool."""
    for m in range(contacts.shape[0]):
        for e in range(4):
            i = contacts[m, e]
            for place in range(patches_start[i], patches_start[i + 1]):
                is_asked[patches[place]] = True


@part_of_kernel
def _class_of(e, edge_face, x, corner, edge, keep, is_soft):
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
    least = PRESSED * keep[e] if is_soft[e] else keep[e]
    if angle >= SHARP or (angle > FLAT and 0.125 * angle * math.sqrt(square) > least):
        return KEEN
    if is_soft[e]:
        return BLUNT
    return ROUND if angle > FLAT and keep[e] < math.inf else EVEN
