"""Contact between all bodies, and self-collision."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any
from weakref import proxy

import numpy as np

from ...compiler.typed_call import TypedCall
from ...solver.collide.broad_phase.body_pairs import Meeting
from ...solver.collide.broad_phase.broad_phase import BroadPhase
from ...solver.collide.broad_phase.ccd_recheck import CcdRecheck, PairSelection, chosen
from ...solver.collide.narrow_phase.columns import NearPairs, SubstepMotion, found_contacts
from ...solver.collide.response.penalty_contact import push_penalty
from ...solver.collide.response.reaction import no_momenta
from ...solver.collide.response.response import bounce, list_touching, solve_contacts
from ...solver.contact_buffer import contact_buffer, with_capacity
from ...step.stage import Stage
from ...world.builder import Builder
from ...world.controls import Controls
from ...world.frame import Frame
from ...world.world import OF_BODIES, Model, State, World
from ..base import Interaction
from .late.crossings import LateContacts
from .narrow_phase import NarrowPhase
from .own_spheres import build_own_contacts
from .pairs import build_pairs
from .rigid_contact import RigidContacts
from .spheres import build_spheres
from .surfaces import Surfaces
from .walls import Walls, find_walls


class Contacts(Interaction):
    """Detects and solves contacts; reads and writes both sides of every pair."""

    sees_fluids = False

    def __init__(self, rules: Sequence[Any], builder: Builder, model: Model, state: State) -> None:
        """Build the bounding volume trees and the tables of colliding pairs."""
        walls = find_walls(builder, model.inv_mass, state.x)
        self.pairs = build_pairs(rules, builder, model, [wall.system for wall in walls])
        every, kind = self.pairs.meets, self.pairs.kind
        walls = [wall for wall in walls if self.pairs.hulls[kind[wall.system]]]
        self.walls = Walls(walls, kind, state.x)
        self._by_hulls = Meeting(kind, every.table.copy(), np.zeros_like(every.own))
        self.meets = Meeting(kind, every.table.copy(), every.own)
        self._divide_pairs()
        self.spheres = build_spheres(builder, model, self.pairs)
        self.own = build_own_contacts(builder, model, self.pairs, state.x)
        self.rigid = None
        if builder.rigid is not None:
            self.rigid = RigidContacts(builder.rigid, self.pairs, model, self._by_hulls, walls, state.x)
        self._surfaces, self._model, self._state = Surfaces(builder, model, self.pairs, state.x), model, state
        self.recovered = np.zeros_like(state.x)
        self._gravity, self._up = 0.0, np.zeros(3)
        self._begin_search()

    def _divide_pairs(self) -> None:
        """Divide pairs of kinds into those that collide as hulls and those that collide by surfaces."""
        hulls = self.pairs.hulls.copy()
        hulls[self.walls.deformed] = False
        hard = np.logical_and.outer(hulls, hulls)
        np.logical_and(self.pairs.meets.table, hard, out=self._by_hulls.table)
        np.logical_and(self.pairs.meets.table, ~hard, out=self.meets.table)

    def _begin_search(self) -> None:
        """Set up the broad phase for bodies that collide by surfaces; almost free without any."""
        model, state = self._model, self._state
        self._has_surfaces = self.meets.any()
        count = len(state.x) if self._has_surfaces else 0
        self.elements, margin, self._margin = self._surfaces.elements(self.meets, model, count)
        of_face = model.body[self.elements.corner[:, 0]]
        face_start = np.searchsorted(of_face, np.arange(len(model.bodies) + 1))
        self.narrow = NarrowPhase(self._surfaces.faces_and_edges(self.elements), face_start)
        columns = [each[:count] for each in (state.v, model.radius, model.body, model.inv_mass)]
        self.search = BroadPhase(self.elements, self.meets, margin, *columns)
        self.x0, self._through = np.full((count, 3), np.nan), np.zeros(0, dtype=bool)
        self._enclosed = np.isin(np.arange(count), self.elements.corner[self.elements.closed])
        traits = [(not one.traits.moves, one.traits.deforms, one.traits.steers) for one in model.bodies]
        self.is_immovable, self.deforms, steers = np.array(traits, dtype=bool).reshape(-1, 3).T.copy()
        self._soft = np.flatnonzero(self.deforms[model.body[:count]])
        self.recheck = CcdRecheck(margin, self._soft, columns[-1], self.elements)
        self.inside, self.is_agent, self._inside_is_stale = np.zeros(count, dtype=bool), steers[model.body], True
        # Soft bodies that enclose volume: only these can contain a hard particle or an agent, see `inside`.
        self.is_soft_solid = self.deforms & np.isin(np.arange(len(model.bodies)), of_face[self.elements.closed])
        self.rigid_of = np.full(len(state.x), -1, np.int32) if self.rigid is None else self.rigid.of_particle
        # A weak reference: in a reference cycle, tables that a tear replaces would wait for the garbage collector.
        self.late = LateContacts(proxy(self), model)
        self._list_touching, self._solve, self._restitute = map(TypedCall, (list_touching, solve_contacts, bounce))
        self._buffer, self._found = contact_buffer(0), found_contacts(0, self.recheck.close)

    def _set_deformed_walls(self, deformed: list[int]) -> None:
        """Let walls of these kinds, now deformed, collide by surfaces instead of hulls."""
        if deformed == self.walls.deformed:
            return
        self.walls.deformed = deformed
        self._divide_pairs()
        if self.rigid is not None and self.rigid.hulls is not None:
            self.rigid.hulls.hulls.forget()
        self._begin_search()

    def allot(self, world: World) -> None:
        """Allocate slots for the contacts of the pairs that the search found."""
        if self.rigid is not None:
            self.rigid.follow(self.search, world.model.body, len(world.model.bodies))
        if self.search.slots <= len(self._found.touching):
            return
        slots = self.search.slots + self.search.slots // 2
        self.recheck.allot(slots)
        self._found, self._through = found_contacts(slots, self.recheck.close), np.zeros(slots, dtype=bool)
        self._buffer = contact_buffer(slots)

    def acts(self) -> bool:
        """Whether any two bodies may touch."""
        by_spheres = self.own is not None or (self.spheres is not None and bool(self.spheres.meets.any()))
        return self._has_surfaces or by_spheres or (self.rigid is not None and self.rigid.hulls is not None)

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Start a frame: update walls, the broad phase and the counters."""
        self._set_deformed_walls(self.walls.find_deformed(world.state, 1.0 / float(world.spec.frame_rate)))
        self.search.begin_frame(world.moving, tuple(world.model.gravity.tolist()))
        self.late.begin_frame()
        if self.spheres is not None:
            self.spheres.weigh(world.model)
        if self.own is not None:
            self.own.begin_frame()
        self._inside_is_stale = True
        if self._has_surfaces:
            self.recheck.expect(world.state.x, world.state.x, slice(world.moving, len(self.x0)), self.x0, False)
        self._gravity = math.hypot(*world.model.gravity)
        self._up = -world.model.gravity / max(self._gravity, 1e-300)

    def note_value(self, world: World, name: str, field: str) -> None:
        """Take over a keyed friction or restitution, and wake all bodies, which may no longer be at rest."""
        if field not in OF_BODIES:
            return
        self.pairs.take_surfaces(world.model)
        if world.rigid is not None:
            world.rigid.still[:] = 0.0

    def apply(self, stage: Stage, world: World, h: float) -> None:
        """Act in a stage."""
        state, buffer = world.state, world.contact_buffer
        # Gather once a substep. XPBD: after the springs are solved. In NARROW, before that, the spheres have moved on
        # with their own velocity, which differs from their vertices' only by the effect of gravity in a substep.
        is_predicted = world.spec.integrator == "XPBD"
        gathers = Stage.POSITION if is_predicted else Stage.NARROW
        if self.spheres is not None and stage is gathers:
            self.spheres.gather(state, world.model, h)
        if stage is Stage.NARROW:
            if self.rigid is not None:
                self.rigid.begin()
                self.rigid.add_hull_contacts(world, h)
            if self._has_surfaces:
                moving = slice(self.elements.first, world.moving)
                self.recheck.expect(state.x_prev, state.x, moving, self.x0, is_predicted)
                if self.search.look(state.x_prev, state.x, h, 1.0 / float(world.spec.frame_rate)):
                    self.allot(world)
                    self._inside_is_stale = True
            world.contact_buffer = self._buffer
            self._buffer.count, self._buffer.energy[0] = 0, 0.0
            if self._has_surfaces:
                self.find(world)
            if self.rigid is not None:
                self.rigid.pass_to_inner_steps()
            for source in filter(None, (self.spheres, self.own)):
                source.append(world)
            self._buffer = world.contact_buffer
        elif stage is Stage.POSITION:
            if buffer.count:
                self.solve(world, 0, False, h, buffer.count, world.model.inv_mass)
            if self.rigid is not None:
                self.rigid.solve(world, h, self.x0, self.recovered)
                self.rigid.hold_walls(world)
            if self._has_surfaces:
                self.late.remove_crossings(world, h)
            if self.spheres is not None:
                self.spheres.move_vertices(state, world.model)
        elif stage is Stage.VELOCITY:
            self._bounce(world, h)

    def _bounce(self, world: World, h: float) -> None:
        """Apply restitution."""
        state, buffer, slowest, own = world.state, world.contact_buffer, 2.0 * h * self._gravity, world.rigid
        if buffer.count:
            if self.spheres is not None:
                self.spheres.store_velocities(state)
            gained = no_momenta(*((np.zeros(0), np.zeros((0, 3))) if own is None else (own.mass, own.position)))
            self._restitute(
                buffer.count, buffer.columns, world.model.inv_mass, self.pairs.of_particle, self.pairs.restitution,
                slowest, self.recovered, state.v, self.rigid_of, state.x, gained,
            )
            if self.spheres is not None:
                self.spheres.change_vertex_velocities(state, world.model)
            if own is not None:
                own.gain(gained.velocity, gained.angular_momentum)
        if self.rigid is not None:
            self.rigid.bounce(world, slowest, buffer.count > 0)

    def find(self, world: World, asked: PairSelection | None = None) -> int:
        """Append contacts of the motion from the start of the substep to `x`; returns the count before.

        Args: asked: pairs to test again for motion that passes through; None for all contacts of all pairs.
        """
        state, model, buffer, pairs = world.state, world.model, world.contact_buffer, self.pairs
        search, before = self.search, buffer.count
        found = self._found._replace(touching=self._found.touching[: search.slots])
        near = search.near_pairs
        touching, overlaps, only_through = found.touching, self.late.overlaps, asked is not None
        if not only_through:
            overlaps.forget_tangled()
        ways = SubstepMotion(
            self.x0, state.x, state.v, self._surfaces.rest, model.body, self._surfaces.piece, model.inv_mass,
            self._enclosed, self.is_agent, self.inside, overlaps.tangled, len(model.bodies), overlaps.knows_tangled,
            model.radius, self._margin, self._up, state.frame == 0,
        )
        if asked is not None:
            touching[:] = self._through[: search.slots] if asked.goes_on else False
        if self._inside_is_stale and self._is_near_soft_solid(near):
            self.narrow.find_inside(near, ways)
        self._inside_is_stale, candidates = False, chosen(search, asked)
        self.narrow.test(only_through, asked is None or not asked.is_known, candidates, near, ways, found)
        if not only_through and overlaps.find_tangled(near, found.within, self.x0):
            ways = ways._replace(tangled=overlaps.tangled, knows_tangled=True)
            self.narrow.test(False, True, candidates, near, ways, found)
        self._through[: search.slots] = touching
        if self.rigid is not None and touching.any():
            self.rigid.take(world, found, self._enclosed, only_through)
        if not only_through and pairs.has_penalty:
            push_penalty(
                touching, found.contact, found.weight, found.normal, found.rest_separation, pairs.of_particle,
                pairs.stiffness, pairs.damping, model.inv_mass, world.h, state.x, state.v,
            )
        slots = touching.nonzero()[0]
        if only_through and not len(slots):
            self.late.bodies_stop = self.late.pressing_stop = self.late.soft_stop = before
            return before
        if only_through:
            bodies = model.body[found.contact[slots]]
            slots = slots[~self.late.ignore_overlapping(bodies[:, 0], bodies[:, 3])]
            rows = (found.contact[slots], found.weight[slots], found.normal[slots])
            slots = slots[self.late.order_crossings(buffer.count, *rows)]
            world.contact_buffer = buffer = with_capacity(buffer, len(slots))
        buffer.count = self._list_touching(
            slots, found, pairs.friction, pairs.of_particle, buffer.count, buffer.columns
        )
        return before

    def _is_near_soft_solid(self, near: NearPairs) -> bool:
        """Whether any near pair has a particle near a soft body that encloses volume."""
        faces = near.near[near.start]
        return bool(self.is_soft_solid[self._model.body[self.elements.corner[faces, 0]]].any())

    def solve(self, world: World, first: int, through: bool, h: float, stop: int, inv_mass: np.ndarray) -> None:
        """Solve contacts first : stop by their normals; with `through`, move back what passed through a surface.

        Args: inv_mass: (n,) of all particles [1/kg].
        """
        state, buffer = world.state, world.contact_buffer
        self._solve(
            first, stop, through, buffer.columns, inv_mass, self.x0, state.x_prev, h, state.x,
            self.recovered, world.spec.integrator == "SYMPLECTIC",
        )

    def report(self, world: World, frame: Frame) -> None:
        """Add the counts of `LateContacts`, and how many particles and edges have too many neighbours (`dense`)."""
        own = frame.diagnostics.setdefault("world", {})
        own |= {name: (float(getattr(self.late, name)),) for name in ("shortened", "stopped", "left")}
        own["dense"] = (float(self.search.dense_count()),)

    def continue_torn(self, other: Contacts) -> None:
        """Take over everything except the pairs that the search found, because their surfaces have changed."""
        memory = copy.deepcopy(other.memory())
        self._set_deformed_walls(memory["bent"])
        self.search.expect_as(memory)
        if self.rigid is not None:
            self.rigid.recall(memory["rigid"])

    def continue_from(self, world: World, other: Contacts, old: World) -> None:
        """Take over impulses of rigid contacts; their keys are particle indices, so all bodies must be the same."""
        if old.model.bodies == world.model.bodies and self.rigid is not None and other.rigid is not None:
            self.rigid.recall(other.rigid.memory())

    def memory(self) -> dict[str, Any]:
        """The state of the search, positions at the start of the last substep, and impulses of rigid contacts."""
        known = {} if self.rigid is None else {"rigid": self.rigid.memory()}
        return known | self.search.memory() | {"bent": self.walls.deformed, "began": self.x0[self._soft]}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore the memory of a snapshot."""
        self._set_deformed_walls(memory["bent"])
        self.x0[self._soft] = memory["began"]
        self.search.recall(memory)
        if self.rigid is not None:
            self.rigid.recall(memory["rigid"])
