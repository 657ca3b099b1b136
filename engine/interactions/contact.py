"""Contact between all systems that have surfaces: particles of one against triangles of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..collide.broad import find_close_bodies, find_near, list_pairs, outran, set_reach
from ..collide.narrow import find_contacts
from ..collide.response import bounce, list_touching, solve_contacts
from ..collide.tree import build_tree, refit
from ..graph.edges import triangle_edges
from ..graph.links import lengths
from ..holds import room_for
from ..particles import Builder
from ..spec import Contact
from ..stage import Stage
from ..world import Model, State, World

# The search looks this share of the mean edge further than bodies are seen to move.
SLACK_SHARE = 0.3
# Near triangles of a particle that there is room for at first; it grows between substeps.
FIRST_ROOM = 16


class Contacts:
    """Keeps bodies apart; reads and writes both sides of every pair."""

    def __init__(self, rules: Sequence[Any], builder: Builder, model: Model, state: State) -> None:
        """Build the trees and the tables of who meets whom."""
        self._build_forest(builder, state.x)
        self._rule_tables(rules, builder, model)
        count = len(state.x)
        self.reach = np.zeros(count)
        self.x_found = state.x.copy()
        self.travelled = np.zeros(count)
        self.recovered = np.zeros((count, 3))
        bodies = len(builder.bodies)
        self._close = np.zeros((bodies, bodies), dtype=bool)
        self._own_boxes = np.zeros((2, bodies, 3))
        self._find_room(FIRST_ROOM, count)
        self._found_count = np.zeros(count, dtype=np.int64)
        self._pair_count = np.zeros((count, bodies), dtype=np.int64)
        self._allot(0, 0)

    def _build_forest(self, builder: Builder, x: np.ndarray) -> None:
        triangles, closed, parts = [np.zeros((0, 3), dtype=np.int32)], [np.zeros(0, dtype=bool)], []
        tree_start, nodes, places, edges = [0], 0, 0, []
        for body, surface in zip(builder.bodies, builder.surfaces, strict=True):
            if surface is not None and len(surface.triangles):
                mine = surface.triangles + np.int32(body.start)
                tree = build_tree(x, mine)
                parts.append((
                    tree.order + places, np.where(tree.last > tree.first, tree.first + places, 0),
                    np.where(tree.last > tree.first, tree.last + places, 0), tree.skip + nodes,
                ))
                triangles.append(mine)
                closed.append(surface.closed[surface.part])
                if body.kind != "COLLIDER":
                    edges.append(lengths(x, triangle_edges(mine)))
                nodes += len(tree.skip)
                places += len(mine)
            tree_start.append(nodes)
        empty = (np.zeros(0, dtype=np.int64),) * 4
        order, first, last, skip = (np.concatenate(column) for column in zip(empty, *parts, strict=True))
        self.triangles, self.closed = np.concatenate(triangles), np.concatenate(closed)
        self.tree_start = np.array(tree_start, dtype=np.int64)
        self.order, self.first, self.last, self.skip = order, first, last, skip
        self.low, self.high = np.zeros((nodes, 3)), np.zeros((nodes, 3))
        self.slack = SLACK_SHARE * float(np.concatenate(edges).mean()) if edges else 0.01

    def _rule_tables(self, rules: Sequence[Any], builder: Builder, model: Model) -> None:
        """Who meets whom, and with what friction and restitution, (bodies, bodies)."""
        count = len(builder.bodies)
        self.meets = ~np.eye(count, dtype=bool)
        fixed = np.array([body.kind != "SPRING_GRAPH" for body in builder.bodies])
        self.friction = np.sqrt(np.outer(model.friction, model.friction))
        self.restitution = np.maximum.outer(model.restitution, model.restitution)
        names = [body.name for body in builder.bodies]
        for rule in rules:
            for a in range(count):
                for b in range(count):
                    if a == b or not (_fits(rule, names[a], names[b]) or _fits(rule, names[b], names[a])):
                        continue
                    self.meets[a, b] = isinstance(rule, Contact)
                    if isinstance(rule, Contact):
                        if rule.friction is not None:
                            self.friction[a, b] = rule.friction
                        if rule.restitution is not None:
                            self.restitution[a, b] = rule.restitution
        solid = np.diff(self.tree_start) > 0
        there = np.array([body.stop > body.start for body in builder.bodies])
        self.meets &= np.logical_or.outer(solid, solid) & np.outer(there, there) & ~np.outer(fixed, fixed)

    def _find_room(self, room: int, count: int) -> None:
        """Make room for so many near triangles of each of `count` particles."""
        self._found = np.zeros((count, room), dtype=np.int32)
        self._found_distance = np.zeros((count, room), dtype=np.float32)

    def _allot(self, pairs: int, near: int) -> None:
        """Make room for the pairs of a search and their contacts."""
        self.pair_particle = np.zeros(pairs, dtype=np.int64)
        self.pair_start = np.zeros(pairs + 1, dtype=np.int64)
        self.near = np.zeros(near, dtype=np.int32)
        self.near_distance = np.zeros(near, dtype=np.float32)
        self.touching = np.zeros(pairs, dtype=bool)
        self.corner = np.zeros((pairs, 3), dtype=np.int64)
        self.share = np.zeros((pairs, 3))
        self.normal = np.zeros((pairs, 3))
        self.gap = np.zeros(pairs)
        self.approach = np.zeros(pairs)
        self._room = room_for(pairs)

    def acts(self) -> bool:
        """Whether any two bodies may touch."""
        return len(self.triangles) > 0 and bool(self.meets.any())

    def begin_frame(self, world: World) -> None:
        """Search once for the frame."""
        self._search(world)

    def _search(self, world: World) -> None:
        state, model = world.state, world.model
        set_reach(
            state.x, state.v, 1.0 / float(world.spec.frame_rate), world.h, self.slack, self.reach, self.x_found
        )
        around = self.reach + model.radius
        for body in range(len(model.bodies)):
            refit(
                state.x, self.triangles, around, self.order, self.first, self.last, self.skip,
                self.tree_start[body], self.tree_start[body + 1], self.low, self.high,
            )
        self.travelled[:] = 0.0
        find_close_bodies(
            state.x, self.reach, model.radius, model.body, self.meets, self.tree_start, self.low, self.high,
            self._own_boxes[0], self._own_boxes[1], self._close,
        )
        self._look_around(world)
        most = int(self._found_count.max())
        if most > self._found.shape[1]:
            self._find_room(2 * most, len(self._found))
            self._look_around(world)
        self._allot(int(np.count_nonzero(self._pair_count)), int(self._found_count.sum()))
        list_pairs(
            self._found, self._found_distance, self._found_count, self._pair_count, self.pair_particle, self.pair_start,
            self.near, self.near_distance,
        )

    def _look_around(self, world: World) -> None:
        find_near(
            world.state.x, self.reach, world.model.radius, world.model.body, self._close, self.tree_start,
            self.first, self.last, self.skip, self.low, self.high, self.order, self.triangles,
            self._found, self._found_distance, self._found_count, self._pair_count,
        )

    def apply(self, stage: Stage, world: World, h: float) -> None:
        """Act in a stage."""
        state, model, holds = world.state, world.model, world.holds
        if stage is Stage.NARROW:
            if outran(state.x, self.x_found, self.reach, self.travelled):
                self._search(world)
            holds = world.holds = self._room
            find_contacts(
                self.pair_particle, self.pair_start, self.near, self.near_distance, state.x, state.x_prev, state.v,
                self.travelled, self.triangles, self.closed, model.radius, 2.0 * self.slack,
                self.touching, self.corner, self.share, self.normal, self.gap, self.approach,
            )
            holds.count = list_touching(
                self.touching, self.pair_particle, self.corner, self.share, self.normal, self.gap, self.approach,
                self.friction, model.body, holds.particle, holds.corner, holds.share, holds.normal, holds.gap,
                holds.friction, holds.approach, holds.held, holds.energy,
            )
        elif holds.count == 0:
            return
        elif stage is Stage.POSITION:
            solve_contacts(
                holds.count, holds.particle, holds.corner, holds.share, holds.normal, holds.gap, holds.friction,
                holds.held, holds.energy, model.inv_mass, state.x_prev, h, state.x, self.recovered,
                world.spec.integrator == "SYMPLECTIC",
            )
        elif stage is Stage.VELOCITY:
            slowest = 2.0 * h * float(np.linalg.norm(model.gravity))
            bounce(
                holds.count, holds.particle, holds.corner, holds.share, holds.normal, holds.approach, holds.held,
                holds.energy, model.inv_mass, model.body, self.restitution, slowest, state.v,
            )

    def memory(self) -> dict[str, Any]:
        """Every frame begins with a search, so nothing outlives it."""
        return {}

    def recall(self, memory: dict[str, Any]) -> None:
        """Nothing to take back."""


def _fits(rule: Any, a: str, b: str) -> bool:
    return rule.a in ("*", a) and rule.b in ("*", b)
