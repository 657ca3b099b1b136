"""Soft particles that the last check has moved out of a rigid body, which then bears what presses on them.

A vertex of cloth between a crate and a heavy soft body is lighter than both. Projected by the masses of each pair, it
would go back and forth between them for ever. So what presses it against its bearer is moved instead, and the bearer
gets the opposite impulse. Guendelman, Bridson and Fedkiw (2003) call the like shock propagation; `support` is the same
for the contacts of rigid bodies. On a collider, where no body takes the impulse, cloth and jelly came to rest without.
"""

from __future__ import annotations

import numpy as np


class Borne:
    """Soft particles that lie on a rigid body.

    Attributes:
        bearer: (n,) int32, the rigid body of its own particles and of those that lie on it, or -1.
        inv_mass: (n,) [1/kg], 0 for those that the contacts ordered last press onto their bearer.
    """

    def __init__(self, rigid_of: np.ndarray, inv_mass: np.ndarray) -> None:
        """Args: rigid_of: (n,) int32, rigid body of each particle or -1; inv_mass: (n,) of all particles [1/kg]."""
        self._rigid_of, self._true, self.bearer, self.inv_mass = rigid_of, inv_mass, rigid_of.copy(), inv_mass.copy()
        self._up, self._is_any = np.zeros((len(rigid_of), 3)), False

    def begin(self) -> None:
        """Start a substep: nothing is borne."""
        if self._is_any:
            self.bearer[:], self._is_any = self._rigid_of, False

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
        self.inv_mass[contact[presses[:, None] & borne]] = 0.0
        return presses
