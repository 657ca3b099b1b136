"""One flock: its settings as numbers, its inputs from the world, and its steps in a frame."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import SpecError
from ...solver.vector.seen import SUMS
from ...spec.check import points
from ...spec.kinds.flock import FlockSpec
from .block import BLOCK_NUMBERS, TASKS
from .carriage import POSTURE_TIME
from .columns import PHASE, Agents, FlockScratch, Goals, Habits, Motion, Walls
from .course import add_remainder, drive
from .influences import FLEE, LEAD, Influence, Urge, heed, influences_of
from .nature import LEADS, natures
from .posture import posture_attributes
from .sight import LOOK, Sight
from .steering import decide
from .walls import binding
from .walls.clearance import RADIUS, follow_walls
from .walls.near import ENTRIES, LEAVES, WIDTH
from .walls.obstacles import refuse_inside, walls_for

if TYPE_CHECKING:
    from ...world.builder import Builder
    from ...world.controls import FlockControl
    from ...world.frame import Frame
    from ...world.world import World

# Settings that are read for every decision, because they may be keyed.
KEYED = (
    "speed", "distance", "separation", "alignment", "cohesion", "goal", "wander", "fear_radius", "acceleration",
    "turn_rate",
)
# Distance that agents keep from walls, in radii.
KEEP = 1.5
# Agents without a goal start within this angle of +Y, to either side [rad]: a flock with random headings falls apart.
SPREAD = 1.05
# Lower bound of grip in the gain of decisions [1/s]: with less, an agent cannot reach its wanted velocity.
LEAST_GRIP = 0.1
# Weight of the wish of agents at the surface of a particle fluid to return into it.
INWARD = 8.0
# Points of a path nearer than this count as one [m].
SHORTEST = 1e-6


class Flock:
    """A flock of a world.

    Attributes:
        spec: its spec; values: current values of its keyed settings.
        start, stop: range of particles; noses: (n, 3) unit vectors, initial facing directions.
        is_connected: whether `connect` has been called; sight: the visible neighbours of each agent.
    """

    def __init__(self, spec: FlockSpec, places: np.ndarray, dt: float) -> None:
        """Args: places: (n, 3) start positions of agents [m]; dt: length of a frame [s]. Raises SpecError."""
        self.spec, self._dt = spec, dt
        self.values = {name: float(getattr(spec, name)) for name in KEYED}
        self.start = self.stop = 0
        self.is_connected = False
        self.sight = Sight(len(places), int(spec.neighbours), float(spec.sight_radius), math.radians(spec.view_angle))
        self._seed = zlib.crc32(spec.name.encode()) & 0x7FFFFFFF
        self._set_goals(spec.goal_path, spec.perches)
        self._predators = _places(spec, "predators", spec.predators)
        self.noses = self._first_noses(places)
        self._fright = np.zeros(len(places))
        self._flee, self._seek = np.zeros((len(places), 3)), np.zeros((len(places), 3))
        self._box, self._remainder = np.zeros((len(places), 2)), np.zeros((len(places), 3))
        self._scratch = FlockScratch(
            np.zeros((TASKS, BLOCK_NUMBERS)), np.zeros((TASKS, binding.WIDTH), dtype=np.float32),
            np.zeros((TASKS, SUMS), dtype=np.float32), np.zeros((TASKS, LEAVES), dtype=np.int32),
            np.zeros((TASKS, ENTRIES, WIDTH)),
        )
        self._mind = natures(len(places), float(spec.leaders), self._seed)
        self._leaders = np.flatnonzero(self._mind[:, LEADS])
        # NaN: no ball is known, so that each is measured.
        self._mind[:, RADIUS] = np.nan
        self._influences: list[Influence] = []
        self._walls: Walls | None = None
        self._swims_in_particles = self._is_bounded = False
        self._is_carried = False

    def _set_goals(self, path: Any, perches: Any) -> None:
        path = _places(self.spec, "goal_path", path)
        steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
        # Coincident points are one point of the path.
        path = path[np.concatenate([[True], steps > SHORTEST])] if len(path) else path
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
        perches = _places(self.spec, "perches", perches)
        self._goals = Goals(np.ascontiguousarray(path), along[: max(len(path), 1)], perches)

    def _first_noses(self, places: np.ndarray) -> np.ndarray:
        """Initial facing directions: the spec's headings, towards the goal, or level within SPREAD of +Y."""
        if self.spec.headings is not None:
            noses = points(self.spec.name, "headings", self.spec.headings)
            if len(noses) != len(places):
                raise SpecError(self.spec.name, "headings", f"{len(noses)} of them", f"{len(places)}, one an agent")
        elif len(self._goals.path):
            noses = self._goals.path[0] - places
        else:
            noses = np.zeros((len(places), 3))
        if self.spec.motion == "WALK":
            noses = noses * [1.0, 1.0, 0.0]
        size = np.linalg.norm(noses, axis=1)
        angle = SPREAD * (2.0 * np.random.default_rng(self._seed).random(len(places)) - 1.0)
        chance = np.stack([np.sin(angle), np.cos(angle), np.zeros(len(places))], axis=1)
        return np.where(size[:, None] > 1e-9, noses / np.maximum(size, 1e-9)[:, None], chance)

    def _first_posture(self) -> np.ndarray:
        """Postures (n, 4) at the start: level, each with a random phase of its beat."""
        posture = np.zeros((len(self.noses), 4))
        posture[:, PHASE] = np.random.default_rng(self._seed + 1).random(len(posture))
        return posture

    def connect(self, builder: Builder, rules: Sequence[Any], world: World) -> None:
        """Examine all bodies, once they exist; in frame 0 set the initial state from the spec.

        Raises:
            SpecError: agents start inside a collider, or a rule has the flock on both sides.
        """
        self.is_connected = True
        name, columns, own = self.spec.name, world.state.columns, slice(self.start, self.stop)
        self._influences = influences_of(name, rules, builder)
        x = builder.positions()
        tied = frozenset(
            other for tie in world.spec.attachments for one, other in ((tie.a, tie.b), (tie.b, tie.a)) if one == name
        )
        self._walls = walls_for(name, rules, builder, x, tied)
        self._swims_in_particles = self.spec.motion == "SWIM" and any(body.traits.carries for body in builder.bodies)
        columns["grip"][own] = float(self.spec.grip)
        columns["swims"][own] = self.spec.motion == "SWIM"
        if world.state.frame == 0:
            refuse_inside(name, rules, builder, x, x[own])
            columns["nose"][own] = self.noses
            columns["own"][own] = world.state.v[own]
            columns["leg"][own] = -1
            columns["posture"][own] = self._first_posture()

    def aim(self, control: FlockControl | None) -> None:
        """Take the positions of goal, perches and predators at the end of the frame; raises SpecError."""
        if control is None:
            return
        if control.goal_path is not None or control.perches is not None:
            before = self._goals
            path = before.path if control.goal_path is None else control.goal_path
            self._set_goals(path, before.perches if control.perches is None else control.perches)
        if control.predators is not None:
            self._predators = _places(self.spec, "predators", control.predators)

    def decide(self, world: World) -> None:
        """Let every agent decide, from the positions of all agents."""
        state, own = world.state, slice(self.start, self.stop)
        agents, x, v = self._agents(world), state.x[own], state.v[own]
        self._update_flow(world, agents, x)
        habits = self._habits(world)
        self._heed_others(world, (x, v, agents), habits)
        is_due = state.frame % max(1, int(LOOK / self._dt + 1e-9)) == 0
        herd = self.sight.look(state.x, state.v, agents.borne, self.start, habits.is_carried, is_due)
        follow_walls(self._walls, state.x)
        time = state.frame * self._dt
        decide(time, herd, habits, self._goals, self._walls, agents, Motion(state.x, state.v), self._scratch)

    def _agents(self, world: World) -> Agents:
        columns, own = world.state.columns, slice(self.start, self.stop)
        rows = (columns[name][own] for name in ("own", "flow", "borne", "nose", "posture", "leg"))
        return Agents(*rows, self._flee, self._seek, self._fright, self._box, self._mind)

    def _update_flow(self, world: World, agents: Agents, x: np.ndarray) -> None:
        """Set each agent's flow, the fraction of its weight that it supports itself, and its range of heights."""
        hold = world.state.columns["hold"][self.start : self.stop]
        levels = [level for field in world.fields if (level := field.level_at(x)) is not None]
        level, motion = np.max(levels, axis=0) if levels else None, self.spec.motion
        # Fluid particles write the flow at agents themselves.
        self._is_carried = self._swims_in_particles
        if not self._swims_in_particles:
            flows = [field.flow_at(x, float(self.spec.radius)) for field in world.fields]
            flows = [flow for flow in flows if flow is not None]
            self._is_carried = bool(flows)
            if flows:
                agents.flow[:] = sum(flows)
            hold[:] = 0.0 if motion == "WALK" else 1.0
        self._is_bounded = level is not None and motion != "WALK" and not self._swims_in_particles
        if self._is_bounded and motion == "FLY":
            self._box[:, 0], self._box[:, 1] = level, np.inf
        elif self._is_bounded:
            hold[:] = x[:, 2] <= level
            self._box[:, 0], self._box[:, 1] = -np.inf, level

    def _heed_others(self, world: World, flock: tuple[np.ndarray, np.ndarray, Agents], habits: Habits) -> None:
        if not habits.heeds:
            return
        self._flee[:], self._seek[:], self._fright[:] = 0.0, 0.0, 0.0
        # Agents that have mostly left a particle fluid turn back into it.
        own = slice(self.start, self.stop)
        if self._swims_in_particles:
            self._seek += INWARD * habits.speed / habits.reaction * world.state.columns["inward"][own]
        per_reaction, radius = 1.0 / habits.reaction, self.values["fear_radius"]
        if len(self._predators) and radius > 0.0:
            still = np.zeros_like(self._predators)
            heed(Urge(FLEE, 1.0, radius, 0.0, False), self._predators, still, flock, habits.fastest, per_reaction)
        if len(self._leaders):
            ids, sight = self.start + self._leaders, float(self.spec.sight_radius)
            lead = Urge(LEAD, habits.goal, sight, habits.space, False)
            heed(lead, world.state.x[ids], world.state.v[ids], flock, habits.fastest, per_reaction)
        for influence in self._influences:
            ids = influence.ids
            heed(influence.urge, world.state.x[ids], world.state.v[ids], flock, habits.fastest, per_reaction)

    def _habits(self, world: World) -> Habits:
        spec, now = self.spec, self.values
        angle = min(math.radians(now["turn_rate"]) * self._dt, math.pi)
        return Habits(
            speed=now["speed"], slowest=float(spec.slowest) * now["speed"], fastest=float(spec.fastest) * now["speed"],
            acceleration=now["acceleration"], turn_cosine=math.cos(angle), turn_sine=math.sin(angle),
            climb=math.tan(math.radians(min(float(spec.climb), 89.9))), space=now["distance"],
            separation=now["separation"], alignment=now["alignment"], cohesion=now["cohesion"], goal=now["goal"],
            wander=now["wander"], leaders=float(spec.leaders), foresight=float(spec.foresight),
            reaction=max(float(spec.reaction), self._dt), keep=KEEP * float(spec.radius),
            banking=float(spec.banking), beat=float(spec.beat), dt=self._dt,
            gain=-1.0 / math.expm1(-max(float(spec.grip), LEAST_GRIP) * self._dt),
            posture_fraction=-math.expm1(-self._dt / POSTURE_TIME),
            walks=spec.motion == "WALK", lands=spec.arrival == "LAND", seed=self._seed,
            flow_fraction=-math.expm1(-float(spec.grip) * self._dt),
            heeds=bool(self._influences) or len(self._predators) + len(self._leaders) > 0 or self._swims_in_particles,
            is_carried=self._is_carried, is_bounded=self._is_bounded,
        )

    def drive(self, world: World, h: float) -> None:
        """Relax velocities towards the decided ones in a substep of h [s]."""
        state = world.state
        walks = self.spec.motion == "WALK"
        decay = 0.0 if self._swims_in_particles else float(self.spec.grip) * h
        end = -math.expm1(-decay)
        mean = 1.0 - end / decay if decay > 0.0 else 0.0
        weights = world.spec.effector_weights.get(self.spec.name)
        lift = -h * (1.0 if weights is None else float(weights.gravity)) * world.model.gravity
        hold = state.columns["hold"][self.start : self.stop]
        flags = (walks, self._is_carried)
        drive(self.start, (mean, end), flags, self._agents(world), hold, lift, self._remainder, state.v)

    def end_substep(self, world: World) -> None:
        """Go from the mean velocity of the substep to the one at its end; velocity changes by contacts are kept."""
        add_remainder(self.start, self._remainder, world.state.v)

    def report(self, world: World, frame: Frame) -> None:
        """Add positions, velocities and attributes of agents to a frame."""
        own, name, columns = slice(self.start, self.stop), self.spec.name, world.state.columns
        x, v = np.empty((2, self.stop - self.start, 3), dtype=np.float32)
        noses, posture = columns["nose"][own], columns["posture"][own]
        if not self.is_connected:
            noses, posture = self.noses, self._first_posture()
        attributes = posture_attributes(world.state.x[own], world.state.v[own], noses, posture, x, v)
        frame.positions[name], frame.velocities[name] = x, v
        frame.attributes[name] = {
            "id": np.arange(len(x), dtype=np.int32),
            "radius": np.full(len(x), float(self.spec.radius), dtype=np.float32), **attributes,
        }

    def memory(self) -> dict[str, Any]:
        """State that is not in the world's columns."""
        return {
            "sight": self.sight.memory(), "values": dict(self.values),
            "goals": tuple(self._goals), "predators": self._predators.copy(),
        }

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore `memory`."""
        self.sight.recall(memory["sight"])
        self.values, self._predators = dict(memory["values"]), memory["predators"].copy()
        self._goals = Goals(*memory["goals"])


def _places(spec: FlockSpec, field: str, value: Any) -> np.ndarray:
    """A copy of positions (k, 3), without rows for None; raises SpecError."""
    if value is None or np.size(value) == 0:
        return np.zeros((0, 3))
    return points(spec.name, field, value)
