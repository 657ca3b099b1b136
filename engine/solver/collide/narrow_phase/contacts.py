"""Contacts of a substep: point, normal, distance.

Each near pair of a particle and a triangle, and each near pair of edges, is tested for two things: does the motion of
the substep pass through, and how close are the two at its end? A surface that encloses volume has an inside and pushes
outward. Any other surface, and a body against itself, has two sides, and nothing may pass from one to the other.

A contact has four particles with signed weights that sum to zero: particle against triangle 1, -s0, -s1, -s2, edge
against edge 1 - s, s, -(1 - t), -t. The weighted sum of positions is the offset between the two contact points.
"""

from __future__ import annotations

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange
from ..response.response import sides_apart
from .edge_contact import box_of_edge, touch_edges
from .face_contact import SLOTS, touch_faces
from .inside import are_tangled

# Solids are set back where their approach along the normal exceeds this fraction of the rest separation.
FAR = 0.1
# Threads take interleaved parts of all pairs, because expensive pairs are neighbours.
STRIDE = 8
PARTS = 16 * STRIDE


@parallel_kernel
def find_face_contacts(only_through, notes_close, asked, pairs, motion, surfaces, found):
    """Contacts of particles and triangles, SLOTS slots for each near pair of a particle and a body.

    Args:
        only_through: whether to find only pairs whose motion passes through and that may be set back.
        notes_close: whether to write which pairs are close; otherwise `found.close` stays.
        asked: (a,) int64 pairs to test: all, or those selected by `ccd_recheck.CcdRecheck`; others keep `touching`.
        pairs: `columns.NearPairs`; motion: `columns.SubstepMotion`; surfaces: `columns.FacesAndEdges`.
        found: `columns.FoundContacts`, out.
    """
    count = asked.shape[0]
    for task in prange(PARTS):
        part = (task * STRIDE) % PARTS + (task * STRIDE) // PARTS
        _touch_faces_of(
            count * part // PARTS, count * (part + 1) // PARTS, only_through, notes_close, asked,
            pairs, motion, surfaces, found,
        )


@part_of_kernel
def _touch_faces_of(first, stop, only_through, notes_close, asked, pairs, motion, surfaces, found):
    """Test the pairs first : stop of `asked`."""
    touching = found.touching
    for m in range(first, stop):
        pair = asked[m]
        for slot in range(SLOTS * pair, SLOTS * pair + SLOTS):
            touching[slot] = False
        found.close[pair] &= not notes_close
        touch_faces(only_through, notes_close, pair, pairs, motion, surfaces, SLOTS * pair, found)
    for m in range(first, stop):
        for slot in range(SLOTS * asked[m], SLOTS * asked[m] + SLOTS):
            if touching[slot]:
                _finish(only_through, slot, motion, found)


@parallel_kernel
def find_edge_contacts(only_through, notes_close, asked, place, first_close, pairs, motion, surfaces, found):
    """Contacts of near edges, in slots from `place` and in `close` from `first_close` on; see `find_face_contacts`."""
    count = asked.shape[0]
    for task in prange(PARTS):
        part = (task * STRIDE) % PARTS + (task * STRIDE) // PARTS
        _touch_edges_of(
            count * part // PARTS, count * (part + 1) // PARTS, only_through, notes_close, asked,
            place, first_close, pairs, motion, surfaces, found,
        )


@part_of_kernel
def _touch_edges_of(
    first, stop, only_through, notes_close, asked, place, first_close, pairs, motion, surfaces, found
):
    """Test the pairs first : stop of `asked`."""
    x0, x, edge, edge_pair, touching = motion.x0, motion.x, surfaces.edge, pairs.edges, found.touching
    e = -1
    box = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for m in range(first, stop):
        pair = asked[m]
        known = first_close + pair
        found.close[known] &= not notes_close
        # Pairs of one edge are consecutive.
        if edge_pair[pair, 0] != e:
            e = edge_pair[pair, 0]
            box = box_of_edge(x0, x, edge[e, 0], edge[e, 1])
        touching[place + pair] = touch_edges(
            only_through, notes_close, e, edge_pair[pair, 1], box, motion, surfaces, known, place + pair, found
        )
    for m in range(first, stop):
        slot = place + asked[m]
        if touching[slot]:
            _finish(only_through, slot, motion, found)


@part_of_kernel
def _finish(only_through, slot, motion, found):
    """Drop a contact that must not be set back; compute the approach speed of the others."""
    contact, weight, normal = found.contact, found.weight, found.normal
    if only_through:
        found.touching[slot] = _may_set_back(slot, contact, weight, normal, found.rest_separation, motion)
    if found.touching[slot]:
        found.approach[slot] = sides_apart(slot, contact, weight, normal, motion.v)


@kernel
def _may_set_back(slot, contact, weight, normal, rest_separation, motion):
    """Whether a contact may be set back: one side is held, both approach fast, or the bodies do not intersect.

    Fast: by more than the fraction FAR of the rest separation.

    A particle inside a solid is detected and comes out again, while one that passed a sheet would stay on the wrong
    side. But solids that intersect have many such passages. Setting all back at once would strain stiff springs again
    and again, and both would gain energy. An agent inside a solid passes outward freely, so it has no such passages.
    """
    inv_mass, x0, x = motion.inv_mass, motion.x0, motion.x
    i = contact[slot, 0]
    if motion.is_agent[i]:
        return True
    solid = motion.enclosed[contact[slot, 3]] and (weight[slot, 0] == 1.0 or motion.enclosed[i])
    one = motion.body[i]
    closing = 0.0
    first = True
    second = True
    for e in range(4):
        i = contact[slot, e]
        if inv_mass[i] > 0.0 and weight[slot, e] > 0.0:
            first = False
        if inv_mass[i] > 0.0 and weight[slot, e] < 0.0:
            second = False
        for k in range(3):
            closing -= weight[slot, e] * normal[slot, k] * (x[i, k] - x0[i, k])
    if first or second or not solid or closing > FAR * rest_separation[slot]:
        return True
    return not are_tangled(one, motion.body[contact[slot, 3]], motion)
