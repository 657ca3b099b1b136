"""All particle fluids of a world: one spacing, one solve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import SpecError
from ...spec import FluidSpec, WorldSpec
from ...spec.check import vector
from ...step.stage import Stage
from ...world.points import report_points
from ...world.world import substep_length
from ..base import System
from .filling import Drain, common_spacing, depth_of, displaced, source_of, split, swallow, water_level, water_over
from .flow import confine
from .foam import Froth
from .frame_rows import FrameRows
from .kinds import kinds_of
from .law import SUPPORT
from .met import NO_LAG, Lag, Meeting, MetBodies
from .population import Population
from .reports import report_fluids
from .roster import Roster
from .rows import add_fraction
from .solver import FluidSolver
from .timing import ROUNDING, Timing, least_substeps

if TYPE_CHECKING:
    from ...world.builder import Builder
    from ...world.controls import Controls, Value
    from ...world.frame import Frame
    from ...world.stream import Stream
    from ...world.world import World

# Steps that separate particles without changing their velocity, where the fluid is too dense.
RELAXATIONS = 2


class Fluids(System):
    """Behaviour of every `FluidSpec`: emits particles, moves them, and exchanges momentum with bodies."""

    takes = ("poses",)

    def __init__(self, specs: Sequence[FluidSpec], builder: Builder, spec: WorldSpec) -> None:
        """Fill meshes and reserve particles; raises SpecError."""
        super().__init__(specs, builder, spec)
        if spec.integrator != "XPBD":
            raise SpecError(specs[0].name, "integrator", spec.integrator, "XPBD, which fluids need")
        self._level = water_level(spec)
        fluids, drains = split(specs)
        if not fluids:
            raise SpecError(
                specs[0].name, "emission", "OUTFLOW", "FILL or INFLOW for at least one fluid of the scene: there is "
                "nothing to drain",
            )
        self.spacing = common_spacing(fluids)
        self._frame = 1.0 / float(spec.frame_rate)
        self.populations = [self._reserve(one, builder, spec) for one in fluids]
        self.drains = [Drain(one, self.spacing) for one in drains]
        self.froth = Froth(self.populations, self.drains, self._frame)
        for one in drains:
            builder.add(one, np.zeros((0, 3)), np.zeros(3), np.zeros(0), np.zeros(0), 0.0, 0.0, None)
        self._builder, self._gravity = builder, np.asarray(spec.gravity, dtype=np.float64)
        self.solver = FluidSolver(self.spacing, self._gravity / max(float(np.linalg.norm(self._gravity)), 1e-9))
        self._meeting: Meeting | None = None
        self._stop = max(p.living.stop for p in self.populations)
        self._roster = Roster(self.populations)
        self._rows = FrameRows(self._roster)
        # Additional velocity of particles in the next substep [m/s].
        self._lag = NO_LAG
        self._may_change = bool(drains) or any(not p.are_lasting or p.spec.joins_water for p in self.populations)
        self._timing = Timing(substep_length(spec), self._frame)

    @classmethod
    def least_substeps(cls, specs: Sequence[FluidSpec], spec: WorldSpec) -> int:
        """So many that the deepest fill needs one step, or a few, in each substep; see `timing.least_substeps`."""
        fluids, gravity = split(specs)[0], vector("world", "gravity", spec.gravity)
        if not fluids or not gravity.any():
            return 0
        size, frame = float(np.linalg.norm(gravity)), 1.0 / float(spec.frame_rate)
        deepest = max(depth_of(one, gravity / size) for one in fluids)
        return least_substeps(deepest, SUPPORT * common_spacing(fluids), size, frame, int(spec.substeps))

    def _reserve(self, spec: FluidSpec, builder: Builder, world: WorldSpec) -> Population:
        (sites, nozzle), is_fill = source_of(spec, self.spacing, self._frame), spec.emission == "FILL"
        capacity = len(sites) if is_fill else int(spec.limit)
        own = displaced(spec.name, sites, world.systems) if is_fill else sites[:capacity]
        places = np.repeat(own[:1], capacity, axis=0)
        places[: len(own)] = own
        mass = np.broadcast_to(float(spec.density) * self.spacing**3, capacity)
        inverse, velocity = np.broadcast_to(1.0 / mass[0], capacity), np.asarray(spec.velocity, dtype=np.float64)
        start = builder.add(spec, places, velocity, mass, inverse, 0.5 * self.spacing, 0.0, None)
        return Population(spec, places[: len(own)] if is_fill else sites, places, start, self.spacing, nozzle)

    def moves_until(self) -> int:
        """One past the last particle."""
        return self._stop

    def integrates_until(self) -> int:
        """All particles: fluids reserve theirs first, see `build._as_reserved`."""
        return self._stop

    def present(self) -> np.ndarray | None:
        """Ids of the particles that are alive."""
        return self._roster.ids

    def stream(self, world: World) -> Stream:
        """See `System`."""
        return self._rows.stream(world.state, self._kinds.of, self._inv_mass)

    def end_stream(self, world: World) -> None:
        """See `System`."""
        self._rows.end_stream(world.state)

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Update which particles are alive; the first time also collect the bodies."""
        if self._meeting is None:
            self._meeting = self._meet()
            self._rows.origin = world.state.x[self._all].mean(axis=0)
            self._count()
            if world.state.frame == 0:
                self._settle(world)
        order = self.solver.reorder()
        if len(order) == len(self._roster.ids):
            self._lag = self._lag.sorted(order)
        self._roster.sort(order)
        self._count()
        self._timing.taken = 0
        self._rows.forget()
        for p in self.populations:
            p.aim(controls.poses.get(p.name))

    def _meet(self) -> Meeting:
        densities, x = [float(p.spec.density) for p in self.populations], self._builder.positions()
        bodies = MetBodies(self._builder, densities, self.spacing, [p.source for p in self.populations])
        return Meeting(bodies, x, densities[0] * self.spacing**3, self.spacing, self._gravity)

    def _settle(self, world: World) -> None:
        """Separate particles of overlapping meshes before the first step, so that they do not fly apart."""
        x = world.state.x[self._roster.ids] - self._rows.origin
        self._meeting.bodies.begin(world, 1.0, 0.0)
        self._meeting.origin = self._rows.origin
        if self.solver.settle(x, self._kinds, self._meeting.triangles(0.0)):
            world.state.x[self._roster.ids] = world.state.x_prev[self._roster.ids] = x + self._rows.origin

    @property
    def _all(self) -> slice:
        return slice(self.populations[0].living.start, self._stop)

    def _count(self) -> None:
        """Update the particles that are alive, their kinds and their fluids' constants."""
        self._roster.renew()
        rank = self._roster.rank
        self._meeting.carried.mass = sum(float(p.spec.density) * len(p.ids) for p in self.populations) * self.spacing**3
        kinds = kinds_of(self.populations, float(self.solver.law.support))
        self._kinds = kinds._replace(of=kinds.of[rank])
        # Of the fluids that have particles, as in `kinds_of`.
        masses = [float(p.spec.density) * self.spacing**3 for p in self.populations if len(p.ids)]
        self._inv_mass = 1.0 / np.array(masses)
        strengths = [float(p.spec.vorticity) for p in self.populations]
        every = np.repeat(strengths, [len(p.ids) for p in self.populations])
        self._vorticity = every[rank] if any(strengths) else np.zeros(0)

    def apply(self, stage: Stage, world: World, h: float, done: float) -> None:
        """Act in a stage."""
        state = world.state
        if stage is Stage.MOVE:
            self._renew(world, h, done)
            others = (*world.fields, *world.interactions)
            self._rows.is_seen = self._may_change or any(one.sees_fluids and one.acts() for one in others)
            self._rows.accelerate(h * world.model.gravity)
            if self._rows.is_seen:
                self._rows.write(state, self._rows.v, not self._may_change)
        elif stage is Stage.NARROW:
            self._flow(world, h, done)
        elif stage is Stage.POSITION and len(self._rows.v_end):
            self._meeting.stop(world, h, self.solver.table, self.solver.last_rows, self._rows.v_end)
        elif stage is Stage.END:
            self._lag = self._meeting.unload(world, h, self.solver.table, self.solver.last_rows[1], self._rows.v_end)
            if (is_last := done > 1.0 - ROUNDING) or self._may_change:
                if not self._roster.is_full:
                    state.v[self._all] = 0.0
                self._rows.write(state, self._rows.v_end, True)
            if is_last:
                self._rows.forget()
                if self.froth.foams:
                    self._foam(world)

    def _foam(self, world: World) -> None:
        """Advance spray, foam and bubbles by the frame that ends."""
        ids, corners, number = np.sort(self._roster.ids), self._meeting.triangles(0.0).end, world.state.frame
        places, velocities, rank = world.state.x[ids], world.state.v[ids], self._roster.rank
        self.froth.step(self.solver, rank, places, velocities, self._rows.origin, corners, self._gravity, number)

    def _renew(self, world: World, h: float, done: float) -> None:
        """Emit and remove particles; done: see `Nozzle.leave`."""
        state, kept_ids = world.state, self._roster.ids
        frame = self._frame if done * self._frame < 1.5 * h else 0.0
        below = water_over(world, self._level, self.populations) - self.spacing
        lost = [p.pass_time(state.x, h, frame) | swallow(p, state.x, self.drains, below) for p in self.populations]
        born = [p.emit(state.x, state.v, kept_ids, h, done, self._meeting.bodies.are_free) for p in self.populations]
        if any(lost) or any(born):
            self._count()
            self.solver.kept = self._roster.follow(self.solver.kept, kept_ids)
            self._lag = self._lag.followed(self._roster, kept_ids)
            self._rows.forget()
        self._rows.find_ended(state)
        for p in self.populations:
            p.drive_jet(self._roster.ids, self._rows.v_end)

    def set_value(self, world: World, name: str, field: str, value: Value) -> None:
        """Open or close a source or a drain, or change a nozzle."""
        for one in (*self.populations, *self.drains):
            if one.name == name:
                one.set_value(field, float(value))

    def _flow(self, world: World, h: float, done: float) -> None:
        """Advance the fluid by a substep, in as many steps as its speed and depth need."""
        state, solver, meeting, ids = world.state, self.solver, self._meeting, self._roster.ids
        v_start, rows = self._rows.current_v(state), self._rows
        if len(ids) == 0:
            rows.v_end = v_start
            return
        x = rows.find_places(state)
        support, pace = float(solver.law.support), solver.pace(x, v_start)
        meeting.origin = self._rows.origin
        meeting.bodies.begin(world, h, support)
        self._timing.choose(
            solver, x, v_start, h, meeting.box(h), pace, self._timing.capillary_steps(self._kinds, support, h)
        )
        steps, step_length = self._timing.steps, self._timing.length
        kinds, passes, is_thin = self._timing.kinds_of(self._kinds, support, h)
        if is_thin and not self._timing.smooths(h, done):
            passes = 0
        meeting.limit = solver.fastest(pace)
        if solver.is_crowded():
            solver.relax(x, kinds, meeting.triangles(0.0), RELAXATIONS)
        # Velocity changes by forces since the last substep are applied in equal fractions, one in each step.
        v, gained, pace = (v_start, None, pace) if steps == 1 else (rows.v_end.copy(), v_start - rows.v_end, None)
        self._lag.add(1.0, v)
        for step in range(steps):
            if gained is not None:
                add_fraction(gained, 1.0 / steps, v)
            here = 0 if is_thin and step < steps - 1 else passes
            solver.step(x, v, step_length, kinds, here, meeting.triangles(step_length), meeting, pace)
        self._lag.add(-1.0, v)
        meeting.bodies.finish(world, h)
        meeting.load(world, h, solver.table, solver.neighbors.grid.order, v)
        if len(self._vorticity):
            v += confine(solver, self._vorticity, self._kinds, h)
        rows.v_end = v

    def report(self, world: World, frame: Frame) -> None:
        """Add the particles that are alive, in the order of their ids, their attributes and diagnostics."""
        report_fluids(self.populations, self._roster, self.solver, self._timing, world.state, frame)
        self.froth.add_to(frame)
        for drain in self.drains:
            report_points(frame, drain.name, world.state, self._roster.ids[:0], 0, 0.0)

    def continue_from(self, world: World, other: Fluids, old: World) -> None:
        """Fluids of the same name, capacity and spacing keep their particles, positions and velocities."""
        before = {p.spec.name: p for p in other.populations}
        for p in self.populations:
            q = before.get(p.spec.name)
            if q is None or len(q.living.alive) != len(p.living.alive) or self.spacing != other.spacing:
                continue
            p.recall(q.memory())
            own, its = (slice(one.living.start, one.living.stop) for one in (p, q))
            world.state.x[own] = world.state.x_prev[own] = old.state.x[its]
            world.state.v[own] = old.state.v[its]
        self.froth.recall(other.froth.memory())

    def memory(self) -> Mapping[str, Any]:
        """Particles that are alive, pressures, neighbour lists, and impulses not yet applied."""
        met = {} if self._meeting is None else self._meeting.memory()
        return {
            "populations": tuple(p.memory() for p in self.populations),
            "openings": [drain.opening for drain in self.drains], "solver": self.solver.memory(),
            "step": self._timing.length, "origin": self._rows.origin.copy(), "met": met,
            "froth": self.froth.memory(), "ids": self._roster.ids.copy(), "lag": tuple(self._lag),
        }

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore a snapshot's memory."""
        for p, saved in zip(self.populations, memory["populations"], strict=True):
            p.recall(saved)
        for drain, opening in zip(self.drains, memory["openings"], strict=True):
            drain.opening = opening
        self.solver.recall(memory["solver"])
        self._timing.length, self._rows.origin = memory["step"], memory["origin"].copy()
        self._lag = Lag(*memory["lag"])
        self.froth.recall(memory["froth"])
        self._meeting = self._meet()
        if memory["met"]:
            self._meeting.recall(memory["met"])
        self._roster.recall(memory["ids"].copy())
        self._count()
