"""Air that leaves through tears.

Through a hole of the area A gas flows as a jet of the speed v = sqrt(2 Δp / ρ), contracted to a fraction C of the hole
(orifice flow, ISO 5167). In the terms of `gas.volume`, with N = p V the amount of gas at constant temperature,

    dN/dt = -p C A v            its momentum causes the opposite thrust on the body  ρ C A v² = 2 C Δp A

Air enters in the same way where the pressure inside is lower. The flow stops where the pressures become equal within
the substep. A body contains air no longer if a hole is so wide that WIDE would vanish within a substep.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....mesh.graph.edges import pair_keys
from ....mesh.tear.torn_mesh import TornMesh
from ....solver.constraints.gas.volume import AMBIENT
from ....world.world import World
from ..tables.gas import GasTable
from ..tables.rows import Rows

# Density of air at ambient pressure [kg/m³], contraction of the jet, and speed of sound [m/s].
DENSITY, CONTRACTION, SPEED_OF_SOUND = 1.2, 0.61, 340.0
# Over-pressure that a wide hole releases within a substep [Pa].
WIDE = 1000.0


class Leaks:
    """Holes of all bodies that contain air."""

    def __init__(self, torn: Sequence[tuple[int, TornMesh]], gas: GasTable, rows: Rows) -> None:
        """Args: torn: first particle of each body that may tear, and its mesh."""
        self._gas, self._rows = gas, rows
        particle = np.append(rows.ids, -1)
        ends = particle[np.stack([gas.rims.i, gas.rims.j], axis=1)]
        is_torn = np.zeros(len(ends), dtype=bool)
        for start, mesh in torn if len(ends) else ():
            own = np.flatnonzero((ends[:, 0] >= start) & (ends[:, 0] < start + mesh.used))
            is_torn[own] = _was_inside(mesh, mesh.parent[ends[own] - start])
        rim = np.repeat(np.arange(len(gas.rims.part)), np.diff(gas.rims.start))
        self._rims = np.unique(rim[is_torn])
        some = np.isin(rim, self._rims)
        self._ends, self._hole = ends[some], np.searchsorted(self._rims, rim[some])
        self._part = gas.rims.part[self._rims].astype(np.int64)
        part_of_row = np.full(len(rows.at), -1)
        part_of_row[gas.ids] = np.repeat(gas.id_block_part, np.diff(gas.id_block))
        self._members = {int(p): rows.ids[np.flatnonzero(part_of_row[:-1] == p)] for p in np.unique(self._part)}

    def act(self, world: World, h: float) -> None:
        """In a substep of h [s]: remove the air that leaves, and apply its thrust to the bodies."""
        gas = self._gas
        if not len(self._rims) or not gas.active[self._part].any():
            return
        self._rows.read_positions(world.state)
        gas.measure(self._rows.at)
        holes = self._holes(world.state.x)
        area = np.linalg.norm(holes, axis=1)
        for part in np.unique(self._part[gas.active[self._part]]).tolist():
            own = self._part == part
            volume = float(gas.volume[part])
            # Amount that leaves in the substep with a jet of 1 m/s.
            flow = AMBIENT * CONTRACTION * float(area[own].sum()) * h
            if flow * np.sqrt(2.0 * WIDE / DENSITY) >= WIDE * volume:
                gas.active[part] = False
                continue
            over = float(gas.amount[part]) / volume - AMBIENT
            speed = min(np.sqrt(2.0 * abs(over) / DENSITY), SPEED_OF_SOUND)
            lost = np.sign(over) * min(flow * speed * (1.0 + over / AMBIENT), abs(over) * volume)
            gas.amount[part] -= lost
            ids = self._members[part]
            free = ids[world.model.inv_mass[ids] > 0.0]
            mass = float(world.model.mass[free].sum())
            if over > 0.0 and mass > 0.0:
                thrust = DENSITY * speed * lost / AMBIENT
                outward = holes[own].sum(axis=0)
                world.state.v[free] -= thrust / mass * outward / max(float(np.linalg.norm(outward)), 1e-300)
        gas.breathes = bool(gas.active.any())

    def _holes(self, x: np.ndarray) -> np.ndarray:
        """Area vector of each hole, out of the body, (k, 3) [m²]."""
        a, b = x[self._ends[:, 0]], x[self._ends[:, 1]]
        count = np.maximum(np.bincount(self._hole, minlength=len(self._rims)), 1)
        middle = np.stack([np.bincount(self._hole, a[:, k], len(self._rims)) / count for k in range(3)], axis=1)
        each = 0.5 * np.cross(b - middle[self._hole], a - middle[self._hole])
        return np.stack([np.bincount(self._hole, each[:, k], len(self._rims)) for k in range(3)], axis=1)


def _was_inside(mesh: TornMesh, ends: np.ndarray) -> np.ndarray:
    """Which edges between vertices (k, 2) had faces on both sides in the whole mesh."""
    borders = mesh.corners.vertex[mesh.corners.borders()]
    keys, _span = pair_keys(np.concatenate([borders, ends]))
    names, count = np.unique(keys[: len(borders)], return_counts=True)
    return count[np.minimum(np.searchsorted(names, keys[len(borders) :]), len(names) - 1)] >= 2
