"""Soft particles that the last check moved out of a rigid body or a wall, and that support whatever presses on them.

A vertex of cloth between a crate and a heavy soft body is lighter than both. Projected by the masses of each pair, it
would move back and forth between them for ever. So the body that presses the vertex is moved instead, and the body that
supports the vertex gets the opposite impulse. Guendelman, Bridson and Fedkiw (2003) call a similar method shock
propagation; `support` is the same for the contacts of rigid bodies.

A vertex between a body, rigid or soft, and a wall is supported by the wall in the same way: the body that presses it is
moved, or other corners of its face. Moved by its own mass it went back and forth too: a crate hung in a ring for good,
and a jelly that fell onto cloth over a floor was stopped with it.
"""

from __future__ import annotations

import numpy as np

from ....solver.rigid.contact.support import OPPOSED


class SupportedParticles:
    """Soft particles that are supported by a rigid body or by something immovable.

    Attributes:
        supporting_body: (n,) int32, rigid body that a particle belongs to or rests on, or -1.
        inv_mass: (n,) [1/kg], 0 for particles that the contacts ordered last press onto their supporting body.
        wall_inv_mass: (n,) [1/kg], 0 for particles that contacts press onto something immovable.
    """

    def __init__(self, rigid_of: np.ndarray, inv_mass: np.ndarray) -> None:
        """Args: rigid_of: (n,) int32, rigid body of each particle or -1; inv_mass: (n,) of all particles [1/kg]."""
        self._rigid_of, self._own_inv_mass, self.supporting_body, self.inv_mass = (
            rigid_of, inv_mass, rigid_of.copy(), inv_mass.copy()
        )
        self._up, self._any_supported = np.zeros((len(rigid_of), 3)), False
        self.wall_inv_mass, self._off_wall = inv_mass.copy(), np.zeros((len(rigid_of), 3))
        self._at_wall = np.zeros(0, dtype=np.int64)

    def begin(self) -> None:
        """Start a substep: no particle is supported."""
        if self._any_supported:
            self.supporting_body[:], self._any_supported = self._rigid_of, False
        self._off_wall[self._at_wall], self._at_wall = 0.0, self._at_wall[:0]

    def note_supported(self, contact: np.ndarray, weight: np.ndarray, normal: np.ndarray) -> None:
        """Note the soft particles that these contacts have moved out of rigid bodies.

        Args: contact, weight: (k, 4), normal: (k, 3), see `contact_buffer`.
        """
        self._any_supported = len(contact) > 0 or self._any_supported
        of_rigid = self._rigid_of[contact]
        row, place = np.nonzero((weight != 0.0) & (of_rigid < 0))
        self.supporting_body[contact[row, place]] = of_rigid.max(axis=1, initial=-1)[row]
        self._up[contact[row, place]] = np.sign(weight[row, place])[:, None] * normal[row]

    def find_pressing(self, contact: np.ndarray, weight: np.ndarray, normal: np.ndarray) -> np.ndarray:
        """Which contacts press supported particles of one side onto their body, (k,) bool; updates `inv_mass`.

        Args: contact, weight: (k, 4), normal: (k, 3) of contacts between soft particles.
        """
        if not self._any_supported:
            return np.zeros(len(contact), dtype=bool)
        np.copyto(self.inv_mass, self._own_inv_mass)
        # A pinned particle transmits nothing to the body that it rests on.
        rests_on_body = (self.supporting_body[contact] >= 0) & (weight != 0.0) & (self._own_inv_mass[contact] > 0.0)
        pressed_in = np.sign(weight) * np.einsum("mek,mk->me", self._up[contact], normal) < 0.0
        supported = rests_on_body & pressed_in
        presses = (supported & (weight > 0.0)).any(axis=1) != (supported & (weight < 0.0)).any(axis=1)
        presses &= ~self.has_immovable_side(contact, weight)
        self.inv_mass[contact[presses[:, None] & supported]] = 0.0
        return presses

    def has_immovable_side(self, contact: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Which contacts of soft particles have a side that is immovable, (k,) bool."""
        moves = self._own_inv_mass[contact] > 0.0
        return ~(moves & (weight > 0.0)).any(axis=1) | ~(moves & (weight < 0.0)).any(axis=1)

    def note_at_walls(self, contact: np.ndarray, weight: np.ndarray, normal: np.ndarray) -> None:
        """Note the particles that these contacts moved out of something immovable; args: see `note_supported`."""
        row, place = np.nonzero((weight != 0.0) & (self._own_inv_mass[contact] > 0.0))
        self._off_wall[contact[row, place]] = np.sign(weight[row, place])[:, None] * normal[row]
        self._at_wall = np.append(self._at_wall, contact[row, place])

    def fix_at_walls(self, contact: np.ndarray, weight: np.ndarray, normal: np.ndarray) -> np.ndarray:
        """Inverse masses (n,) [1/kg], 0 for particles that these contacts press onto something immovable.

        If all movable particles of a contact are at walls, they keep their masses. Args: see `note_supported`.
        """
        np.copyto(self.wall_inv_mass, self._own_inv_mass)
        if len(self._at_wall):
            moves = (weight != 0.0) & (self._own_inv_mass[contact] > 0.0)
            pressed_in = np.sign(weight) * np.einsum("mek,mk->me", self._off_wall[contact], normal) <= -OPPOSED
            fixed = moves & pressed_in
            self.wall_inv_mass[contact[fixed & (moves & ~pressed_in).any(axis=1)[:, None]]] = 0.0
        return self.wall_inv_mass
