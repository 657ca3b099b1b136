"""All force fields of a world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...spec import WorldSpec
from ...spec.check import check_params
from ...spec.effector_weights import EffectorWeights
from ...spec.kinds.air import AirSpec
from ...spec.kinds.force_field import ForceFieldSpec
from ...world.builder import Builder
from ...world.controls import Controls
from ...world.world import World
from ..base import Field
from .columns import Moment, Sources
from .give import RigidReceivers, Substep, give, give_bodies
from .hold import substeps_held
from .laws.noise import LATTICE
from .laws.scratch import BLOCK, COLUMNS, field_scratch
from .moving import Receivers, responses_of, with_weights
from .push import evaluate
from .rigid_shares import vertex_masses
from .screens import Screens
from .table import FieldTable

# Fields that vary slowly in space: held for longer.
SLOW = ("WIND", "TURBULENCE", "TEXTURE")
# Tasks in a substep.
TASKS = 32


class ForceFields(Field):
    """Behaviour of every `ForceFieldSpec`, and of the weights that bodies give to fields and to gravity.

    Attributes:
        effect: (m, 6) velocity change in the running substep of receivers of rigid bodies, and the wind of fields at
            receivers on faces on which the air acts [m/s].
        receivers: the particles that fields act on.
    """

    takes = ("fields",)

    def __init__(self, specs: Sequence[ForceFieldSpec], builder: Builder, spec: WorldSpec) -> None:
        """Build the tables; raises SpecError."""
        self.specs = list(specs)
        self._weights: dict[str, EffectorWeights] = dict(spec.effector_weights)
        self.receivers = Receivers(builder, any(isinstance(system, AirSpec) for system in spec.systems))
        self._names = [body.name for body in builder.bodies]
        self._bodies = responses_of(spec, builder)
        self._fast, self._slow = (
            FieldTable([field for field in self.specs if (field.type in SLOW) == is_slow])
            for is_slow in (False, True)
        )
        self._screens = Screens((self._fast, self._slow), builder, spec, len(self.receivers.ids))
        self.effect = np.zeros((len(self.receivers.ids), 6))
        self._rigid_masses = vertex_masses(
            builder, self.receivers.ids, self.receivers.rigid_first, self.receivers.rigid_stop
        )
        # Sums of all fields, of the slow ones, and of none; a table without fields uses the array of the next one.
        nothing, shape = np.zeros((0, COLUMNS * BLOCK), np.float32), (len(self.receivers.first), COLUMNS * BLOCK)
        slow = np.zeros(shape, np.float32) if self._slow.specs else nothing
        fast = np.zeros(shape, np.float32) if self._fast.specs or not self._slow.specs else slow
        self._sums = (fast, slow, nothing)
        self._scratch = field_scratch(min(TASKS, max(1, shape[0])))
        self._apply_weights()

    def _apply_weights(self) -> None:
        for name, weights in self._weights.items():
            check_params(name, weights)
        self._responses = [
            with_weights(self._bodies, self._names, self._weights, table.specs) for table in self._tables()
        ]
        self._gravity_weight = np.array([
            self._weights[name].gravity if name in self._weights else 1.0 for name in self._names
        ])

    def _tables(self) -> tuple[FieldTable, FieldTable]:
        return self._fast, self._slow

    @classmethod
    def is_wanted(cls, specs: Sequence[Any], spec: WorldSpec) -> bool:
        """Whether a world needs this: it has fields, or effector weights, which include gravity."""
        return bool(specs) or bool(spec.effector_weights)

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Take the placement of fields at the end of the frame."""
        for table in self._tables():
            table.begin_frame(controls.fields)
        if controls.effector_weights:
            self._weights |= controls.effector_weights
            self._apply_weights()
        self._bodies.lift[:] = (self._gravity_weight[:, None] - 1.0) * world.model.gravity

    def set_value(self, world: World, name: str, field: str, value: float) -> None:
        """Set a keyed setting of a field."""
        for table in self._tables():
            for number, spec in enumerate(table.specs):
                if spec.name == name:
                    table.set_value(number, field, value)

    def acts(self) -> bool:
        """Whether any field may act, or gravity has a weight."""
        return len(self.receivers.ids) > 0 and bool(self.specs or np.any(self._gravity_weight != 1.0))

    def push(self, world: World, h: float, done: float) -> None:
        """Apply fields as velocities to particles, as force and torque to rigid bodies."""
        if not self.acts():
            return
        substeps, state, rigid, receivers = world.substeps, world.state, world.rigid, self.receivers
        substep, moving = round(done * substeps) - 1, receivers.moving(world)
        if substep == 0:
            self._screens.look(world, moving)
        fast, slow = substeps_held(substeps, h)
        renewed = False
        for number, count in ((1, slow), (0, fast)):
            renewed |= self._evaluate(world, number, substep, count, h)
        wet = world.added.wet
        before = state.v[wet].copy()
        give(
            moving, self._responses[0], Substep(h, substeps > 1, renewed), self._sums[0], self._scratch.doubles,
            self.effect,
        )
        if len(before):
            # The force acts on the body's own mass and accelerates the added mass of water as well.
            fraction = 1.0 - world.added.water[wet] / world.model.mass[wet]
            state.v[wet] = before + fraction[:, None] * (state.v[wet] - before)
        if rigid is not None:
            bodies = RigidReceivers(
                receivers.rigid_first, receivers.rigid_stop, rigid.position, rigid.rotation, rigid.force, rigid.torque
            )
            give_bodies(bodies, receivers.ids, self.effect, state.x, *self._rigid_masses, h)

    def _evaluate(self, world: World, number: int, substep: int, held: int, h: float) -> bool:
        """Evaluate a table if it is due; of the fast one also the blocks in `near`, for this substep alone.

        Returns:
            whether anything was evaluated.
        """
        is_due, table = substep % held == 0, self._tables()[number]
        if is_due and table.specs:
            self._evaluate_at(world, number, substep, min(held, world.substeps - substep), h)
        is_near = table is self._fast and held > 1 and bool(self.receivers.near.any())
        if is_near:
            self._evaluate_at(world, number, substep, 0, h)
        return (is_due and bool(table.specs)) or is_near

    def _evaluate_at(self, world: World, number: int, substep: int, held: int, h: float) -> None:
        """Evaluate a table in the middle of the `held` substeps; if `held` is 0, only the blocks in `near`."""
        table, count = self._tables()[number], max(held, 1)
        table.place((substep + 0.5 * (count + 1)) / world.substeps)
        moment = Moment(
            0.5 * (count - 1) * h, count * h, 1.0 / float(world.spec.frame_rate), world.state.frame, held > 0
        )
        evaluate(
            table.rows, table.meshes, Sources(table.samples, *LATTICE, self._screens.left[number]),
            self.receivers.moving(world), self._responses[number], moment, self._sums[number + 1], self._sums[number],
            self._scratch,
        )

    def memory(self) -> dict[str, Any]:
        """Placement of the fields, and their settings."""
        return {"tables": tuple(table.memory() for table in self._tables())}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore `memory`."""
        for table, known in zip(self._tables(), memory["tables"], strict=True):
            table.recall(known)
