"""Finds soft particles that a rigid body presses against something immovable.

Such a particle bears the body like the ground under it: cloth under a crate on a floor. By its own small mass alone it
would pass on a small part of the body's momentum in each iteration, and the body would sink until it touches the floor.
Guendelman, Bridson and Fedkiw (2003) call the like shock propagation.

A particle that leaves what is under it bears nothing: cloth that flew up from the floor at 8 m/s between it and a body
threw that body up as if it had no end of mass.
"""

from __future__ import annotations

import numpy as np

from ...solver.rigid.columns import RigidContactColumns
from ...world.world import World

# How many layers of soft particles on each other are followed upwards.
LAYERS = 3
# Share of a contact that a particle must carry to count as supported, or as a support.
SHARE = 0.25
# A body presses a particle onto its support if the angle between both normals has a cosine below minus this.
OPPOSED = 0.7


def supported_inv_mass(world: World, rigid: RigidContactColumns, count: int, h: float) -> np.ndarray:
    """Inverse masses for the contacts of rigid bodies: 0 for particles that these press onto something immovable.

    Args:
        world: with the contacts of soft particles with each other and with immovable ones, and predicted positions.
        rigid: contacts of rigid bodies, the first `count` of them; h: the substep [s].

    Returns:
        (n,) [1/kg], those of the model if there are no such particles.
    """
    inv_mass, x = world.model.inv_mass, world.state.x
    if world.holds.count == 0 or not _any_stands(world):
        return inv_mass
    contact, weight = rigid.contact[:count], rigid.weight[:count]
    normal = rigid.normal[:count]
    is_closed = np.einsum("me,mek,mk->m", weight, x[contact], normal) < rigid.rest_separation[:count]
    is_pressed = is_closed[:, None] & (weight != 0.0) & (inv_mass[contact] > 0.0)
    if not is_pressed.any():
        return inv_mass
    some, up = _supports(world, h)
    place = np.minimum(np.searchsorted(some, contact), len(some) - 1)
    push = np.sign(weight)[:, :, None] * normal[:, None, :]
    cosine = np.einsum("mek,mek->me", push, np.where((some[place] == contact)[:, :, None], up[place], 0.0))
    yields = np.zeros(len(inv_mass), dtype=bool)
    yields[contact[is_pressed & (cosine > -OPPOSED)]] = True
    bears = np.zeros(len(inv_mass), dtype=bool)
    bears[contact[is_pressed & (cosine <= -OPPOSED)]] = True
    bears &= ~yields
    return np.where(bears, 0.0, inv_mass) if bears.any() else inv_mass


def _any_stands(world: World) -> bool:
    """Whether any contact of soft particles has an immovable side; in a heap on a hung cloth none has."""
    table, count = world.holds.columns, world.holds.count
    weight, is_fixed = table.weight[:count], world.model.inv_mass[table.contact[:count]] == 0.0
    some = np.flatnonzero(is_fixed.any(axis=1))
    weight, is_fixed = weight[some], is_fixed[some]
    return any(bool((is_fixed | (sign * weight <= SHARE)).all(axis=1).any()) for sign in (1.0, -1.0))


def _supports(world: World, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Particles in contacts, (s,), ascending, and unit normals (s, 3) of what supports each, 0 of nothing immovable.

    What moves off its support by more than twice a fall from rest in the substep h [s] leaves it.
    """
    inv_mass, state, table, count = world.model.inv_mass, world.state, world.holds.columns, world.holds.count
    weight, normal = table.weight[:count], table.normal[:count]
    some, contact = np.unique(table.contact[:count], return_inverse=True)
    contact = contact.reshape(weight.shape)
    way = (state.x[some] - state.x_prev[some])[contact]
    least = 2.0 * h * h * float(np.linalg.norm(world.model.gravity))
    stays = np.einsum("me,mek,mk->m", weight, way, normal) <= least
    is_fixed, up = inv_mass[some] == 0.0, np.zeros((len(some), 3))
    for _ in range(LAYERS):
        risen = np.zeros_like(up)
        for sign in (1.0, -1.0):
            is_firm = stays & (is_fixed[contact] | (-sign * weight <= SHARE)).all(axis=1)
            rests = is_firm[:, None] & (sign * weight > SHARE) & ~is_fixed[contact]
            row, place = np.nonzero(rests)
            np.add.at(risen, contact[row, place], sign * normal[row])
        length = np.linalg.norm(risen, axis=1)
        found = length > 0.0
        if not found.any():
            break
        up[found] = risen[found] / length[found, None]
        is_fixed |= found
    return some, up
