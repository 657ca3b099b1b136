"""Soft particles that the last check has moved out of a rigid body or a wall, which bear what presses on them.

A vertex of cloth between a crate and a heavy soft body is lighter than both. Projected by the masses of each pair, it
would go back and forth between them for ever. So what presses it against its bearer is moved instead, and the bearer
gets the opposite impulse. Guendelman, Bridson and Fedkiw (2003) call the like shock propagation; `support` is the same
for the contacts of rigid bodies.

A vertex between a body, rigid or soft, and a wall stands on the wall in the same way: what presses it gives way, or
other corners of its face. Moved by its own mass it went back and forth too: a crate hung in a ring for good, and a
jelly that fell onto cloth over a floor was stopped with it.
"""

from __future__ import annotations

import numpy as np

from ....solver.rigid.contact.support import OPPOSED


class Borne:
    """Soft particles that lie on a rigid body.

    Attributes:
        bearer: (n,) int32, the rigid body of its own particles and of those that lie on it, or -1.
        inv_mass: (n,) [1/kg], 0 for those that the contacts ordered last press onto their bearer.
        before_walls: (n,) [1/kg], 0 for those that contacts press onto something immovable.
    """

    def __init__(self, rigid_of: np.ndarray, inv_mass: np.ndarray) -> None:
        """Args: rigid_of: (n,) int32, rigid body of each particle or -1; inv_mass: (n,) of all particles [1/kg]."""
        self._rigid_of, self._true, self.bearer, self.inv_mass = rigid_of, inv_mass, rigid_of.copy(), inv_mass.copy()
        self._up, self._is_any = np.zeros((len(rigid_of), 3)), False
        self.before_walls, self._off_wall = inv_mass.copy(), np.zeros((len(rigid_of), 3))
        self._at_wall = np.zeros(0, dtype=np.int64)

    def begin(self) -> None:
        """Start a substep: nothing is borne."""
        if self._is_any:
            self.bearer[:], self._is_any = self._rigid_of, False
        self._off_wall[self._at_wall], self._at_wall = 0.0, self._at_wall[:0]

    def note(self, contact: np.ndarray, weight: np.ndarray, normal: np.ndarray) -> None:
        """Note the soft particles that these contacts have moved out of rigid bodies.

        Args: contact, weight: (k, 4), normal: (k, 3), see `contact_buffer`.
        """
        self._is_any = len(contact) > 0 or self._is_any
        of_rigid = self._rigid_of[contact]
        row, place = np.nonzero((weight != 0.0) & (of_rigid < 0))
        self.bearer[contact[row, place]] = of_rigid.max(axis=1, initial=-1)[row]
        self._up[contact[row, place]] = np.sign(weight[row, place])[:, None] * normal[row]

    def press(self, contact: np.ndarray, weight: np.ndarray, normal: np.ndarray) -> np.ndarray:
        """Which contacts press borne particles of one side onto their bearer, (k,) bool; updates `inv_mass`.

        Args: contact, weight: (k, 4), normal: (k, 3) of contacts between soft particles.
        """
        if not self._is_any:
            return np.zeros(len(contact), dtype=bool)
        np.copyto(self.inv_mass, self._true)
        # What is pinned passes nothing on to the body that it lies on.
        lies = (self.bearer[contact] >= 0) & (weight != 0.0) & (self._true[contact] > 0.0)
        into = np.sign(weight) * np.einsum("mek,mk->me", self._up[contact], normal) < 0.0
        borne = lies & into
        presses = (borne & (weight > 0.0)).any(axis=1) != (borne & (weight < 0.0)).any(axis=1)
        presses &= ~self.at_walls(contact, weight)
        self.inv_mass[contact[presses[:, None] & borne]] = 0.0
        return presses

    def at_walls(self, contact: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Which contacts of soft particles have a side that is immovable, (k,) bool."""
        moves = self._true[contact] > 0.0
        return ~(moves & (weight > 0.0)).any(axis=1) | ~(moves & (weight < 0.0)).any(axis=1)

    def note_walls(self, contact: np.ndarray, weight: np.ndarray, normal: np.ndarray) -> None:
        """Note the particles that these contacts have moved out of something immovable; args: see `note`."""
        row, place = np.nonzero((weight != 0.0) & (self._true[contact] > 0.0))
        self._off_wall[contact[row, place]] = np.sign(weight[row, place])[:, None] * normal[row]
        self._at_wall = np.append(self._at_wall, contact[row, place])

    def hold_at_walls(self, contact: np.ndarray, weight: np.ndarray, normal: np.ndarray) -> np.ndarray:
        """Inverse masses (n,) [1/kg]: 0 for what these contacts press onto something immovable; args: see `note`.

        Where all that could move stands at a wall, it keeps its mass.
        """
        np.copyto(self.before_walls, self._true)
        if len(self._at_wall):
            moves = (weight != 0.0) & (self._true[contact] > 0.0)
            into = np.sign(weight) * np.einsum("mek,mk->me", self._off_wall[contact], normal) <= -OPPOSED
            held = moves & into
            self.before_walls[contact[held & (moves & ~into).any(axis=1)[:, None]]] = 0.0
        return self.before_walls
