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
from .give import give_bodies
from .laws.noise import LATTICE
from .laws.plain import BLOCK, ROOM
from .moving import Receivers, taken_by, weigh
from .push import COLUMNS, Moment, Sources, act_on_all
from .screens import Screens
from .table import FieldTable

# Fields that vary slowly in space: evaluated once a frame, at the positions of its start.
SLOW = ("WIND", "TURBULENCE", "TEXTURE")
# Tasks in a substep.
TASKS = 32


class ForceFields(Field):
    """Behaviour of every `ForceFieldSpec`, and of the weights that bodies give to fields and to gravity.

    Attributes:
        given: (m, 6) velocity given in the running substep to receivers that are not free particles, and the wind of
            fields at those on faces that feel the air [m/s].
        receivers: the particles that fields act on.
    """

    takes = ("fields",)

    def __init__(self, specs: Sequence[ForceFieldSpec], builder: Builder, spec: WorldSpec) -> None:
        """Build the tables; raises SpecError."""
        self.specs = list(specs)
        self._weights: dict[str, EffectorWeights] = dict(spec.effector_weights)
        self.receivers = Receivers(builder, any(isinstance(system, AirSpec) for system in spec.systems))
        self._names = [body.name for body in builder.bodies]
        self._bodies = taken_by(spec, builder)
        self._fast, self._slow = (
            FieldTable([field for field in self.specs if (field.type in SLOW) == is_slow])
            for is_slow in (False, True)
        )
        self._screens = Screens((self._fast, self._slow), builder, spec, len(self.receivers.ids))
        count = len(self.receivers.ids)
        self.given = np.zeros((count, 6))
        self._held = np.zeros((COLUMNS, count if self._slow.specs else 0), dtype=np.float32)
        self._room = np.zeros(min(TASKS, -(-count // BLOCK)) * ROOM)
        self._is_new_frame = True
        self._weigh()

    def _weigh(self) -> None:
        for name, weights in self._weights.items():
            check_params(name, weights)
        self._taken = [weigh(self._bodies, self._names, self._weights, table.specs) for table in self._tables()]
        self._gravity_share = np.array([
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
            self._weigh()
        self._bodies.lift[:] = (self._gravity_share[:, None] - 1.0) * world.model.gravity
        self._is_new_frame = True

    def set_value(self, world: World, name: str, field: str, value: float) -> None:
        """Set a keyed setting of a field."""
        for table in self._tables():
            for number, spec in enumerate(table.specs):
                if spec.name == name:
                    table.set_value(number, field, value)

    def acts(self) -> bool:
        """Whether any field may act, or gravity has a weight."""
        return len(self.receivers.ids) > 0 and bool(self.specs or np.any(self._gravity_share != 1.0))

    def push(self, world: World, h: float, done: float) -> None:
        """Apply fields as velocities to particles, as force and torque to rigid bodies."""
        if not self.acts():
            return
        self._fast.place(done)
        if self._is_new_frame:
            self._look(world)
        self._act(world, self._fast, 0, h)
        state, rigid, receivers = world.state, world.rigid, self.receivers
        if rigid is not None:
            give_bodies(
                receivers.rigid_first, receivers.rigid_stop, receivers.ids, self.given, state.x, world.model.mass,
                rigid.position, h, rigid.force, rigid.torque,
            )

    def _look(self, world: World) -> None:
        """Once a frame: evaluate absorption and slow fields."""
        self._is_new_frame = False
        self._slow.place(1.0)
        self._screens.look(world, self.receivers.moving(world))
        if self._slow.specs:
            self._act(world, self._slow, 1, 0.0)

    def _act(self, world: World, table: FieldTable, number: int, h: float) -> None:
        sources = Sources(table.samples, *LATTICE, self._screens.left[number])
        moment = Moment(h, 1.0 / float(world.spec.frame_rate), world.state.frame, world.substeps > 1)
        act_on_all(
            table.rows, table.meshes, sources, self.receivers.moving(world), self._taken[number], moment, self._held,
            self._room, self.given,
        )

    def memory(self) -> dict[str, Any]:
        """Placement of the fields, and their settings."""
        return {"tables": tuple(table.memory() for table in self._tables())}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore `memory`."""
        for table, known in zip(self._tables(), memory["tables"], strict=True):
            table.recall(known)
