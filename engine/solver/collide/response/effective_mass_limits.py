"""Limits on the response of free vertices of an edge or triangle whose other vertices are held.

The smaller a vertex's weight in a contact, the further it must move to open the contact, as if the triangle were a
rigid lever. Elements of soft bodies are not levers: a vertex thrown by one gains energy from nowhere.
"""

from __future__ import annotations

from ....compiler.kernels import kernel

# Least effective weight: a contact near held vertices would throw a distant free vertex by a longer lever.
SHORTEST_LEVER = 0.1


@kernel
def least_weight(inv_mass_sum, most):
    """W of a contact [1/kg] from its sum and the largest |s_k w_k|: moves no particle over 1 / SHORTEST_LEVER times."""
    return max(inv_mass_sum, SHORTEST_LEVER * most)


@kernel
def within_reach(correction, along, own, total_inv_mass, inv_mass_sum):
    """Limit a correction [m or m/s] to what the movable particles of a contact can provide.

    Where held or pinned particles have most of the weight, `least_weight` already gives less than the full correction.
    Repeated over iterations it would still throw the movable particles: at the approach of the held ones divided by
    the small weight. So the recession of the movable particles, which is `own` of the relative displacement `along`, is
    limited to the approach of the held ones, scaled by the weight.
    """
    if total_inv_mass <= inv_mass_sum:
        return correction
    return min(correction, max(0.0, own - along - own * total_inv_mass / inv_mass_sum))


@kernel
def limit_pin_drive(correction, along, driven, free_fraction):
    """Limit a correction where pins drive their own edge or triangle against something.

    An approach `driven` by pins [m or m/s] would rotate the element about the contact point like a rod, and throw its
    free vertex faster the smaller its weight. Soft elements are not rods. The correction is therefore limited to what
    a free vertex contributes if it moves no faster than the pins, `free_fraction` of the approach, for any number of
    iterations. `along`: relative displacement or velocity of the sides.
    """
    if driven <= 0.0:
        return correction
    return min(correction, max(0.0, -along - driven * (1.0 - free_fraction)))


@kernel
def pins_in(m, contact, weight, normal, total_inv_mass, ends, starts):
    """Approach by pins at a contact, from `ends` minus `starts`, and the fraction of it that free vertices can provide.

    `contact` names particles or rows; `total_inv_mass` holds their inverse masses.
    """
    driven = 0.0
    inv_mass_sum = 0.0
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
            inv_mass_sum += sum_of_side
            lever += most
    return driven, min(1.0, inv_mass_sum / lever) if lever > 0.0 else 1.0
