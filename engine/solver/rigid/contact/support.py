"""Finds soft particles that a rigid body presses against something immovable.

Such a particle supports the body like the ground under it: cloth under a crate on a floor. With only its own small mass
it would transmit a small part of the body's momentum in each iteration, and the body would sink until it touches the
floor. Guendelman, Bridson and Fedkiw (2003) call a similar method shock propagation.

A particle that moves off its support supports nothing: cloth that flew up from the floor at 8 m/s between the floor and
a body threw that body up as if the cloth had infinite mass.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel

# How many layers of soft particles on each other are followed upwards.
LAYERS = 3
# Weight in a contact above which a particle counts as supported, or as a support.
LEAST_WEIGHT = 0.25
# A body presses a particle onto its support if the angle between both normals has a cosine below minus this.
OPPOSED = 0.7


class SupportScratch(NamedTuple):
    """Scratch of `support_particles`, zero between its calls. Its rows are the particles from `first` on.

    Attributes:
        first: (1,) int64, the first particle that can be in a contact.
        up: (p, 3) unit normal of the support of each particle, 0 without immovable support; raised: (p, 3), sum of the
            normals in the next layer.
        is_fixed: (p,) bool, particles that can support others; is_support, yields: (p,) bool, particles that bodies
            press onto their support, or in another direction.
    """

    first: np.ndarray
    up: np.ndarray
    raised: np.ndarray
    is_fixed: np.ndarray
    is_support: np.ndarray
    yields: np.ndarray


def support_scratch(first: int, stop: int) -> SupportScratch:
    """Allocate for particles from `first` up to `stop`."""
    count = stop - first
    return SupportScratch(
        np.array([first]), np.zeros((count, 3)), np.zeros((count, 3)), *(np.zeros(count, np.bool_) for _ in range(3))
    )


@kernel
def support_particles(soft_count, soft, count, rigid, places, inv_mass, least, stays_closed, scratch, supported):
    """Set the inverse masses of particles to 0 that rigid bodies press onto something immovable.

    Args:
        soft_count, soft: contacts of soft particles with each other and with immovable sides, a `ContactColumns`.
        count, rigid: contacts of rigid bodies, a `RigidContactColumns`; places: x and x_prev, (n, 3) each [m].
        inv_mass: (n,) [1/kg]; least: displacement off its support above which a particle leaves it [m].
        stays_closed: (soft_count,) bool, scratch; scratch: see `SupportScratch`; supported: out (n,), a copy of
            `inv_mass`, with 0 for supported particles.

    Returns:
        whether there is any such particle; if not, `supported` is not written.
    """
    if soft_count == 0 or not touches_particle(count, rigid, places[0], inv_mass):
        return False
    x, x_prev = places
    first = scratch.first[0]
    for m in range(soft_count):
        along = 0.0
        for e in range(4):
            i = soft.contact[m, e]
            scratch.is_fixed[i - first] = inv_mass[i] == 0.0
            for k in range(3):
                along += soft.weight[m, e] * (x[i, k] - x_prev[i, k]) * soft.normal[m, k]
        stays_closed[m] = along <= least
    for _layer in range(LAYERS):
        if not raise_supports(soft_count, soft, stays_closed, first, scratch):
            break
    any_supports = mark_pressed(count, rigid, x, inv_mass, first, scratch)
    if any_supports:
        for i in range(inv_mass.shape[0]):
            supported[i] = inv_mass[i]
        for m in range(count):
            for e in range(4):
                i = rigid.contact[m, e]
                if i >= first and scratch.is_support[i - first] and not scratch.yields[i - first]:
                    supported[i] = 0.0
    for m in range(soft_count):
        for e in range(4):
            i = soft.contact[m, e] - first
            # Clear `raised` as well: `raise_supports` does not clear values that are not finite.
            for k in range(3):
                scratch.up[i, k] = scratch.raised[i, k] = 0.0
            scratch.is_fixed[i] = False
    for m in range(count):
        for e in range(4):
            i = rigid.contact[m, e] - first
            if i >= 0:
                scratch.is_support[i] = scratch.yields[i] = False
    return any_supports


@kernel
def is_touching(m, rigid, x):
    """Whether contact m of a rigid body is nearer than its rest separation."""
    apart = 0.0
    for e in range(4):
        i = rigid.contact[m, e]
        for k in range(3):
            apart += rigid.weight[m, e] * x[i, k] * rigid.normal[m, k]
    return apart < rigid.rest_separation[m]


@kernel
def touches_particle(count, rigid, x, inv_mass):
    """Whether a rigid body touches any movable particle."""
    for m in range(count):
        for e in range(4):
            if rigid.weight[m, e] != 0.0 and inv_mass[rigid.contact[m, e]] > 0.0:
                if is_touching(m, rigid, x):
                    return True
                break
    return False


@kernel
def raise_supports(soft_count, soft, stays_closed, first, scratch):
    """Mark the particles on a layer of supports in `scratch.up` and `is_fixed`; returns whether there are any."""
    for side in range(2):
        sign = 1.0 if side == 0 else -1.0
        for m in range(soft_count):
            is_firm = stays_closed[m]
            for e in range(4):
                is_firm &= scratch.is_fixed[soft.contact[m, e] - first] or -sign * soft.weight[m, e] <= LEAST_WEIGHT
            if not is_firm:
                continue
            for e in range(4):
                i = soft.contact[m, e] - first
                if sign * soft.weight[m, e] > LEAST_WEIGHT and not scratch.is_fixed[i]:
                    for k in range(3):
                        scratch.raised[i, k] += sign * soft.normal[m, k]
    found = False
    for m in range(soft_count):
        for e in range(4):
            i = soft.contact[m, e] - first
            square = scratch.raised[i, 0] ** 2 + scratch.raised[i, 1] ** 2 + scratch.raised[i, 2] ** 2
            if square > 0.0:
                found, length = True, math.sqrt(square)
                for k in range(3):
                    scratch.up[i, k] = scratch.raised[i, k] / length
                    scratch.raised[i, k] = 0.0
                scratch.is_fixed[i] = True
    return found


@kernel
def mark_pressed(count, rigid, x, inv_mass, first, scratch):
    """Mark the particles that rigid bodies press, as `is_support` or as `yields`; returns whether any is a support."""
    any_supports = False
    for m in range(count):
        if not is_touching(m, rigid, x):
            continue
        for e in range(4):
            i, weight = rigid.contact[m, e], rigid.weight[m, e]
            if weight == 0.0 or not inv_mass[i] > 0.0 or i < first:
                continue
            cosine = 0.0
            for k in range(3):
                cosine += math.copysign(1.0, weight) * rigid.normal[m, k] * scratch.up[i - first, k]
            if cosine > -OPPOSED:
                scratch.yields[i - first] = True
            else:
                scratch.is_support[i - first] = any_supports = True
    return any_supports
