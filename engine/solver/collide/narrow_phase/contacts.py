"""Contacts of a substep: where, along which normal, how near.

Every near particle and triangle, and every near pair of edges, is looked at twice: does the way of this substep lead
through, and how near are they at its end? A surface that encloses volume has an inside and pushes outward; any other,
and a body against itself, has two sides, and nobody gets from one to the other.

A contact has four particles with shares of either sign that sum to nought: particle against triangle 1, -s0, -s1, -s2,
edge against edge 1 - s, s, -(1 - t), -t. Weighted with them, what the two sides differ by is seen at the point touched.
"""

from __future__ import annotations

from ....compiler.kernels import kernel, parallel_kernel, prange
from ..response.response import sides_apart
from .edge_contact import box_of_edge, touch_edges
from .face_contact import SLOTS, touch_faces

# Solids are set back when they went towards each other by more than this share of their gap.
FAR = 0.1
# Threads take shares of all pairs, dealt out like cards: pairs that have much to do lie side by side.
HANDS = 8
SHARES = 16 * HANDS


@parallel_kernel
def find_face_contacts(
    only_through, asked, pair_particle, pair_start, pair_stop, near, x0, x, v, rest, corner, closed, body, inv_mass,
    enclosed, radius, slack, close, touching, contact, weight, normal, rest_separation, approach,
):
    """Contacts of particles and triangles, SLOTS places for each near pair of a particle and a body.

    Args:
        only_through: whether only those are asked for whom the way leads through, and who may be set back.
        asked: (a,) int64 pairs that are looked at, all, or those that were close before, see `asked.CcdRecheck`; what
            others have in `touching` stays.
        pair_particle: (m,); pair_start, pair_stop: (m,) ranges of near, (k,) triangles.
        x0, x: (n, 3) at the beginning and the end of the way [m]; v: (n, 3) [m/s]; rest: (n, 3) when built [m].
        enclosed: (n,) bool, whether a particle belongs to a surface that has an inside.
        slack: (n,) what may come this near springs may bring still nearer [m].

    Outputs:
        close: (m,) bool, whose ways may lead through each other when both stray by a share of their slack;
        touching: bool; contact: (., 4) particles; weight: (., 4); normal: (., 3) from the second side to the first;
        rest_separation: distance to keep [m]; approach: speed along the normal [m/s].
    """
    pairs = asked.shape[0]
    for card in prange(SHARES):
        share_of_all = (card * HANDS) % SHARES + (card * HANDS) // SHARES
        first = pairs * share_of_all // SHARES
        stop = pairs * (share_of_all + 1) // SHARES
        for m in range(first, stop):
            pair = asked[m]
            for slot in range(SLOTS * pair, SLOTS * pair + SLOTS):
                touching[slot] = False
            close[pair] &= only_through
            touch_faces(
                only_through, pair_particle[pair], near, pair_start[pair], pair_stop[pair], x0, x, rest, corner, closed,
                body, radius, slack, pair, close, SLOTS * pair, touching, contact, weight, normal, rest_separation,
            )
        for m in range(first, stop):
            for slot in range(SLOTS * asked[m], SLOTS * asked[m] + SLOTS):
                if touching[slot]:
                    _finish(
                        only_through, slot, touching, contact, weight, normal, rest_separation, inv_mass, enclosed, x0,
                        x, v, approach,
                    )


@parallel_kernel
def find_edge_contacts(
    only_through, asked, place, first_close, edge_pair, x0, x, v, rest, corner, closed, edge, edge_face, body, inv_mass,
    enclosed, radius, slack, close, touching, contact, weight, normal, rest_separation, approach,
):
    """Contacts of edges, (l, 2) near pairs, from places of contacts and of `close` on; see `find_face_contacts`."""
    edges = asked.shape[0]
    for card in prange(SHARES):
        share_of_all = (card * HANDS) % SHARES + (card * HANDS) // SHARES
        first = edges * share_of_all // SHARES
        stop = edges * (share_of_all + 1) // SHARES
        e = -1
        lx, ly, lz, hx, hy, hz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for m in range(first, stop):
            pair = asked[m]
            known = first_close + pair
            close[known] &= only_through
            # Pairs of an edge follow one another.
            if edge_pair[pair, 0] != e:
                e = edge_pair[pair, 0]
                lx, ly, lz, hx, hy, hz = box_of_edge(x0, x, edge[e, 0], edge[e, 1])
            touching[place + pair] = touch_edges(
                only_through, e, edge_pair[pair, 1], lx, ly, lz, hx, hy, hz, x0, x, rest, corner, closed, edge,
                edge_face, body, radius, slack, known, close, place + pair, contact, weight, normal, rest_separation,
            )
        for m in range(first, stop):
            slot = place + asked[m]
            if touching[slot]:
                _finish(
                    only_through, slot, touching, contact, weight, normal, rest_separation, inv_mass, enclosed, x0, x,
                    v, approach
                )


@kernel
def _finish(
    only_through, slot, touching, contact, weight, normal, rest_separation, inv_mass, enclosed, x0, x, v, approach,
):
    """Whether who touches may be set back at all, and how fast the two come closer."""
    if only_through:
        touching[slot] = _may_set_back(slot, contact, weight, normal, rest_separation, inv_mass, enclosed, x0, x)
    if touching[slot]:
        approach[slot] = sides_apart(slot, contact, weight, normal, v)


@kernel
def _may_set_back(slot, contact, weight, normal, rest_separation, inv_mass, enclosed, x0, x):
    """Whether one side is held, or no solid; solids only if they went towards each other by a share of their gap.

    Who got into a solid is known to be inside and comes out again, who got through a sheet stays beyond it. But solids
    that begin in each other have many such ways: to set them all back at once bends stiff springs, again and again, and
    both gain energy.
    """
    solid = enclosed[contact[slot, 3]] and (weight[slot, 0] == 1.0 or enclosed[contact[slot, 0]])
    way = 0.0
    first = True
    second = True
    for e in range(4):
        i = contact[slot, e]
        if inv_mass[i] > 0.0 and weight[slot, e] > 0.0:
            first = False
        if inv_mass[i] > 0.0 and weight[slot, e] < 0.0:
            second = False
        for k in range(3):
            way -= weight[slot, e] * normal[slot, k] * (x[i, k] - x0[i, k])
    return first or second or not solid or way > FAR * rest_separation[slot]
