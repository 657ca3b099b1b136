"""Light closed bodies while something other than the fluid presses on them.

As a whole such a body goes through the floor that it lies on, in the fluid's view: impulses of the fluid move it all,
and what then holds it there brings its surface back through the particles. So it answers by its corners, which give
way where they are pressed, in each substep after one in which walls and other bodies pressed on it by more than its
weight. As a whole it lies stiller, so one that floats beside a wall stays so.
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
    """Which bodies are pressed, and how those answer that do so as a whole while they are not.

    Attributes:
        pressed: (bodies,) impulse of what pressed on each in the last substep, less that of its weight [N s].
    """

    def __init__(
        self, bodies: int, wholes: dict[int, int], whole: np.ndarray, met: MetColumns, light: np.ndarray,
        firm: tuple[np.ndarray, np.ndarray],
    ) -> None:
        """None is pressed yet.

        Args:
            bodies: number of them in the world; wholes: which of them answer by their corners when they are pressed,
                and their numbers among whole bodies.
            whole: (p,) body that each point belongs to; met: `MetColumns`, both as long as none is pressed.
            light: (p,) inverse mass of points [1/kg]; firm: shares (t, 2) as a whole and by corners, see `bodies`.
        """
        self.pressed = np.zeros(bodies)
        self._own = [
            (body, number, np.flatnonzero(whole == number), np.flatnonzero(met.answers == number))
            for body, number in wholes.items()
        ]
        self._light, self._firm, self._add = light, firm, (TypedCall(add_pressing), TypedCall(add_pressing))
        # Masses of those bodies [kg], without what is held; 0 for all others.
        self._mass = np.zeros(bodies)
        for body, _, points, _ in self._own:
            self._mass[body] = (1.0 / light[points][light[points] > 0.0]).sum()

    def note(self, world: World, h: float) -> None:
        """End a substep of h [s]: see what presses on what."""
        if not self._own:
            return
        self.pressed[:] = 0.0
        held, model = world.holds, world.model
        both = model.inv_mass, model.body
        self._add[0](held.count, h, held.contact, held.weight, held.held, *both, self.pressed)
        if world.rigid is not None:
            held = world.rigid.holds
            columns = held.columns
            self._add[1](
                held.count, 0.0, columns.contact, columns.weight, columns.normal_impulse, *both, self.pressed
            )
        self.pressed -= h * float(np.linalg.norm(model.gravity)) * self._mass

    def apply(self, whole: np.ndarray, met: MetColumns, firm: np.ndarray) -> None:
        """Begin a substep: bodies answer as they were pressed in the last one."""
        for body, number, points, triangles in self._own:
            bends = bool(self.pressed[body] > 0.0)
            if bends != (met.answers[triangles[0]] == BENDS):
                met.answers[triangles] = whole[points] = BENDS if bends else number
                met.light[points] = self._light[points] if bends else 0.0
                firm[triangles] = self._firm[bends][triangles]


@kernel
def add_pressing(count, h, contact, weight, strength, inv_mass, body, pressed):
    """Add to `pressed` (bodies,) the impulses by which bodies press on each other [N s].

    Args:
        count: of the contacts; contact: (m, 4) particles; weight: (m, 4) of theirs.
        strength: (m,) displacements in a substep of h [s, m], or impulses if h is 0 [N s].
        inv_mass, body: (n,) of all particles.
    """
    for m in range(count):
        first, second = body[contact[m, 0]], body[contact[m, 3]]
        if first == second or not strength[m] > 0.0:
            continue
        impulse = strength[m]
        if h > 0.0:
            gives = 0.0
            for k in range(4):
                gives += weight[m, k] ** 2 * inv_mass[contact[m, k]]
            impulse = impulse / (h * gives) if gives > 0.0 else 0.0
        pressed[first] += impulse
        pressed[second] += impulse
