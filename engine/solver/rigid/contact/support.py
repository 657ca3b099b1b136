"""Finds soft particles that a rigid body presses against something immovable.

Such a particle bears the body like the ground under it: cloth under a crate on a floor. By its own small mass alone it
would pass on a small part of the body's momentum in each iteration, and the body would sink until it touches the floor.
Guendelman, Bridson and Fedkiw (2003) call the like shock propagation.

A particle that leaves what is under it bears nothing: cloth that flew up from the floor at 8 m/s between it and a body
threw that body up as if it had no end of mass.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel

# How many layers of soft particles on each other are followed upwards.
LAYERS = 3
# Share of a contact that a particle must carry to count as supported, or as a support.
SHARE = 0.25
# A body presses a particle onto its support if the angle between both normals has a cosine below minus this.
OPPOSED = 0.7


class SupportRoom(NamedTuple):
    """Scratch of `support_particles`, nought between its calls. Particles count from `first`.

    Attributes:
        first: (1,) int64, the first particle that can be in a contact.
        up: (p, 3) unit normal of what supports each particle, 0 of nothing immovable; risen: (p, 3) of a layer.
        is_fixed: (p,) bool, what supports others; bears, yields: (p,) bool.
    """

    first: np.ndarray
    up: np.ndarray
    risen: np.ndarray
    is_fixed: np.ndarray
    bears: np.ndarray
    yields: np.ndarray


def support_room(first: int, stop: int) -> SupportRoom:
    """Room for particles from `first` up to `stop`."""
    count = stop - first
    return SupportRoom(
        np.array([first]), np.zeros((count, 3)), np.zeros((count, 3)), *(np.zeros(count, np.bool_) for _ in range(3))
    )


@kernel
def support_particles(soft_count, soft, count, rigid, places, inv_mass, least, stays, room, supported):
    """Set the inverse masses of particles to 0 that rigid bodies press onto something immovable.

    Args:
        soft_count, soft: contacts of soft particles with each other and with what is immovable, a `ContactColumns`.
        count, rigid: contacts of rigid bodies, a `RigidContactColumns`; places: x and x_prev, (n, 3) each [m].
        inv_mass: (n,) [1/kg]; least: way [m] off its support by which a particle leaves it.
        stays: (soft_count,) bool, scratch; room: see `SupportRoom`; supported: out (n,), a copy of `inv_mass`.

    Returns:
        whether there is any such particle; `supported` is not touched if not.
    """
    if soft_count == 0 or not any_presses(count, rigid, places[0], inv_mass):
        return False
    x, x_prev = places
    first = room.first[0]
    for m in range(soft_count):
        along = 0.0
        for e in range(4):
            i = soft.contact[m, e]
            room.is_fixed[i - first] = inv_mass[i] == 0.0
            for k in range(3):
                along += soft.weight[m, e] * (x[i, k] - x_prev[i, k]) * soft.normal[m, k]
        stays[m] = along <= least
    for _layer in range(LAYERS):
        if not rise(soft_count, soft, stays, first, room):
            break
    any_bears = mark_pressed(count, rigid, x, inv_mass, first, room)
    if any_bears:
        for i in range(inv_mass.shape[0]):
            supported[i] = inv_mass[i]
        for m in range(count):
            for e in range(4):
                i = rigid.contact[m, e]
                if i >= first and room.bears[i - first] and not room.yields[i - first]:
                    supported[i] = 0.0
    for m in range(soft_count):
        for e in range(4):
            i = soft.contact[m, e] - first
            # What is not finite would stay in it.
            for k in range(3):
                room.up[i, k] = room.risen[i, k] = 0.0
            room.is_fixed[i] = False
    for m in range(count):
        for e in range(4):
            i = rigid.contact[m, e] - first
            if i >= 0:
                room.bears[i] = room.yields[i] = False
    return any_bears


@kernel
def is_closed(m, rigid, x):
    """Whether contact m of a rigid body is nearer than its rest separation."""
    apart = 0.0
    for e in range(4):
        i = rigid.contact[m, e]
        for k in range(3):
            apart += rigid.weight[m, e] * x[i, k] * rigid.normal[m, k]
    return apart < rigid.rest_separation[m]


@kernel
def any_presses(count, rigid, x, inv_mass):
    """Whether a rigid body touches any particle that can move."""
    for m in range(count):
        for e in range(4):
            if rigid.weight[m, e] != 0.0 and inv_mass[rigid.contact[m, e]] > 0.0:
                if is_closed(m, rigid, x):
                    return True
                break
    return False


@kernel
def rise(soft_count, soft, stays, first, room):
    """Support what lies on a layer of supports: `room.up`, `room.is_fixed`; whether there is any."""
    for side in range(2):
        sign = 1.0 if side == 0 else -1.0
        for m in range(soft_count):
            is_firm = stays[m]
            for e in range(4):
                is_firm &= room.is_fixed[soft.contact[m, e] - first] or -sign * soft.weight[m, e] <= SHARE
            if not is_firm:
                continue
            for e in range(4):
                i = soft.contact[m, e] - first
                if sign * soft.weight[m, e] > SHARE and not room.is_fixed[i]:
                    for k in range(3):
                        room.risen[i, k] += sign * soft.normal[m, k]
    found = False
    for m in range(soft_count):
        for e in range(4):
            i = soft.contact[m, e] - first
            square = room.risen[i, 0] ** 2 + room.risen[i, 1] ** 2 + room.risen[i, 2] ** 2
            if square > 0.0:
                found, length = True, math.sqrt(square)
                for k in range(3):
                    room.up[i, k] = room.risen[i, k] / length
                    room.risen[i, k] = 0.0
                room.is_fixed[i] = True
    return found


@kernel
def mark_pressed(count, rigid, x, inv_mass, first, room):
    """Mark the particles that rigid bodies press, by whether they bear that or yield; whether any may bear it."""
    any_bears = False
    for m in range(count):
        if not is_closed(m, rigid, x):
            continue
        for e in range(4):
            i, weight = rigid.contact[m, e], rigid.weight[m, e]
            if weight == 0.0 or not inv_mass[i] > 0.0 or i < first:
                continue
            cosine = 0.0
            for k in range(3):
                cosine += math.copysign(1.0, weight) * rigid.normal[m, k] * room.up[i - first, k]
            if cosine > -OPPOSED:
                room.yields[i - first] = True
            else:
                room.bears[i - first] = any_bears = True
    return any_bears
