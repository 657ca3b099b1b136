"""Agents that float on water: balls sized by mass and density, submerged until they displace their weight.

    F = rho g V,   V of the part of a ball below the surface: pi s² (3 r - s) / 3 with s = clip(r + depth, 0, 2 r)

Water damps their bobbing. Along its surface they move as they decide, and the flow carries them (`Field.flow_at`).
"""

from __future__ import annotations

import numpy as np

from ...compiler.kernels import parallel_kernel, prange
from ...solver.forces.waves import stream_at, wave_at
from ...spec import WaterSpec, WorldSpec
from ...world.builder import Builder
from ...world.world import World

# Damping rate of bobbing for a fully submerged ball [1/s].
BRAKE = 15.0
TASK = 256


class WetBalls:
    """Agents of a world that do not support their own weight."""

    def __init__(self, spec: WorldSpec, builder: Builder) -> None:
        """Find the agents and their radii."""
        ids, volume = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        for system in spec.systems:
            if system.traits.steers:
                own = builder.range_of(system.name)
                ids.append(own)
                volume.append(np.full(len(own), float(system.mass) / float(system.density)))
        self._ids, volume = np.concatenate(ids), np.concatenate(volume)
        self._radius = np.cbrt(0.75 * volume / np.pi)

    def push(self, world: World, water: WaterSpec, height: float, waves: np.ndarray, h: float) -> None:
        """Apply buoyancy and damping in a substep of h [s]; height [m], waves: see `lift_balls`."""
        if len(self._ids):
            state = world.state
            gravity = float(np.linalg.norm(world.model.gravity))
            lift_balls(
                self._ids, self._radius, state.columns["hold"], world.model.inv_mass, state.x,
                (height, float(water.flow[2]), float(water.density) * gravity), waves, h, state.v,
            )


@parallel_kernel
def lift_balls(ids, radius, hold, inv_mass, x, water, waves, h, v):
    """v += h F / m upward, minus the water's damping.

    Args: water: height without waves [m], upward flow [m/s], rho g [N/m³]; waves: see `forces.waves.wave_at`.
    """
    height, flow, specific_weight = water
    for task in prange((ids.shape[0] + TASK - 1) // TASK):
        for n in range(TASK * task, min(TASK * (task + 1), ids.shape[0])):
            i, r = ids[n], radius[n]
            s = min(max(r + (height + wave_at(waves, i)) - x[i, 2], 0.0), 2.0 * r)
            if s > 0.0 and hold[i] < 1.0:
                volume = np.pi * s * s * (3.0 * r - s) / 3.0
                v[i, 2] += h * (1.0 - hold[i]) * specific_weight * volume * inv_mass[i]
                rise = flow + stream_at(waves, i)[2]
                v[i, 2] += (rise - v[i, 2]) * (1.0 - hold[i]) * -np.expm1(-h * BRAKE * s / (2.0 * r))
