"""Applies external forces to particles and rigid bodies through one function."""

from __future__ import annotations

import numpy as np

from .world import World


def push(world: World, ids: np.ndarray, force: np.ndarray, h: float) -> None:
    """Apply forces to particles for the time h [s].

    A particle of a rigid body passes the force, and its torque, on to the body. Held particles ignore forces.

    Args: ids: (m,) particles, repeats allowed; force: (m, 3) [N].
    """
    state, model, rigid = world.state, world.model, world.rigid
    free = model.inv_mass[ids] > 0.0
    np.add.at(state.v, ids[free], h * model.inv_mass[ids[free], None] * force[free])
    if rigid is None:
        return
    own = (ids >= rigid.own.start) & (ids < rigid.own.stop)
    body = np.searchsorted(rigid.start, ids[own], side="right") - 1
    np.add.at(rigid.force, body, force[own])
    np.add.at(rigid.torque, body, np.cross(state.x[ids[own]] - rigid.position[body], force[own]))
