"""All spring graphs of a world: springs, air, pins. One table serves them all, so a launch does too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from ...compiler.kernels import PLAIN
from ...compiler.typed_call import TypedCall
from ...errors import SpecError
from ...mesh.graph.parts import Parts
from ...solver.inner_steps import MOST_CHANGE, inner_steps
from ...spec import SpringGraphSpec, WorldSpec
from ...spec.check import points
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
from .lattice import Cells
from .placing import place
from .plasticity import Limits, Plasticity, limits_of
from .pre_stabilization import PreStabilization
from .proxies import add_proxies
from .sleeping import Rest
from .tables.cells import CellTable, Riders, piece_pairs
from .tables.contact_rows import HeldRows
from .tables.encounters import Encounters
from .tables.gas import build_gas
from .tables.hinges import HingeTable
from .tables.rigid_contact_rows import HeldBodies
from .tables.rows import build_rows
from .tables.springs import Links, SpringTable, all_links


class SpringGraphs(System):
    """Behaviour of every `SpringGraphSpec`; writes only their ranges of particles."""

    takes = ("pins",)

    def __init__(self, specs: Sequence[SpringGraphSpec], builder: Builder, spec: WorldSpec) -> None:
        """Reserve particles and store rest shapes."""
        super().__init__(specs, builder, spec)
        self.start: dict[str, int] = {}
        self.pins: dict[str, np.ndarray] = {}
        links: list[Links] = []
        hinges: list[tuple[np.ndarray, np.ndarray]] = []
        surfaces: list[tuple[int, int, Parts]] = []
        carried: list[tuple[Cells, np.ndarray]] = []
        for body in self.specs:
            placed = place(body, builder)
            self.start[body.name], self.pins[body.name] = placed.start, placed.pins
            links.append(placed.links)
            hinges.append(placed.hinges)
            if placed.cells is not None:
                carried.append((placed.cells, placed.edges))
            if len(placed.parts.triangles):
                surfaces.append((builder.body_index(body.name), placed.start, placed.parts))
        add_proxies(self.specs, builder)
        fast = spec.integrator == "XPBD"
        ties = tie(spec.attachments, spec.systems, self.start, builder, substep_length(spec) if fast else None)
        x, inv_mass = builder.positions(), builder.inv_masses()
        self._stop = len(x)
        together = all_links([*links, ties] if len(ties.rest) else links)
        cells = [body for body, _edges in carried]
        own = [builder.range_of(body.name) for body in self.specs]
        own += [body.first + np.arange(len(body.lattice.nodes)) for body in cells]
        members = np.sort(np.concatenate([*own, builder.anchors]))
        # Vector kernels are written for single precision, plain kernels for any.
        number = np.float64 if PLAIN or spec.precision == "DOUBLE" else np.float32
        pairs = np.concatenate([together.pairs, piece_pairs(cells)]) if cells else together.pairs
        self.rows = build_rows(pairs, members, inv_mass, number)
        self.riders = Riders(cells, [edges for _body, edges in carried], x)
        self.gas = build_gas(self.rows, surfaces)
        self.segment_air = SegmentAir(builder)
        self.explicit: ExplicitBodies | None = None
        self.plasticity: Plasticity | None = None
        if spec.integrator == "SYMPLECTIC":
            refuse_solved(self.specs)
            self.explicit = ExplicitBodies(together, self.rows, self.gas, inv_mass, builder.air_drags())
        else:
            self.cells = CellTable(cells, self.rows, substep_length(spec))
            self.springs = SpringTable(together, self.rows, substep_length(spec), spec.spring_steps)
            if spec.spring_steps == 0:
                self.springs.set_iterations(max(self.springs.steps, self.cells.enough_steps()))
            self.cells.set_iterations(float(self.springs.h))
            corners, stiffness = (np.concatenate(column) for column in zip(*hinges, strict=True))
            self.holds, self.bodies = HeldRows(self.rows), HeldBodies(self.rows)
            self.hinges = HingeTable(corners, stiffness, self.rows, x, float(self.springs.h))
            self._inner_steps = TypedCall(inner_steps)
            self.pre_stabilization, self.rest = PreStabilization(self.rows, self.springs, self.gas), Rest(self.rows)
            self.plasticity = self._plasticity([*links, ties], together, substep_length(spec))
            # Inner steps that are asked for; whether encounters may add some, and how many they asked for in this frame
            # and in the last one.
            self._steps, self._is_automatic = self.springs.steps, spec.spring_steps == 0
            self._met, self._met_last, self._links = 0, 0, together
            self._encounters: Encounters | None = None
        of = np.repeat(np.arange(len(builder.bodies)), [body.stop - body.start for body in builder.bodies])
        solved = self.springs if self.explicit is None else None
        springs = unpacked(together, self.rows) if solved is None else solved.look()
        self.convergence = Convergence(springs, solved, self.rows, of, len(builder.bodies))
        for body in self.specs:
            self._fill(body, builder.body_index(body.name))
        self._from: dict[str, np.ndarray] = {}
        self._to: dict[str, np.ndarray] = {}

    def _plasticity(self, bodies: Sequence[Links], together: Links, h: float) -> Plasticity | None:
        if not any(body.yield_strain or body.break_strain for body in self.specs):
            return None
        owners = [*self.specs, None]
        each = [limits_of(body, len(links.rest)) for body, links in zip(owners, bodies, strict=True)]
        columns = ([getattr(limits, field.name) for limits in each] for field in fields(Limits))
        return Plasticity(Limits(*map(np.concatenate, columns)), together, self.springs, self.hinges, h)

    def _fill(self, spec: SpringGraphSpec, body: int) -> None:
        mine = self.gas.body == body
        if spec.pressure_law == "SEGMENT":
            self.segment_air.fill(body, spec.pressure)
        elif spec.pressure != 0.0:
            if not mine.any():
                raise SpecError(spec.name, "pressure", spec.pressure, "0, because the mesh encloses no volume")
            self.gas.fill(mine, spec.pressure)

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Take the pins' targets and keyed values of this frame."""
        for ids in self.pins.values():
            world.state.v[ids] = 0.0
        self._from = {name: world.state.x[ids].copy() for name, ids in self.pins.items() if len(ids)}
        self._to = {}
        for name, targets in controls.pins.items():
            targets = points(name, "pins", targets)
            if len(targets) != len(self.pins[name]):
                raise SpecError(name, "pins", f"{len(targets)} targets", f"{len(self.pins[name])}, one for each pin")
            self._to[name] = targets
        if self.explicit is not None:
            self.explicit.begin_frame(world.state)
        else:
            self._met_last, self._met = self._met, 0

    def set_value(self, world: World, name: str, field: str, value: float) -> None:
        """Take a keyed pressure, by the body's own law."""
        body = world.model.bodies.index(world.body(name))
        if next(spec for spec in self.specs if spec.name == name).pressure_law == "SEGMENT":
            self.segment_air.fill(body, value)
        else:
            self.gas.fill(self.gas.body == body, value)

    def moves_until(self) -> int:
        """All of them may move."""
        return self._stop

    def acts(self) -> bool:
        """Whether pins move or air pushes."""
        return bool(self._to) or self.segment_air.pushes or self.gas.breathes

    def advance(self, world: World, gravity: np.ndarray, first: int, count: int) -> None:
        """Springs, gravity and drag over some substeps, without a solve."""
        if self.explicit is not None:
            self.explicit.springs.advance(world.state, gravity, world.h, first, count)

    def stability_bound(self, world: World) -> StabilityBound | None:
        """Bound of the stiffest body's swing."""
        return self.explicit.stability_bound(world, self.segment_air) if self.explicit is not None else None

    def residual(self) -> tuple[float, int] | None:
        """Mean residual of the body solved worst, after a frame, and inner steps a substep."""
        return None if self.explicit is not None else (float(self.convergence.residual()[0].max()), self.springs.steps)

    def set_iterations(self, count: int) -> None:
        """Take so many inner steps a substep."""
        if self.explicit is None:
            self._steps = count
            self._take_steps(count)

    def _take_steps(self, count: int) -> None:
        if count != self.springs.steps:
            self.springs.set_iterations(count)
            self.hinges.set_iterations(float(self.springs.h))
            self.cells.set_iterations(float(self.springs.h))

    def apply(self, stage: Stage, world: World, h: float, done: float) -> None:
        """Act in a stage; `done` is the share of the frame passed at the substep's end."""
        state = world.state
        if stage is Stage.FORCE:
            self.segment_air.push(state, world.model, h)
            if self.explicit is not None:
                self.explicit.push(state, world.model, h)
        elif stage is Stage.MOVE:
            for name, target in self._to.items():
                start = self._from[name]
                state.v[self.pins[name]] = (start + (target - start) * done - state.x[self.pins[name]]) / h
            if self.explicit is None:
                self.rest.act(world, h)
        elif stage is Stage.POSITION and self.explicit is None:
            self._solve(world, h)
        elif stage is Stage.VELOCITY and self.explicit is None:
            self.pre_stabilization.owe(world)
            self.rest.note(world)

    def _solve(self, world: World, h: float) -> None:
        """Springs, hinges and air in steps of their own, then what yields."""
        rows, springs = self.rows, self.springs
        self._meet(world)
        self.cells.note(world.state.was_clamped)
        self.pre_stabilization.act(world, h)
        rows.take(world, h, springs.steps)
        self.cells.start(h)
        self.holds.begin(world, springs.steps)
        # Where rigid bodies touch, they are held after each inner step.
        touched = self.bodies.begin(world, h, springs.steps)
        taken = 0
        while taken < springs.steps:
            for table in (springs, self.hinges, self.cells, self.gas):
                table.begin(rows.at)
            steady = self.gas.steady_steps(rows, float(springs.h), MOST_CHANGE)
            now = self._inner_steps(
                (springs.steps - taken, 1 if touched else steady, springs.steps), springs.h, rows.columns,
                springs.columns, self.hinges.columns, self.cells.columns, self.cells.rides, self.gas.breathes,
                self.gas.rows, self.gas.parts, world.holds.count, self.holds.columns,
            )
            if touched:
                self.bodies.hold(
                    world.rigid.holds, world.rigid, springs.steps - taken, springs.steps, float(springs.h)
                )
            taken += now
            if taken < springs.steps:
                self.holds.spend(world.holds, now)
            rows.settle(world.model.mass, springs.h)
        self.holds.end(world.holds)
        if self.plasticity is not None:
            self.plasticity.act(rows.at)
        self.pre_stabilization.injected_energy.end()
        rows.give(world, h, springs.steps)
        self.pre_stabilization.note(world, touched)
        if touched:
            self.bodies.end(world, h, springs.steps)

    def _meet(self, world: World) -> None:
        """Take the inner steps that contacts need: those of this frame so far, and of the last one."""
        if not self._is_automatic or not world.interactions:
            return
        if self._encounters is None:
            self._encounters = Encounters(world, self._links)
        self._met = max(self._met, self._encounters.steps(world))
        self._take_steps(max(self._steps, self._met, self._met_last))

    def report(self, world: World, frame: Frame) -> None:
        """Add stress, stretch, residual, volume and pressure to a frame."""
        residual = self.convergence.residual()
        self.rows.look(world.state)
        stretch, stress = self.convergence.strain(len(world.state.x))
        self.riders.strain(world, stress, stretch)
        self.gas.measure(self.rows.at)
        if self.explicit is None:
            frame.diagnostics.setdefault("world", {})["spring_steps"] = (float(self.springs.steps),)
        volume, pressure = self.gas.volume.tolist(), self.gas.pressure.tolist()
        stretch, residual = stretch.T.tolist(), residual.T.tolist()
        for index, body in enumerate(world.model.bodies):
            # Spheres that stand for a body have its name.
            if body.name not in self.start or not body.traits.is_springy:
                continue
            own = slice(body.start, body.stop)
            frame.positions[body.name] = world.state.x[own].astype(np.float32)
            frame.velocities[body.name] = world.state.v[own].astype(np.float32)
            frame.attributes[body.name] = {"stress": stress[own].copy()}
            parts = self.gas.parts_of.get(index, ())
            frame.diagnostics[body.name] = {
                "volume": tuple(volume[part] for part in parts),
                "pressure": tuple(pressure[part] for part in parts),
                "stretch": tuple(stretch[index]),
                "residual": tuple(residual[index]),
            }
            if self.riders.cells_of(index):
                frame.diagnostics[body.name]["cells"] = (float(self.riders.cells_of(index)),)

    def go_on_from(self, world: World, other: SpringGraphs, old: World) -> None:
        """Bodies with as many vertices go on; links keep what they have become if they are the same links."""
        before = {(body.name, body.kind): body for body in old.model.bodies}
        for body in world.model.bodies:
            was = before.get((body.name, body.kind))
            if body.name not in self.start or was is None or was.stop - was.start != body.stop - body.start:
                continue
            own, place = slice(body.start, body.stop), slice(was.start, was.stop)
            for column in ("x", "x_prev", "v"):
                getattr(world.state, column)[own] = getattr(old.state, column)[place]
            # What has been pinned since then has no velocity of its own any more.
            world.state.v[own][world.model.inv_mass[own] == 0.0] = 0.0
        was, now = other.plasticity, self.plasticity
        if was is not None and now is not None and np.array_equal(was.first, now.first):
            now.recall({name: value.copy() for name, value in was.memory().items()})

    def memory(self) -> dict[str, Any]:
        """What a snapshot must keep beside the particles."""
        links = {} if self.plasticity is None else self.plasticity.memory()
        known = {"gas": self.gas.memory(), "segments": self.segment_air.memory(), "injected_energy": self.rows.debts}
        if self.explicit is None:
            known |= {"rest": self.rest.memory(), "steps": (self._steps, self._met), "held": self.cells.held}
        return {**known, "links": links}

    def recall(self, memory: dict[str, Any]) -> None:
        """Take a snapshot's memory back."""
        self.gas.recall(memory["gas"])
        self.segment_air.recall(memory["segments"])
        self.rows.debts[:] = memory["injected_energy"]
        if self.explicit is None:
            steps, self._met = memory["steps"]
            self.set_iterations(steps)
            self.rest.recall(memory["rest"])
            self.cells.held[:] = memory["held"]
        if self.plasticity is not None:
            self.plasticity.recall(memory["links"])
