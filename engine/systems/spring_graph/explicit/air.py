"""Air in hollow pieces as an explicit force, for the symplectic integrator."""

from __future__ import annotations

import numpy as np

from ....solver.constraints.gas import caps
from ....solver.constraints.gas import volume as law
from ....solver.forces.air import apply_air_pressure
from ....world.world import State
from ..tables.gas import GasTable
from ..tables.rows import Rows


class ExplicitAir:
    """Applies the air of the gas table, with the over-pressure for the volume at the start of the substep."""

    def __init__(self, gas: GasTable, rows: Rows) -> None:
        """Args: gas; rows: the rows that its tables refer to."""
        self._gas = gas
        self._rows = rows
        self._ids = rows.ids[gas.ids]
        self._normal = np.zeros((len(gas.triangles), 3))
        self._gradient = np.zeros((len(gas.ids), 3))
        self._tri_value = np.zeros(len(gas.tri_block_part))
        self._id_value = np.zeros(len(gas.id_block_part))

    @property
    def body(self) -> np.ndarray:
        """Index of each piece's body, (parts,) int32."""
        return self._gas.body

    @property
    def pushes(self) -> bool:
        """Whether any piece contains air."""
        return self._gas.breathes

    def push(self, state: State, inv_mass: np.ndarray, h: float) -> None:
        """Add h f / m to the velocities; inv_mass: (n,) [1/kg]; h: [s]."""
        if self.pushes:
            self._measure(state)
            gas = self._gas
            apply_air_pressure(
                self._ids, gas.id_block, gas.id_block_part, self._gradient, gas.pressure, inv_mass, h, state.v
            )

    def omega_squared(self, state: State, inv_mass: np.ndarray) -> np.ndarray:
        """Bound on omega² of each piece in its current shape, (parts,) [1/s²].

        Air alone oscillates at omega² = N / V² sum w |dV/dx|². Pressure on a rotating surface adds, by Gershgorin's
        theorem, at most |p| w (|e_1| + |e_2|) / 6 for each triangle of a vertex, with the edges e_1 and e_2.
        """
        gas = self._gas
        found = np.zeros(len(gas.body))
        if not self.pushes:
            return found
        self._measure(state)
        blocks = gas.every[1]
        law.block_weights(self._rows.at, blocks, gas.ids, gas.id_block, self._gradient, self._id_value)
        law.sum_blocks(blocks, gas.id_block_part, self._id_value, found)
        found *= gas.amount / np.maximum(gas.volume, 1e-12) ** 2
        at = self._rows.at[:, :3]
        a, b, c = (at[gas.triangles[:, k]] for k in range(3))
        ab, bc, ca = (np.linalg.norm(p - q, axis=1) for p, q in ((a, b), (b, c), (c, a)))
        row_sum = np.bincount(
            gas.triangles.reshape(-1), weights=np.stack([ab + ca, ab + bc, bc + ca], axis=1).reshape(-1) / 6.0,
            minlength=len(self._rows.at),
        )
        vertex = row_sum[gas.ids] * inv_mass[self._ids]
        vertex *= np.abs(gas.pressure)[np.repeat(gas.id_block_part, np.diff(gas.id_block))]
        np.maximum.at(turning := np.zeros(len(found)), np.repeat(gas.id_block_part, np.diff(gas.id_block)), vertex)
        return found + turning

    def _measure(self, state: State) -> None:
        """Compute volume, over-pressure and gradients of all pieces."""
        rows, gas = self._rows, self._gas
        rows.read_positions(state)
        gas.volume[:] = 0.0
        triangles, vertices, rims = gas.every
        law.triangle_normals(
            rows.at, triangles, gas.triangles, gas.tri_block, gas.tri_block_origin, self._normal, self._tri_value
        )
        law.sum_blocks(triangles, gas.tri_block_part, self._tri_value, gas.volume)
        law.vertex_gradients(
            rows.at, vertices, gas.ids, self._normal, gas.corner_start, gas.corners, gas.id_block, self._gradient,
            self._id_value,
        )
        if len(rims):
            caps.cap_volumes(rows.at, rims, gas.rims, gas.volume)
            caps.cap_gradients(rows.at, rims, gas.rims, self._gradient)
        # An inverted piece would get an unbounded pressure, or one of the wrong sign.
        volume = np.maximum(gas.volume, 0.01 * gas.rest_volume)
        gas.pressure[:] = np.where(gas.active, gas.amount / np.maximum(volume, 1e-300) - law.AMBIENT, 0.0)
