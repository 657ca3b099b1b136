"""How far the air of an island has changed since its volumes and gradients were measured, see `gas.volume`."""

from __future__ import annotations

from ....compiler.kernels import kernel

# Highest rate at which air that pushes in outdated directions may make a rotation of a held piece grow [1/s].
MOST_GROWTH = 0.1


@kernel
def volume_changes(air, parts, g):
    """now = volume plus the change by the rows' displacements; ended: the same for the end of the previous inner step.

    Args: air: `gas.columns.AirRows` after `block_changes`; parts: `gas.columns.AirParts`, out: `now`, `ended`; g: the
    island.
    """
    block_part = air.block_part
    change = air.change
    volume = parts.volume
    now = parts.now
    ended = parts.ended
    for place in range(parts.of_parts[g], parts.of_parts[g + 1]):
        p = parts.part[place]
        now[p] = volume[p]
        ended[p] = volume[p]
    for place in range(air.of_blocks[g], air.of_blocks[g + 1]):
        block = air.block[place]
        now[block_part[block]] += change[block, 0]
        ended[block_part[block]] += change[block, 1]


@kernel
def has_changed(parts, g, fraction):
    """Whether the volume of any piece with air of island g has changed by more than `fraction` of it."""
    volume = parts.volume
    now = parts.now
    active = parts.active
    for place in range(parts.of_parts[g], parts.of_parts[g + 1]):
        p = parts.part[place]
        if active[p] and not abs(now[p] - volume[p]) <= fraction * abs(volume[p]):
            return True
    return False


@kernel
def may_rotate(parts, g, time, held):
    """Whether air with under-pressure may rotate a piece of island g in `time` [s] after its gradients were measured.

    Air that keeps pushing in the old directions after a small rotation t has the torque
    p sum (t x x) x grad V = -2 p V t about the centre, since sum x grad V^T = V 1. So with p < 0 the angular velocity
    grows by k^2 t with k^2 = -2 p V / I, as for an inverted pendulum, and gains energy from nothing: each time that the
    gradients are measured it is exp(k^2 time^2 / 2) times as fast, which is a rate of k^2 time / 2. I >= 4 V^2 / W,
    because (2 V)^2 <= I W. The angular momentum of free pieces is restored, so k time < 1 is enough. Where a row of the
    island is held (`held`), the rate is limited: a pinned hull with struts was spun up to 150 rad/s.
    """
    for place in range(parts.of_parts[g], parts.of_parts[g + 1]):
        p = parts.part[place]
        push = -parts.pressure[p] * parts.weight[p] * time
        most = 4.0 * MOST_GROWTH if held else 2.0 / time
        if parts.active[p] and push > most * abs(parts.volume[p]):
            return True
    return False
