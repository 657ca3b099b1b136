"""Energy that a world is given, measured: what T21 means by input."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from flotsam.engine.solver.rotation import rotation_matrices
from flotsam.engine.step import advance
from flotsam.engine.step.stage import Stage
from flotsam.engine.systems.flock.system import Flocks
from flotsam.engine.world.world import World


class EnergyLedger:
    """Kinetic energy of a world, and all that forces gave it so far.

    Most forces on particles act before a substep moves them, so they give what the kinetic energy grows by until then.
    Those on rigid bodies, and the pressure of water on soft ones, act while all move: they give force times way.
    Springs and contacts give nothing. Rigid bodies count with their height, as gravity acts while they move. What is in
    water counts with the water that moves with it, the same in all of a substep.

    Attributes:
        given: kinetic energy at the start, and what forces gave since [J]; kinetic: now [J].
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._take_masses()
        self.given = self.kinetic = self.energy(self._world.state.v)
        self.note()

    def note(self) -> None:
        """Before particles move: add what forces gave since the last substep; remember where all are."""
        state, rigid = self._world.state, self._world.rigid
        water = self._world.spread_force.dv_per_step
        self._take_masses()
        now = self.energy(state.v - water if len(water) else state.v)
        self.given += now - self.kinetic
        self.kinetic, self._x = now, state.x.copy()
        if rigid is not None:
            self._position, self._turn = rigid.position.copy(), rotation_matrices(rigid.rotation)

    def _take_masses(self) -> None:
        rigid = self._world.rigid
        self._mass, self._heavy = self._world.model.mass.copy(), None if rigid is None else rigid.mass.copy()

    def end_substep(self) -> None:
        """Add the work of forces that acted while all moved."""
        state, model, rigid, h = self._world.state, self._world.model, self._world.rigid, self._world.h
        water, way, free = self._world.spread_force, state.x - self._x, model.inv_mass > 0.0
        if len(water.dv_per_step):
            mean = water.dv_per_step + 0.5 * water.dv_gradient * way[:, 2:]
            self.given += float((self._mass[free, None] * mean[free] * way[free]).sum()) / h
        if rigid is not None:
            turn = np.einsum("bij,bkj->bik", rotation_matrices(rigid.rotation), self._turn)
            turned = 0.5 * np.stack([turn[:, k - 1, k - 2] - turn[:, k - 2, k - 1] for k in range(3)], axis=1)
            self.given += float(((rigid.force + rigid.spread_force) * (rigid.position - self._position)).sum())
            self.given += float(((rigid.torque + rigid.spread_torque) * turned).sum())
        self.kinetic = self.energy(self._world.state.v)

    def _spins(self) -> np.ndarray:
        """Angular velocity of each rigid body, (b, 3) [rad/s]."""
        rigid = self._world.rigid
        turn = rotation_matrices(rigid.rotation)
        inertia = np.einsum("bij,bj,bkj->bik", turn, rigid.inertia, turn)
        return np.linalg.solve(inertia, rigid.angular_momentum[..., None])[..., 0]

    def energy(self, v: np.ndarray) -> float:
        """Kinetic energy at velocities (n, 3) [m/s], with the potential energy of rigid bodies [J]."""
        model, rigid = self._world.model, self._world.rigid
        mass = np.where(model.inv_mass > 0.0, self._mass, 0.0)
        energy = 0.5 * float(mass @ (v**2).sum(axis=1))
        if rigid is not None:
            energy += 0.5 * float(self._heavy @ (rigid.velocity**2).sum(axis=1))
            energy += 0.5 * float((self._spins() * rigid.angular_momentum).sum())
            energy -= float(self._heavy @ rigid.position @ model.gravity)
        return energy


@contextmanager
def measured(world: World) -> Iterator[EnergyLedger]:
    """A ledger that follows a world of constraints (XPBD) while it is stepped."""
    ledger, predict, finish, act = EnergyLedger(world), advance.predict, advance._finish_substep, Flocks.apply

    def noted(*args: Any) -> None:
        ledger.note()
        predict(*args)

    def finished(*args: Any) -> None:
        finish(*args)
        ledger.end_substep()

    def steered(flocks: Flocks, stage: Stage, *args: Any) -> None:
        # Agents also land and turn at the end of a substep.
        before = ledger.energy(world.state.v) if stage is Stage.VELOCITY else 0.0
        act(flocks, stage, *args)
        if stage is Stage.VELOCITY:
            ledger.given += ledger.energy(world.state.v) - before

    advance.predict, advance._finish_substep, Flocks.apply = noted, finished, steered
    try:
        yield ledger
    finally:
        advance.predict, advance._finish_substep, Flocks.apply = predict, finish, act
