"""What contacts may give free corners of an edge or triangle whose other corners are held.

The less a corner bears of a contact, the farther it must go to open it, as if the triangle were a lever. Springs are
no levers, and what is thrown by one has energy from nowhere.
"""

from __future__ import annotations

from ....compiler.kernels import kernel

# Held corners leave a contact near them to a free one far off, which a long lever would throw away; no lever is longer.
SHORTEST_LEVER = 0.1


@kernel
def least_weight(whole, most):
    """W of a contact [1/kg] from its sum and the largest |s_k w_k|: no particle gets more than 1 / SHORTEST_LEVER."""
    return max(whole, SHORTEST_LEVER * most)


@kernel
def within_reach(push, along, own, total_inv_mass, whole):
    """How much of `push` those of a contact can give who may move at all.

    Where others bear all but a share of it, held or pinned, least_weight gives less than was asked. Asked again and
    again it would all the same throw them, at a speed of one over their share of the way that the others came: so they
    go no faster away, by `own` of the way `along`, than the weight lets them of what those come.
    """
    if total_inv_mass <= whole:
        return push
    return min(push, max(0.0, own - along - own * total_inv_mass / whole))


@kernel
def without_lever(push, along, driven, bearing):
    """How much of `push` is left where pins drive their own edge or triangle at something.

    What comes `driven` [m or m/s] by pins would turn about the point of contact as a rod, and throw a free corner
    beside them the faster the less it bears; springs are no rods. So it is stopped only as far as a corner does that
    goes no faster than the pins, the share `bearing` of it, however often it is asked. `along`: how the sides part.
    """
    if driven <= 0.0:
        return push
    return min(push, max(0.0, -along - driven * (1.0 - bearing)))


@kernel
def pins_in(m, contact, weight, normal, total_inv_mass, ends, starts):
    """How far pins drive a contact together, by what `ends` and `starts` differ, and what corners beside them bear.

    `contact` names particles or rows, of which `total_inv_mass` is the inverse mass.
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
