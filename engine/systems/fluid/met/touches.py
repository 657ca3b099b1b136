"""Light closed bodies while something other than the fluid touches them.

As a whole such a body goes through the floor that it lies on, in the fluid's view: impulses of the fluid move it all,
and what then holds it there brings its surface back through the particles. So it answers by its corners, which give
way where they are pressed, in each substep after one in which a wall or another body touched it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....compiler.kernels import kernel
from ....compiler.typed_call import TypedCall
from .contacts import BENDS

if TYPE_CHECKING:
    from ....world.world import World
    from .bodies import MetColumns


class Touches:
    """Which bodies are touched, and how those answer that do so as a whole while they are not.

    Attributes:
        touched: (bodies,) bool, in the last substep.
    """

    def __init__(
        self, bodies: int, wholes: dict[int, int], whole: np.ndarray, met: MetColumns, light: np.ndarray,
        firm: tuple[np.ndarray, np.ndarray],
    ) -> None:
        """None is touched yet.

        Args:
            bodies: number of them in the world; wholes: which of them answer by their corners when they are touched,
                and their numbers among whole bodies.
            whole: (p,) body that each point belongs to; met: `MetColumns`, both as long as none is touched.
            light: (p,) inverse mass of points [1/kg]; firm: shares (t, 2) as a whole and by corners, see `bodies`.
        """
        self.touched = np.zeros(bodies, dtype=bool)
        self._own = [
            (body, number, np.flatnonzero(whole == number), np.flatnonzero(met.answers == number))
            for body, number in wholes.items()
        ]
        self._light, self._firm, self._note = light, firm, (TypedCall(note_touches), TypedCall(note_touches))

    def note(self, world: World) -> None:
        """End a substep: see what touches what."""
        if not self._own:
            return
        self.touched[:] = False
        held, body = world.holds, world.model.body
        self._note[0](held.count, held.contact, held.held, body, self.touched)
        if world.rigid is not None:
            held = world.rigid.holds
            self._note[1](held.count, held.columns.contact, held.columns.normal_impulse, body, self.touched)

    def apply(self, whole: np.ndarray, met: MetColumns, firm: np.ndarray) -> None:
        """Begin a substep: bodies answer as they were touched in the last one."""
        for body, number, points, triangles in self._own:
            bends = bool(self.touched[body])
            if bends != (met.answers[triangles[0]] == BENDS):
                met.answers[triangles] = whole[points] = BENDS if bends else number
                met.light[points] = self._light[points] if bends else 0.0
                firm[triangles] = self._firm[bends][triangles]


@kernel
def note_touches(count, contact, strength, body, touched):
    """Note in `touched` (bodies,) which bodies press on each other.

    Args: contact: (m, 4) particles; strength: (m,) of each contact, more than nought where it acts; body: (n,).
    """
    for m in range(count):
        first, second = body[contact[m, 0]], body[contact[m, 3]]
        if first != second and strength[m] > 0.0:
            touched[first] = touched[second] = True
