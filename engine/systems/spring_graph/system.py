"""All spring graphs of a world: springs, air, pins. They share one table, so one kernel call handles them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import proxy

import numpy as np

from ...compiler.kernels import PLAIN
from ...spec import SpringGraphSpec, WorldSpec
from ...step.stability import StabilityBound
from ...step.stage import Stage
from ...world.builder import Builder
from ...world.controls import Controls
from ...world.frame import Frame
from ...world.world import World, substep_length
from ..base import System
from .attachments import tie
from .convergence import Convergence, unpacked
from .explicit.bodies import ExplicitBodies, refuse_solved
from .explicit.segment_air import SegmentAir
from .held import Held
from .inflating import fill
from .keyed_links import KeyedLinks
from .keyed_values import KeyedValues
from .pins import Pins
from .placing import place
from .plasticity import no_limits, plasticity_of
from .pre_stabilization import PreStabilization
from .proxies import add_proxies
from .report import EmbeddedBodies, report_bodies
from .sleeping import Rest
from .solve import IslandSolve
from .tables.cells import CellTable, piece_pairs
from .tables.gas import build_gas
from .tables.hinges import HingeTable
from .tables.inner_steps import InnerSteps
from .tables.rows import build_rows, link_rows
from .tables.springs import SpringTable, all_links
from .tearing.leaks import Leaks
from .tearing.tears import Tears


class SpringGraphs(System):
    """Behaviour of every `SpringGraphSpec`; writes only to their ranges of particles."""

    takes = ("pins",)

    def __init__(self, specs: Sequence[SpringGraphSpec], builder: Builder, spec: WorldSpec) -> None:
        """Reserve particles and store rest shapes."""
        super().__init__(specs, builder, spec)
        placed = {body.name: place(body, builder) for body in self.specs}
        whole_specs, self.specs = self.specs, [own.spec for own in placed.values()]
        self.start = {name: own.start for name, own in placed.items()}
        columns = ("links", "hinges", "limits")
        links, hinges, limits = ([getattr(own, field) for own in placed.values()] for field in columns)
        surfaces = [
            (builder.body_index(name), own.start, own.parts) for name, own in placed.items() if len(own.parts.triangles)
        ]
        in_lattice = [(own.cells, own.edges) for own in placed.values() if own.cells is not None]
        add_proxies(self.specs, builder)
        pins = {name: own.pins for name, own in placed.items()}
        self.held = Held(pins, self.specs, self.start, builder.proxies)
        lattices = {name: own.cells for name, own in placed.items() if own.cells is not None}
        self._pins = Pins(self.held, self.specs, lattices, float(spec.frame_rate))
        h = substep_length(spec) if spec.integrator == "XPBD" else None
        ties, elastic_pins = tie(spec.attachments, spec.systems, self.start, builder, h)
        x, inv_mass = builder.positions(), builder.inv_masses()
        self._stop = len(x)
        together = all_links([*links, ties] if len(ties.rest) else links)
        counts, bending = [len(own.rest) for own in links], [stiffness for _corners, stiffness in hinges]
        keyed_links = KeyedLinks(self.specs, self.start, together, counts, bending, elastic_pins)
        # A weak reference: with a reference cycle, tables that a tear replaces would wait for the garbage collector.
        self._keyed = KeyedValues(proxy(self), keyed_links)
        cells = [body for body, _edges in in_lattice]
        own = [body.start + np.arange(body.count) for body in placed.values()]
        own += [body.first + np.arange(len(body.lattice.nodes)) for body in cells]
        # Agents that press on soft bodies take part in the inner steps: the springs of a cloth support them.
        is_solved = spec.integrator == "XPBD"
        self._agents = [slice(one.start, one.stop) for one in builder.bodies if one.traits.steers and is_solved]
        agents = np.concatenate([builder.anchors[:0], *(np.arange(one.start, one.stop) for one in self._agents)])
        members = np.sort(np.concatenate([*own, builder.anchors, agents]))
        # Vector kernels need single precision; plain kernels take any.
        number = np.float64 if PLAIN or spec.precision == "DOUBLE" else np.float32
        pairs = np.concatenate([together.pairs, piece_pairs(cells)]) if cells else together.pairs
        self.rows = build_rows(pairs, members, agents, inv_mass, number)
        self.embedded = EmbeddedBodies(in_lattice, x)
        self.gas = build_gas(self.rows, surfaces)
        self.segment_air, self.explicit, self.plasticity = SegmentAir(builder), None, None
        if spec.integrator == "SYMPLECTIC":
            refuse_solved(self.specs)
            self.explicit = ExplicitBodies(together, self.rows, self.gas, inv_mass, builder.air_drags())
        else:
            h = substep_length(spec)
            self.cells = CellTable(cells, self.rows, h)
            self.inner_steps = InnerSteps(self.rows, spec, lambda: keyed_links.links)
            linked = link_rows(together.pairs, self.rows)
            self.inner_steps.begin(linked, self.cells.enough_steps())
            steps = self.inner_steps.each
            self.springs = SpringTable(together, linked, self.rows, h, steps)
            self.cells.set_iterations(h / steps)
            corners = np.concatenate([corners for corners, _stiffness in hinges])
            self.hinges = HingeTable(corners, self._keyed.links.bending, self.rows, x, h / steps)
            tables = (self.rows, self.springs, self.hinges, self.cells, self.gas)
            self.solve = IslandSolve(*tables, self.inner_steps, pairs)
            self.pre_stabilization, self.rest = PreStabilization(self.rows, self.springs, self.gas), Rest(self.rows)
            limits.append(no_limits(len(ties.rest)))
            self.plasticity = plasticity_of(limits, together, self.springs, self.hinges, substep_length(spec))
        of = np.repeat(np.arange(len(builder.bodies)), [body.stop - body.start for body in builder.bodies])
        solved = self.springs if self.explicit is None else None
        springs = unpacked(together, self.rows) if solved is None else solved.as_springs()
        self.convergence = Convergence(springs, solved, self.rows, of, len(builder.bodies))
        for body in self.specs:
            fill(body, builder.body_index(body.name), self.gas, self.segment_air)
        self.tears, self.pairs = Tears(whole_specs, placed, ties.pairs, counts), together.pairs
        self._leaks = Leaks([(body.start, body.torn) for body in placed.values() if body.torn], self.gas, self.rows)

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Receive the pins' targets for this frame."""
        self._pins.begin_frame(world.state, controls)
        self._keyed.apply_held(world)
        if self.explicit is not None:
            self.explicit.begin_frame(world.state)
        else:
            self.inner_steps.begin_frame(world)

    def set_value(self, world: World, name: str, field: str, value: float) -> None:
        """Set a keyed value, see `KeyedValues`."""
        self._keyed.set_value(world, name, field, value)

    def note_value(self, world: World, name: str, field: str) -> None:
        """React to a keyed value, see `KeyedValues`."""
        self._keyed.note(world, name, field)

    def forget_encounters(self) -> None:
        """After a change of links: determine again how many inner steps contacts need."""
        self.inner_steps.forget_encounters()

    def moves_until(self) -> int:
        """End of the range of particles that may move: all of them."""
        return self._stop

    def acts(self) -> bool:
        """Whether pins move or air exerts forces in this frame."""
        return self._pins.move or self.segment_air.pushes or self.gas.breathes

    def advance(self, world: World, gravity: np.ndarray, first: int, count: int) -> None:
        """Advance by `count` substeps with springs, gravity and drag only; SYMPLECTIC."""
        if self.explicit is not None:
            self.explicit.springs.advance(world.state, gravity, world.h, first, count)

    def stability_bound(self, world: World) -> StabilityBound | None:
        """Bound on the oscillation of the stiffest body; SYMPLECTIC."""
        return self.explicit.stability_bound(world, self.segment_air) if self.explicit is not None else None

    def residual(self) -> tuple[float, int] | None:
        """Mean residual of the body with the largest one, after a frame, and inner steps per substep."""
        if self.explicit is not None:
            return None
        return float(self.convergence.residual()[0].max()), int(self.inner_steps.each.max(initial=1))

    def set_iterations(self, count: int) -> None:
        """Set the number of inner steps per substep."""
        if self.explicit is None:
            self.inner_steps.set_count(count)
            self.solve.take_steps()

    def go_on_with_steps(self, other: SpringGraphs) -> None:
        """Continue with the inner steps of `other`, whose particles are in other pieces."""
        self.inner_steps.go_on(other.inner_steps)
        self.solve.go_on()

    def apply(self, stage: Stage, world: World, h: float, done: float) -> None:
        """Act in a stage; `done` is the fraction of the frame that has passed at the end of the substep."""
        state = world.state
        if stage is Stage.FORCE:
            self.segment_air.push(state, world.model, h)
            self._leaks.act(world, h)
            if self.explicit is not None:
                self.explicit.push(state, world.model, h)
        elif stage is Stage.MOVE:
            self._pins.lead(state, h, done)
            if self.explicit is None:
                self.rest.act(world, h)
        elif stage is Stage.NARROW and self.explicit is None:
            self.rows.take_back_spread(world, h)
        elif stage is Stage.POSITION and self.explicit is None:
            self._solve(world, h)
        elif stage is Stage.VELOCITY and self.explicit is None:
            self.pre_stabilization.measure(world)
            self.rest.note(world)

    def _solve(self, world: World, h: float) -> None:
        """Solve springs, hinges and air in inner steps, then update plastic links."""
        rows = self.rows
        rows.update_masses(world)
        last_steps = self.solve.find(world)
        self.cells.note(world.state.was_clamped)
        self.pre_stabilization.act(world, h)
        injected_energy = self.pre_stabilization.injected_energy
        injected_energy.begin(world.state.x_prev, last_steps)
        touched = self.solve.run(world, h)
        injected_energy.end()
        if self.plasticity is not None:
            self.plasticity.act(rows.at)
        places = [(world.state.x[own].copy(), world.state.x_prev[own].copy()) for own in self._agents]
        self.solve.give(world, h, touched)
        injected_energy.keep(self.solve.islands, h)
        self._leave_untouched(world, places)
        self.pre_stabilization.note(world, touched)
        if touched:
            self.solve.end(world, h)

    def _leave_untouched(self, world: World, places: list[tuple[np.ndarray, np.ndarray]]) -> None:
        """Restore the exact positions of agents that touch nothing, so they move as in a world without springs.

        Args: places: x and x_prev of each flock before rows were written back, (k, 3) each [m].
        """
        if not self._agents:
            return
        is_alone, state = np.ones(len(world.state.x), dtype=bool), world.state
        for buffer in (world.contact_buffer, *(() if world.rigid is None else (world.rigid.contact_buffer,))):
            is_alone[buffer.columns.contact[: buffer.count]] = False
        for own, (x, x_prev) in zip(self._agents, places, strict=True):
            np.copyto(state.x[own], x, where=is_alone[own, None])
            np.copyto(state.x_prev[own], x_prev, where=is_alone[own, None])

    def report(self, world: World, frame: Frame) -> None:
        """Add stress, stretch, residual, volume and pressure to a frame."""
        residual = self.convergence.residual()
        if self.explicit is None:
            self.inner_steps.follow_residual(world, residual[1])
        self.rows.read_positions(world.state)
        stretch, stress = self.convergence.strain(len(world.state.x))
        self.embedded.strain(world, stress, stretch)
        self.gas.measure(self.rows.at)
        report_bodies(world, frame, self.start, self.gas, stress, {"stretch": stretch, "residual": residual})
        self.embedded.report(world, frame)
        self.tears.report(world, frame, stress)
        if self.explicit is None:
            steps = float(self.inner_steps.each.max(initial=1))
            frame.diagnostics.setdefault("world", {})["spring_steps"] = (steps,)
            self._pins.report(world, frame, self._keyed.links.links, self.springs.by_link(self.springs.rest))

    def continue_from(self, world: World, other: SpringGraphs, old: World) -> None:
        """Continue bodies with an unchanged vertex count; links keep their plastic state if the links are the same."""
        before = {(body.name, body.kind): body for body in old.model.bodies}
        for body in world.model.bodies:
            was = before.get((body.name, body.kind))
            if body.name not in self.start or was is None or was.stop - was.start != body.stop - body.start:
                continue
            own, place = slice(body.start, body.stop), slice(was.start, was.stop)
            for column in ("x", "x_prev", "v"):
                getattr(world.state, column)[own] = getattr(old.state, column)[place]
            # Particles that are newly pinned have no velocity.
            world.state.v[own][world.model.inv_mass[own] == 0.0] = 0.0
        was, now = other.plasticity, self.plasticity
        if was is not None and now is not None and np.array_equal(was.first, now.first):
            now.recall({name: value.copy() for name, value in was.memory().items()})

    def tear(self, world: World) -> dict[str, np.ndarray] | None:
        """See `System.tear`."""
        return self.tears.tear(world, self.springs.by_link(self.springs.rest)) if self.tears.bodies else None

    def torn(self) -> dict[str, np.ndarray]:
        """See `System.torn`."""
        return self.tears.particles()

    def continue_torn(self, other: SpringGraphs) -> None:
        """Continue from `other`, whose bodies have fewer tears."""
        self.tears.continue_torn(self, other)

    def memory(self) -> dict[str, Any]:
        """State that a snapshot must keep in addition to the particles."""
        links = {} if self.plasticity is None else self.plasticity.memory()
        known = {
            "gas": self.gas.memory(), "segments": self.segment_air.memory(), "injected_energy": self.rows.energy_state
        }
        if self.explicit is None:
            known |= {"rest": self.rest.memory(), "steps": self.inner_steps.memory(), "held": self.cells.rides.held}
        return {**known, "links": links, "tears": self.tears.memory()}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore a snapshot's state."""
        self.gas.recall(memory["gas"])
        self.segment_air.recall(memory["segments"])
        self.rows.energy_state[:] = memory["injected_energy"]
        if self.explicit is None:
            self.inner_steps.recall(memory["steps"])
            self.solve.go_on()
            self.rest.recall(memory["rest"])
            self.cells.rides.held[:] = memory["held"]
        if self.plasticity is not None:
            self.plasticity.recall(memory["links"])
        self.tears.recall(memory["tears"])
