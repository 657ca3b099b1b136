"""All spring graphs of a world: springs, air, pins. One table serves them all, so a launch does too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..constraints.distance import lumped_stress
from ..constraints.spin import keep_spin
from ..controls import Controls
from ..errors import SpecError
from ..frame import Frame
from ..graph.components import components, members
from ..graph.edges import triangle_edges, unique_pairs
from ..graph.links import build_links, lengths
from ..graph.parts import Parts, closed_parts, find_parts, triangle_areas
from ..particles import Builder, Surface
from ..spec import SpringGraphSpec
from ..spec.check import check_params, indices, points
from ..stage import Stage
from ..world import World
from .gas import build_gas
from .springs import TOLERANCE, build_springs

# "Thickness 0" takes this share of the mean edge.
THICKNESS_SHARE = 0.2


class SpringGraphs:
    """Behaviour of every `SpringGraphSpec`; writes only their ranges of particles."""

    def __init__(self, specs: Sequence[SpringGraphSpec], builder: Builder, settings: tuple[float, int]) -> None:
        """Reserve particles and store rest shapes; `settings` is (substep [s], iterations)."""
        self.specs = list(specs)
        self.start: dict[str, int] = {}
        self.pins: dict[str, np.ndarray] = {}
        pairs, rest, stiffness, damping = [], [], [], []
        surfaces: list[tuple[int, int, Parts]] = []
        for spec in self.specs:
            links, link_rest, parts = self._place(spec, builder)
            first = self.start[spec.name]
            pairs.append(links + np.int32(first))
            rest.append(link_rest)
            stiffness.append(np.full(len(links), float(spec.stiffness)))
            damping.append(np.full(len(links), float(spec.damping)))
            if len(parts.triangles):
                surfaces.append((builder.body_index(spec.name), first, parts))
        x, inv_mass = builder.positions(), builder.inv_masses()
        h, iterations = settings
        self._pairs = np.concatenate(pairs)
        self.springs = build_springs(
            self._pairs, np.concatenate(rest), np.concatenate(stiffness), np.concatenate(damping),
            inv_mass, x, h, iterations,
        )
        self.gas = build_gas(x, surfaces)
        self._find_free_pieces(x, inv_mass)
        for spec in self.specs:
            self._fill(spec, builder.body_index(spec.name))
        self._from: dict[str, np.ndarray] = {}
        self._to: dict[str, np.ndarray] = {}

    def _place(self, spec: SpringGraphSpec, builder: Builder) -> tuple[np.ndarray, np.ndarray, Parts]:
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
            Surface(parts.triangles, parts.hollow[parts.part], parts.part, closed_parts(parts)),
        )
        self.pins[spec.name] = pins + self.start[spec.name]
        return links, rest, parts

    def _find_free_pieces(self, x: np.ndarray, inv_mass: np.ndarray) -> None:
        """Pieces of three or more particles of which none is pinned keep their spin."""
        label, _rank = components(self._pairs, len(x))
        held = np.zeros(int(label.max()) + 1, dtype=bool)
        held[label[inv_mass == 0.0]] = True
        held[np.bincount(label) < 2] = True
        self._piece_start, self._piece_ids = members(
            np.where(held[label], -1, (np.cumsum(~held) - 1)[label])
        )

    def _fill(self, spec: SpringGraphSpec, body: int) -> None:
        mine = self.gas.body == body
        if spec.pressure != 0.0:
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
                self.gas.fill(self.gas.body == world.model.bodies.index(world.body(name)), float(value))

    def apply(self, stage: Stage, world: World, h: float, done: float) -> None:
        """Act in a stage; `done` is the share of the frame passed at the substep's end."""
        state, inv_mass = world.state, world.model.inv_mass
        if stage is Stage.FORCE:
            self.springs.push(state.x, state.v, inv_mass, h)
        elif stage is Stage.MOVE:
            for name, target in self._to.items():
                start = self._from[name]
                state.v[self.pins[name]] = (start + (target - start) * done - state.x[self.pins[name]]) / h
        elif stage is Stage.POSITION:
            self._solve(world, h)
            if len(self._piece_start) > 1:
                keep_spin(self._piece_start, self._piece_ids, world.model.mass, state.x_prev, world.predicted, state.x)

    def _solve(self, world: World, h: float) -> None:
        """Air and springs in turn, until the springs stand still or the passes are spent."""
        state, inv_mass, springs = world.state, world.model.inv_mass, self.springs
        springs.begin()
        self.gas.begin()
        for iteration in range(springs.iterations):
            self.gas.inflate(state.x, inv_mass, h)
            over = springs.relaxation if iteration > 0 else 1.0
            if springs.solve(state.x, state.x_prev, inv_mass, over) < TOLERANCE:
                break

    def report(self, world: World, frame: Frame) -> None:
        """Add stress, volume and pressure to a frame."""
        x = world.state.x
        stress = lumped_stress(x, self.springs.i, self.springs.j, self.springs.rest)
        self.gas.measure(x, self.gas.volume)
        for spec in self.specs:
            body = world.body(spec.name)
            frame.attributes[spec.name] = {"stress": stress[body.start : body.stop].copy()}
            mine = self.gas.body == world.model.bodies.index(body)
            frame.diagnostics[spec.name] = {
                "volume": tuple(self.gas.volume[mine].tolist()),
                "pressure": tuple(self.gas.pressure[mine].tolist()),
            }

    def memory(self) -> dict[str, Any]:
        """What a snapshot must keep beside the particles."""
        return self.gas.memory()

    def recall(self, memory: dict[str, Any]) -> None:
        """Take a snapshot's memory back."""
        self.gas.recall(memory)


def mass_shares(
    spec: SpringGraphSpec, vertices: np.ndarray, triangles: np.ndarray, links: np.ndarray
) -> np.ndarray:
    """Each vertex's share of the mass, (n,), sum 1. By area, none gets less than a tenth of the mean."""
    count = len(vertices)
    if spec.mass_by == "VERTEX":
        return np.full(count, 1.0 / count)
    if len(triangles):
        share = np.bincount(
            triangles.reshape(-1), weights=np.repeat(triangle_areas(vertices, triangles), 3), minlength=count
        )
    else:
        share = np.bincount(links.reshape(-1), weights=np.repeat(lengths(vertices, links), 2), minlength=count)
    share = np.maximum(share, 0.1 * share.mean()) if share.sum() > 0.0 else np.ones(count)
    return share / share.sum()
