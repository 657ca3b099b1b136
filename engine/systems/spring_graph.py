"""All spring graphs of a world: springs, air, pins. One table serves them all, so a launch does too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from ..controls import Controls
from ..errors import SpecError
from ..frame import Frame
from ..graph.edges import triangle_edges, unique_pairs
from ..graph.links import build_links, lengths
from ..graph.parts import Parts, closed_parts, find_parts
from ..inner import MOST_CHANGE, inner_steps
from ..limit import Swing
from ..particles import Builder, Surface
from ..segments import read_segments
from ..spec import SpringGraphSpec, WorldSpec
from ..spec.check import check_params, indices, points, shares
from ..stage import Stage
from ..world import World, substep_length
from .attachments import tie
from .convergence import Convergence, unpacked
from .explicit import ExplicitBodies, refuse_solved
from .gas import build_gas
from .held import HeldRows
from .held_bodies import HeldBodies
from .hinges import HingeTable, bends_of
from .links import strengths
from .mass import mass_shares
from .plasticity import Limits, Plasticity, limits_of
from .proxies import add_proxies
from .rest import Rest
from .rows import build_rows
from .segment_air import SegmentAir
from .springs import Links, SpringTable, all_links
from .unbend import Unbend

# "Thickness 0" takes this share of the mean edge.
THICKNESS_SHARE = 0.2


class SpringGraphs:
    """Behaviour of every `SpringGraphSpec`; writes only their ranges of particles."""

    def __init__(self, specs: Sequence[SpringGraphSpec], builder: Builder, spec: WorldSpec) -> None:
        """Reserve particles and store rest shapes."""
        self.specs = list(specs)
        self.start: dict[str, int] = {}
        self.pins: dict[str, np.ndarray] = {}
        links: list[Links] = []
        hinges: list[tuple[np.ndarray, np.ndarray]] = []
        surfaces: list[tuple[int, int, Parts]] = []
        for body in self.specs:
            own, bends, parts = self._place(body, builder)
            links.append(own)
            hinges.append(bends)
            if len(parts.triangles):
                surfaces.append((builder.body_index(body.name), self.start[body.name], parts))
        add_proxies(self.specs, builder)
        fast = spec.integrator == "XPBD"
        ties = tie(spec.attachments, spec.systems, self.start, builder, substep_length(spec) if fast else None)
        x, inv_mass = builder.positions(), builder.inv_masses()
        self._stop = len(x)
        together = all_links([*links, ties] if len(ties.rest) else links)
        members = np.concatenate([*(builder.range_of(body.name) for body in self.specs), builder.anchors])
        self.rows = build_rows(
            together.pairs, members, inv_mass, np.float64 if spec.precision == "DOUBLE" else np.float32
        )
        self.gas = build_gas(self.rows, surfaces)
        self.segment_air = SegmentAir(builder)
        self.explicit: ExplicitBodies | None = None
        self.plasticity: Plasticity | None = None
        if spec.integrator == "SYMPLECTIC":
            refuse_solved(self.specs)
            self.explicit = ExplicitBodies(together, self.rows, self.gas, inv_mass, builder.air_drags())
        else:
            self.springs = SpringTable(together, self.rows, substep_length(spec), spec.spring_steps)
            corners, stiffness = (np.concatenate(column) for column in zip(*hinges, strict=True))
            self.holds, self.bodies = HeldRows(self.rows), HeldBodies(self.rows)
            self.hinges = HingeTable(corners, stiffness, self.rows, x, float(self.springs.h))
            self.unbend, self.rest = Unbend(self.rows, self.springs, self.gas), Rest(self.rows)
            self.plasticity = self._plasticity([*links, ties], together, substep_length(spec))
        of = np.repeat(np.arange(len(builder.bodies)), [body.stop - body.start for body in builder.bodies])
        solved = self.springs if self.explicit is None else None
        springs = unpacked(together, self.rows) if solved is None else solved.look()
        self.convergence = Convergence(springs, solved, self.rows, of, len(builder.bodies))
        for body in self.specs:
            self._fill(body, builder.body_index(body.name))
        self._from: dict[str, np.ndarray] = {}
        self._to: dict[str, np.ndarray] = {}

    def _place(self, spec: SpringGraphSpec, builder: Builder) -> tuple[Links, tuple[np.ndarray, np.ndarray], Parts]:
        check_params(spec.name, spec)
        vertices = points(spec.name, "vertices", spec.vertices)
        triangles = indices(spec.name, "triangles", spec.triangles, 3, len(vertices))
        edges = indices(spec.name, "edges", spec.edges, 2, len(vertices))
        pins = np.unique(indices(spec.name, "pins", spec.pins, 1, len(vertices)))
        if len(vertices) < 2:
            raise SpecError(spec.name, "vertices", f"{len(vertices)} vertex", "two or more, a spring needs two ends")
        links, rest = build_links(spec, vertices, triangles, edges)
        if len(links) == 0:
            raise SpecError(spec.name, "edges", "no edge", "a mesh with edges or faces to make springs of")
        parts = find_parts(vertices, triangles)
        mass = spec.mass * mass_shares(spec, vertices, triangles, links)
        inv_mass = 1.0 / mass
        inv_mass[pins] = 0.0
        edge_pairs = edges if len(edges) else unique_pairs(triangle_edges(triangles))
        mean_edge = float(lengths(vertices, edge_pairs).mean()) if len(edge_pairs) else float(rest.mean())
        thickness = spec.thickness or THICKNESS_SHARE * mean_edge
        velocity = np.asarray(spec.velocity, dtype=np.float64)
        if velocity.shape not in ((3,), vertices.shape):
            raise SpecError(spec.name, "velocity", f"shape {velocity.shape}", f"(3,) or {vertices.shape}")
        self.start[spec.name] = builder.add(
            spec, vertices, velocity, mass, inv_mass, 0.5 * thickness, spec.air_drag,
            Surface(
                parts.triangles, parts.hollow[parts.part], parts.part, closed_parts(parts), edges, spec.self_collision,
                spec.contact == "SURFACE",
            ),
            read_segments(spec, vertices, mass, parts.triangles[closed_parts(parts)[parts.part]]),
        )
        self.pins[spec.name] = pins + self.start[spec.name]
        share = shares(spec.name, spec, len(vertices))
        own = Links(
            links + np.int32(self.start[spec.name]), rest, *strengths(spec, links, parts.rim_edges, share)
        )
        return own, bends_of(spec, vertices, triangles, edges, share["bending"], self.start[spec.name]), parts

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
            if name not in self.pins:
                raise SpecError("controls", "pins", name, "one of " + ", ".join(self.pins))
            targets = points(name, "pins", targets)
            if len(targets) != len(self.pins[name]):
                raise SpecError(name, "pins", f"{len(targets)} targets", f"{len(self.pins[name])}, one for each pin")
            self._to[name] = targets
        for name, values in controls.values.items():
            for field, value in values.items():
                if field != "pressure" or name not in self.start:
                    raise SpecError(name, field, value, "the keyed value 'pressure' of a spring graph")
                self._press(name, world.model.bodies.index(world.body(name)), float(value))
        if self.explicit is not None:
            self.explicit.begin_frame(world.state)

    def _press(self, name: str, body: int, pressure: float) -> None:
        """Set a body's pressure, by its own law."""
        if next(spec for spec in self.specs if spec.name == name).pressure_law == "SEGMENT":
            self.segment_air.fill(body, pressure)
        else:
            self.gas.fill(self.gas.body == body, pressure)

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

    def swing(self, world: World) -> Swing | None:
        """Bound of the stiffest body's swing."""
        return self.explicit.swing(world, self.segment_air) if self.explicit is not None else None

    def solved(self) -> tuple[float, int] | None:
        """Mean residual of the body solved worst, after a frame, and inner steps a substep."""
        return None if self.explicit is not None else (float(self.convergence.residual()[0].max()), self.springs.steps)

    def cut(self, steps: int) -> None:
        """Take so many inner steps a substep."""
        if self.explicit is None and steps != self.springs.steps:
            self.springs.cut(steps)
            self.hinges.cut(float(self.springs.h))

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
            self.unbend.owe(world)
            self.rest.note(world)

    def _solve(self, world: World, h: float) -> None:
        """Springs, hinges and air in steps of their own, then what yields."""
        rows, springs = self.rows, self.springs
        self.unbend.act(world.state, world.holds, world.model.inv_mass, h)
        rows.take(world, h, springs.steps)
        self.holds.begin(world, springs.steps)
        # Where rigid bodies touch, they are held after each inner step.
        touched = self.bodies.begin(world, h, springs.steps)
        taken = 0
        while taken < springs.steps:
            for table in (springs, self.hinges, self.gas):
                table.begin(rows.at)
            steady = self.gas.steady_steps(rows, float(springs.h), MOST_CHANGE)
            now = inner_steps(
                springs.steps - taken, springs.h, rows.at, rows.moved, rows.reached, rows.began, rows.speed, rows.gust,
                rows.slope,
                *springs.for_steps(), *self.hinges.for_steps(), *self.gas.for_steps(),
                *self.holds.for_steps(world.holds), springs.steps, 1 if touched else steady,
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
        self.unbend.owed.end()
        rows.give(world, h, springs.steps)
        self.unbend.note(world, touched)
        if touched:
            self.bodies.end(world, h, springs.steps)

    def report(self, world: World, frame: Frame) -> None:
        """Add stress, stretch, residual, volume and pressure to a frame."""
        residual = self.convergence.residual()
        self.rows.look(world.state)
        stretch, stress = self.convergence.strain(len(world.state.x))
        self.gas.measure(self.rows.at)
        if self.explicit is None:
            frame.diagnostics.setdefault("world", {})["spring_steps"] = (float(self.springs.steps),)
        volume, pressure = self.gas.volume.tolist(), self.gas.pressure.tolist()
        stretch, residual = stretch.T.tolist(), residual.T.tolist()
        for index, body in enumerate(world.model.bodies):
            if body.name not in self.start:
                continue
            frame.attributes[body.name] = {"stress": stress[body.start : body.stop].copy()}
            parts = self.gas.parts_of.get(index, ())
            frame.diagnostics[body.name] = {
                "volume": tuple(volume[part] for part in parts),
                "pressure": tuple(pressure[part] for part in parts),
                "stretch": tuple(stretch[index]),
                "residual": tuple(residual[index]),
            }

    def memory(self) -> dict[str, Any]:
        """What a snapshot must keep beside the particles."""
        links = {} if self.plasticity is None else self.plasticity.memory()
        known = {"gas": self.gas.memory(), "segments": self.segment_air.memory(), "owed": self.rows.debts}
        known |= {"rest": self.rest.memory()} if self.explicit is None else {}
        return {**known, "links": links, "steps": 0 if self.explicit is not None else self.springs.steps}

    def recall(self, memory: dict[str, Any]) -> None:
        """Take a snapshot's memory back."""
        self.gas.recall(memory["gas"])
        self.segment_air.recall(memory["segments"])
        self.cut(memory["steps"])
        self.rows.debts[:] = memory["owed"]
        if self.explicit is None:
            self.rest.recall(memory["rest"])
        if self.plasticity is not None:
            self.plasticity.recall(memory["links"])
