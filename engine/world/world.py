"""`World`: the arrays the solver works on. `Model` is constant, `State` changes.

All particles of all systems share one set of arrays; a system owns the range `start:stop` of them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiler.threads.thread_tuner import ThreadTuner
from ..errors import SpecError
from ..solver.contact_buffer import ContactBuffer, contact_buffer
from ..solver.rigid.bodies import RigidBodies
from ..spec import WorldSpec
from ..spec.traits import Traits
from .controls import Value

if TYPE_CHECKING:
    from ..fields.base import Field
    from ..interactions.base import Interaction
    from ..step.behaviour import Behaviour
    from ..systems.base import System


# Spec fields that are columns of the model: one value per body, and one per particle.
OF_BODIES, OF_PARTICLES = ("friction", "restitution"), ("air_drag",)


@dataclass
class Body:
    """One system's range of particles.

    Attributes:
        name, kind: from its spec.
        start, stop: its range of particles.
        traits: what other systems may do with it.
        keyed: fields of its spec that may be keyed.
        spare: number of particles at the end of the range that are no vertices of the mesh: reserved for tears, or
            hidden.
    """

    name: str
    kind: str
    start: int
    stop: int
    traits: Traits = Traits()
    keyed: tuple[str, ...] = ()
    spare: int = 0


@dataclass
class Model:
    """Constant arrays.

    Attributes:
        bodies: one for each system, in the order of the spec.
        mass: (n,) float64 [kg].
        inv_mass: (n,) float64 [1/kg]; 0 for held particles.
        radius: (n,) float64, half the thickness [m].
        air_drag: (n,) float64 [1/s].
        body: (n,) int32, index into `bodies`.
        friction, restitution: (bodies,) float64, coefficients of each body's own surface.
        gravity: (3,) float64 [m/s²].
    """

    bodies: list[Body]
    mass: np.ndarray
    inv_mass: np.ndarray
    radius: np.ndarray
    air_drag: np.ndarray
    body: np.ndarray
    friction: np.ndarray
    restitution: np.ndarray
    gravity: np.ndarray


@dataclass
class State:
    """Changing arrays.

    Attributes:
        x: positions [m], (n, 3) float64.
        x_prev: positions at the start of the substep [m], (n, 3) float64.
        v: velocities [m/s], (n, 3) float64.
        was_clamped: (n,) bool, particles that were moved back, or stopped from passing through a surface, in the last
            substep, see `spring_graph.pre_stabilization`.
        frame: frames stepped so far.
        columns: by name, (n,) or (n, k), additional columns of systems, see `Builder.add_column`.
    """

    x: np.ndarray
    x_prev: np.ndarray
    v: np.ndarray
    was_clamped: np.ndarray
    frame: int = 0
    columns: dict[str, np.ndarray] = field(default_factory=dict)


@dataclass
class SpreadForce:
    """External forces that inner steps apply gradually during a substep, with their first-order change.

    Attributes:
        dv_per_step: (n, 3) velocity change over the whole running substep, already contained in `State.v` [m/s].
        dv_gradient: (n, 3) increase of that change per metre of height [1/s].
    Both have no rows where no such force acts.
    """

    dv_per_step: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    dv_gradient: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))


@dataclass
class AddedMass:
    """Mass that the model's masses include besides the bodies' own, in the running substep: fluid and water.

    Attributes:
        changes: how often masses have changed for this reason; code that keeps copies of masses compares it.
        fluid: mass of the whole fluid that presses on soft bodies [kg], 0 where none does; speed: of the fastest
            particle that carries some of it [m/s].
        wet: range of particles, some of which move water; water: (n,), mass of the water that each moves [kg].
    """

    changes: int = 0
    fluid: float = 0.0
    speed: float = 0.0
    wet: slice = field(default_factory=lambda: slice(0, 0))
    water: np.ndarray = field(default_factory=lambda: np.zeros(0))


def substep_length(spec: WorldSpec) -> float:
    """Length of a substep [s]."""
    return 1.0 / (float(spec.frame_rate) * int(spec.substeps))


@dataclass
class World:
    """A built world: settings, arrays, and the behaviours that act on them stage by stage.

    Attributes:
        substeps: of the running frame; SYMPLECTIC may take more than the spec asks for.
        drag_factor: (n,) float64, exp(-air_drag h), for XPBD.
        moving: number of particles, counted from the first, that can move in the running frame; the rest stand still.
        integrated: number of those, counted from the first, that a system integrates itself.
        thread_tuner: chooses the number of threads for a frame.
        contact_buffer: contacts of the running substep; spread_force: forces spread over its inner steps.
        rigid: state of rigid bodies, None without any.
        values: by system name and field, current values of keyed parameters.
        added: mass that the model's masses include besides the bodies' own in the running substep.
        rooms: by name of a collider, which of its pieces contain bodies, (parts,) bool.
        build_torn: builds this world with torn bodies, see `Builder.torn`.
    """

    spec: WorldSpec
    model: Model
    state: State
    drag_factor: np.ndarray
    thread_tuner: ThreadTuner
    systems: list[System] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)
    interactions: list[Interaction] = field(default_factory=list)
    substeps: int = 0
    moving: int = 0
    integrated: int = 0
    contact_buffer: ContactBuffer = field(default_factory=lambda: contact_buffer(0))
    spread_force: SpreadForce = field(default_factory=SpreadForce)
    rigid: RigidBodies | None = None
    values: dict[str, dict[str, Value]] = field(default_factory=dict)
    added: AddedMass = field(default_factory=AddedMass)
    rooms: dict[str, np.ndarray] = field(default_factory=dict)
    build_torn: Callable[[Mapping[str, np.ndarray]], World] | None = None

    def __post_init__(self) -> None:
        self.substeps = self.substeps or int(self.spec.substeps)

    @property
    def h(self) -> float:
        """Length of a substep [s]."""
        return 1.0 / (float(self.spec.frame_rate) * self.substeps)

    def body(self, name: str) -> Body:
        """The body of that name; raises SpecError that lists the existing names."""
        for body in self.model.bodies:
            if body.name == name:
                return body
        raise SpecError("world", "name", name, ", ".join(b.name for b in self.model.bodies) or "no system exists")

    def positions(self, name: str) -> np.ndarray:
        """Positions [m], (n, 3) float64 copy in the user's vertex order."""
        body = self.body(name)
        return self.state.x[body.start : body.stop - body.spare].copy()

    def velocities(self, name: str) -> np.ndarray:
        """Velocities [m/s], (n, 3) float64 copy in the user's vertex order."""
        body = self.body(name)
        return self.state.v[body.start : body.stop - body.spare].copy()

    def mass(self, name: str) -> float:
        """Mass of the whole system [kg], with the nodes that carry it; 0 for colliders and water."""
        self.body(name)
        own = [body for body in self.model.bodies if body.name == name]
        return float(sum(self.model.mass[body.start : body.stop].sum() for body in own))

    def behaviours(self) -> list[Behaviour]:
        """All behaviours: systems, fields, interactions."""
        return [*self.systems, *self.fields, *self.interactions]

    def set_value(self, name: str, field: str, value: Value) -> None:
        """Set a keyable field of a system from now on; does nothing if the value is unchanged.

        Raises:
            SpecError: the value does not fit the system, or the field was not declared as keyed when it was built.
        """
        own = self.values.setdefault(name, {})
        if own.get(field) == value:
            return
        bodies = [(index, body) for index, body in enumerate(self.model.bodies) if body.name == name]
        if field in OF_BODIES:
            if any(field not in body.keyed for _index, body in bodies):
                raise SpecError(name, field, value, f'the value it was built with, or "{field}" among `keyed`')
            getattr(self.model, field)[[index for index, _body in bodies]] = value
        elif field in OF_PARTICLES:
            for _index, body in bodies:
                self.model.air_drag[body.start : body.stop] = value
            self.drag_factor = np.exp(-self.model.air_drag * substep_length(self.spec))
        else:
            owner = next(one for one in (*self.systems, *self.fields) if name in one.names())
            owner.set_value(self, name, field, value)
        own[field] = value
        for behaviour in self.behaviours():
            behaviour.note_value(self, name, field)

    def _restore_values(self, saved: Mapping[str, Mapping[str, Value]]) -> None:
        """Set keyed parameters to those of a snapshot; parameters that were not keyed then return to the spec's."""
        specs = {spec.name: spec for spec in self.spec.systems}
        for name, own in list(self.values.items()):
            for key in list(own):
                if key not in saved.get(name, {}):
                    self.set_value(name, key, getattr(specs[name], key))
                    del own[key]
        for name, own in saved.items():
            for key, value in own.items():
                self.set_value(name, key, value)

    def tear(self) -> None:
        """Tear bodies at the end of a frame. If any of them tears, all tables are rebuilt; particles stay the same."""
        found = [system.tear(self) for system in self.systems]
        if all(torn is None for torn in found):
            return
        before = self.behaviours()
        self._rebuild_torn(self.torn())
        for behaviour, other in zip(self.behaviours(), before, strict=True):
            behaviour.continue_torn(other)

    def torn(self) -> dict[str, np.ndarray]:
        """Particle of each face corner of all bodies that may tear, by name."""
        return {name: own for system in self.systems for name, own in system.torn().items()}

    def _rebuild_torn(self, torn: Mapping[str, np.ndarray]) -> None:
        """Rebuild all tables for torn bodies; the states of particles and the keyed values are kept."""
        new, values = self.build_torn(torn), self.values
        new.model.gravity[:] = self.model.gravity
        for column in ("x", "x_prev", "v", "was_clamped"):
            getattr(new.state, column)[:] = getattr(self.state, column)
        for name, own in self.state.columns.items():
            new.state.columns[name][:] = own
        new.state.frame = self.state.frame
        for name in ("model", "state", "drag_factor", "systems", "fields", "interactions", "contact_buffer", "rigid"):
            setattr(self, name, getattr(new, name))
        self.values = {}
        self._restore_values(values)

    def snapshot(self) -> dict[str, Any]:
        """A copy of everything that changes; `restore` brings back the same bits."""
        return {
            "state": copy.deepcopy(self.state),
            "memory": [copy.deepcopy(behaviour.memory()) for behaviour in self.behaviours()],
            "values": copy.deepcopy(self.values),
            "torn": copy.deepcopy(self.torn()),
        }

    def restore(self, saved: dict[str, Any]) -> None:
        """Restore a snapshot of this world."""
        torn = self.torn()
        if any(not np.array_equal(torn[name], own) for name, own in saved["torn"].items()):
            self._rebuild_torn(saved["torn"])
        self.state = copy.deepcopy(saved["state"])
        self._restore_values(saved["values"])
        for behaviour, memory in zip(self.behaviours(), saved["memory"], strict=True):
            behaviour.recall(copy.deepcopy(memory))
