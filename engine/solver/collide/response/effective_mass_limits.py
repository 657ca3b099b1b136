"""Limits on the response of free vertices of an edge or triangle whose other vertices are held.

The smaller a vertex's weight in a contact, the further it must move to open it, as if the triangle were a rigid lever.
Elements of soft bodies are no levers, and a vertex thrown by one gains energy from nowhere.
"""

from __future__ import annotations

from ....compiler.kernels import kernel

# Least effective weight: a contact near held vertices would throw a distant free vertex over a longer lever.
SHORTEST_LEVER = 0.1


@kernel
def least_weight(whole, most):
    """W of a contact [1/kg] from its sum and the largest |s_k w_k|: no particle gets more than 1 / SHORTEST_LEVER."""
    return max(whole, SHORTEST_LEVER * most)


@kernel
def within_reach(push, along, own, total_inv_mass, whole):
    """Part of the correction `push` that the movable particles of a contact can provide.

    Where held or pinned particles carry most of the contact, `least_weight` already gives less than the correction.
    Repeated over iterations it would still throw the movable ones, at the held ones' approach divided by the small
    weight. So their recession, `own` of the displacement `along`, is limited to the approach of the others, scaled by
    the weight.
    """
    if total_inv_mass <= whole:
        return push
    return min(push, max(0.0, own - along - own * total_inv_mass / whole))


@kernel
def without_lever(push, along, driven, bearing):
    """Part of the correction `push` that remains where pins drive their own edge or triangle against something.

    An approach `driven` by pins [m or m/s] would turn the element about the contact point like a rod, and throw its
    free vertex faster the smaller its weight. Soft elements are no rods. The correction is therefore limited to what a
    free vertex contributes that moves no faster than the pins, the fraction `bearing`, however many iterations there
    are. `along`: separation of the sides.
    """
    if driven <= 0.0:
        return push
    return min(push, max(0.0, -along - driven * (1.0 - bearing)))


@kernel
def pins_in(m, contact, weight, normal, total_inv_mass, ends, starts):
    """Approach that pins cause at a contact, from `ends` minus `starts`, and the fraction that free vertices bear.

    `contact` names particles or rows; `total_inv_mass` holds their inverse masses.
    """
    driven = 0.0
    whole = 0.0
    lever = 0.0
    for side in range(2):
        pinned = 0.0
        sum_of_side = 0.0
        most = 0.0
        for e in range(4):
            part = weight[m, e]
            if part == 0.0 or (part > 0.0) != (side == 0):
                continue
            i = contact[m, e]
            w = float(total_inv_mass[i])
            if w > 0.0:
                most = max(most, abs(part) * w)
                sum_of_side += part * part * w
                continue
            for k in range(3):
                pinned -= part * normal[m, k] * (float(ends[i, k]) - float(starts[i, k]))
        if most > 0.0 and pinned > 0.0:
            driven += pinned
            whole += sum_of_side
            lever += most
    return driven, min(1.0, whole / lever) if lever > 0.0 else 1.0
