"""Contacts of rigid bodies: taken from the list of all contacts, and solved with the bodies' effective masses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...compiler.kernels import thread_count
from ...compiler.typed_call import TypedCall
from ...solver.collide.broad_phase.body_pairs import Meeting
from ...solver.collide.broad_phase.broad_phase import BroadPhase
from ...solver.collide.narrow_phase.columns import FoundContacts
from ...solver.collide.response.reaction import Momenta
from ...solver.rigid.bodies import RigidBodies
from ...solver.rigid.columns import PairTables, ParticleOwners, RigidContactBuffer, RoundColumns, rigid_contact_columns
from ...solver.rigid.contact.finish import finish_impulses, move_bodies
from ...solver.rigid.contact.impulses import keep_impulses, solve_impulses
from ...solver.rigid.contact.prepare import begin_solve, list_rigid, prepare_rigid
from ...solver.rigid.contact.restitution import bounce_rigid, move_levers
from ...solver.rigid.contact.round_off import round_off
from ...solver.rigid.contact.solve_order import ContactOrder
from ...solver.rigid.contact.support import SupportScratch, support_particles, support_scratch
from ...solver.rigid.hulls.bodies import HullBodies
from ...solver.rigid.hulls.contacts import HullContacts
from ...solver.rigid.hulls.wall import Wall
from ...solver.rigid.motion import give_velocities
from ...solver.rigid.sides import body_velocities
from ...solver.rigid.sleeping import fall_asleep, note_still
from ...world.world import Model, World
from .kept_impulses import KeptImpulses
from .pairs import Pairs

# Gauss-Seidel iterations over the contacts of a substep, for impulses and for overlap.
ITERATIONS, FEW_ITERATIONS = 10, 4
# Spare capacity, as an inverse fraction of the number of contacts.
MORE = 8


class RigidContacts:
    """Contacts of a substep that involve a rigid body; `count` of them, the first `solved` of them prepared."""

    def __init__(
        self, rigid: RigidBodies, pairs: Pairs, model: Model, by_hulls: Meeting, walls: Sequence[Wall], x: np.ndarray,
    ) -> None:
        """Args: pairs: contact settings; by_hulls: pairs that collide as hulls; x: (n, 3) particles [m]."""
        self.rigid, self.pairs, self._by_hulls = rigid, pairs, by_hulls.table
        kinds = pairs.kind[rigid.system]
        self._hull_kind = np.concatenate([kinds, pairs.kind[[wall.system for wall in walls]]])
        self.hulls: HullContacts | None = None
        if by_hulls.any():
            own = [
                None if hull is None or not pairs.hulls[kind] else rigid.local[start - rigid.first + hull.corner]
                for hull, start, kind in zip(rigid.hulls, rigid.start, kinds, strict=True)
            ]
            some = np.concatenate([np.repeat(rigid.start[:, None], 3, axis=1), *(wall.frame[None] for wall in walls)])
            self.hulls = HullContacts(HullBodies(rigid, rigid.hulls, own, walls, x, model.radius[some[:, 0]]), some)
        self.order = ContactOrder(len(rigid.mass) + len(pairs.kind))
        self._body_inv_mass, self._all_bodies = 1.0 / rigid.mass, np.arange(len(rigid.mass))
        bodies, self._of_body = len(rigid.mass), rigid.of_systems(len(pairs.kind))
        self.of_particle, self._asleep = self._of_body[model.body], np.zeros(bodies, dtype=bool)
        self.columns, self.count, self.solved, self.inv_mass = rigid_contact_columns(0), 0, 0, model.inv_mass
        self._kept = KeptImpulses()
        self._inverse, self._change, self._shift, self._rates, self._extra = (np.zeros((bodies, 6)) for _ in range(5))
        self._angular_momentum, self._velocity_before, self._angular_momentum_before = (
            np.zeros((bodies, 3)) for _ in range(3)
        )
        self._owners = ParticleOwners(model.body, model.inv_mass, pairs.kind, self._of_body)
        self._tables = PairTables(pairs.friction, pairs.restitution, pairs.stiffness, pairs.damping)
        self._rounds = RoundColumns(rigid.start, rigid.round_first, rigid.round_rows)
        self.has_round = bool((rigid.round_first >= 0).any())
        self._list, self._round_off, self._prepare, self._begin = map(
            TypedCall, (list_rigid, round_off, prepare_rigid, begin_solve)
        )
        self._solve, self._finish, self._move = map(TypedCall, (solve_impulses, finish_impulses, move_bodies))
        self._restitute, self._note_still, self._support = map(TypedCall, (bounce_rigid, note_still, support_particles))
        self._support_scratch: SupportScratch | None = None

    def _allot(self, capacity: int) -> None:
        """Allocate `capacity` contacts; existing ones are kept."""
        fresh = rigid_contact_columns(capacity)
        for larger, values in zip(fresh, self.columns, strict=True):
            larger[: self.count] = values[: self.count]
        self.columns = fresh
        self.order.allot(capacity)

    def begin(self) -> None:
        """Start a substep without contacts."""
        self.count = self.solved = self.rigid.contact_buffer.count = 0
        self.rigid.began[:], self.rigid.began_turned[:] = self.rigid.position_before, self.rigid.rotation_before
        # Bodies in water have added mass.
        np.divide(1.0, self.rigid.mass, out=self._body_inv_mass)

    def add_hull_contacts(self, world: World, h: float) -> None:
        """Start the list with the contacts between hulls."""
        if self.hulls is None:
            return
        count = self.hulls.find(self._hull_kind, self._by_hulls, world.state.x, world.state.x_prev)
        if count > len(self.columns.slot):
            self._allot(count + count // MORE)
        self.hulls.take(h, self._hull_kind, self.pairs.friction, self.pairs.restitution, self.columns)
        self.count = count

    def hold_walls(self, world: World) -> None:
        """Move bodies that others pressed into walls back to the start of the substep, with zero velocity."""
        if self.hulls is None:
            return
        some = self.hulls.find_pressed(world.state.x, world.state.x_prev)
        if len(some):
            self.rigid.velocity[some] = self.rigid.angular_momentum[some] = 0.0
            self.rigid.reset_to_search_pose(some, np.zeros((len(some), 3)), world.state.x)

    def pass_to_inner_steps(self) -> None:
        """Pass the contacts to the inner steps."""
        self.columns.normal_impulse[:], self.columns.soft[:] = 0.0, False
        self.rigid.contact_buffer = RigidContactBuffer(self.columns, self.count)

    def follow(self, search: BroadPhase, body: np.ndarray, bodies: int) -> None:
        """After a search: move the impulses of the last substep to the new slots of their pairs.

        Args: body: (n,) system of each particle; bodies: number of systems.
        """
        self._kept.follow(search, body, bodies, self.columns.slot[: self.count])

    def take(self, world: World, found: FoundContacts, enclosed: np.ndarray, only_hard: bool) -> int:
        """Take contacts of rigid bodies off the list; returns the count before.

        Args: found: its `touching` is in and out; enclosed, only_hard: see `list_rigid`.
        """
        before, state, rigid = self.count, world.state, self.rigid
        more = int(np.count_nonzero(found.touching))
        if before + more > len(self.columns.slot):
            self._allot(before + more + (before + more) // MORE)
        self.count = self._list(
            only_hard, enclosed, found, self._owners, self._tables, state.x, self._kept.impulse, before, self.columns
        )
        if self.has_round:
            self._round_off(
                before, self.count, world.h, self._rounds, rigid.columns, self._owners, state.x_prev, state.x, state.v,
                self.columns,
            )
        return before

    def solve(
        self, world: World, h: float, began: np.ndarray, recovered: np.ndarray, late: np.ndarray | None = None
    ) -> None:
        """Compute the impulses of all contacts, earlier ones included, and move the bodies.

        Soft particles that bodies press onto something immovable count as immovable too, see `support`.

        Args:
            began: (n, 3) positions of particles at the start of the substep [m]; recovered: scratch (n, 3), zero.
            late: late contacts (k, 4) of soft particles; all islands that they belong to are solved again.
        """
        if self.count == 0:
            return
        rigid, state = self.rigid, world.state
        inverse, change, speeds = self._inverse, self._change, (self._velocity_before, self._angular_momentum_before)
        inverses, bounds = (self._body_inv_mass, inverse), (self.solved, self.count)
        if self.solved == 0:
            self.inv_mass = self._supported_inv_mass(world, h)
            self._begin(
                rigid.columns, (rigid.began, rigid.began_turned), *inverses, self._rates, self._extra, change, *speeds,
            )
        inv_mass, table, count = self.inv_mass, self.columns, self.count
        scale, soft_x = (h, state.x) if world.spec.integrator == "SYMPLECTIC" else (-h, state.x_prev)
        self._prepare(
            self.solved, count, table, world.model.body, inv_mass, *inverses, rigid.position_before,
            (state.x, state.x_prev, began), h, self._rates,
        )
        moved = self._all_bodies
        if late is not None and self.solved > 0:
            of_late = self.of_particle[late], len(rigid.mass) + world.model.body[late]
            nodes = np.concatenate([*of_late, table.sides[self.solved : count]], axis=None)
            moved = self.order.put_islands(nodes[nodes >= 0], count, table, world.model.body, rigid.columns)
        else:
            self.order.put(count, table, world.model.body, rigid.columns)
        self._solve(
            ITERATIONS, thread_count(), bounds, self.order.found, table, inv_mass, inverses,
            (state.x, state.x_prev, soft_x), h, scale, change, self._angular_momentum,
        )
        self._finish(
            FEW_ITERATIONS, bounds, table, inv_mass, inverses, (state.x, state.x_prev), h, self._extra,
            (speeds[0], change), self._shift, recovered, self._angular_momentum,
        )
        self.solved = count
        self._move(
            moved, h, rigid.columns, *speeds, change, self._angular_momentum, self._shift, rigid.particles, state.x,
        )

    def _supported_inv_mass(self, world: World, h: float) -> np.ndarray:
        """(n,) [1/kg], 0 for particles that bodies press onto something immovable; h: the substep [s]."""
        model, state, soft = world.model, world.state, world.contact_buffer
        if self._support_scratch is None:
            self._support_scratch = support_scratch(world.integrated, len(model.inv_mass))
        # Twice a fall from rest.
        least = 2.0 * h * h * float(np.linalg.norm(model.gravity))
        static, supported = np.empty(soft.count, dtype=bool), np.empty_like(model.inv_mass)
        any_supported = self._support(
            soft.count, soft.columns, self.count, self.columns, (state.x, state.x_prev), model.inv_mass, least, static,
            self._support_scratch, supported,
        )
        return supported if any_supported else model.inv_mass

    def gain(self, gained: Momenta) -> None:
        """Add the impulses of late contacts to the bodies; they remain if the bodies are solved again."""
        self.rigid.gain(gained.velocity, gained.angular_momentum)
        self._angular_momentum_before += gained.angular_momentum
        body_velocities(gained.velocity, gained.angular_momentum, self._inverse, self._extra)
        self._change += self._extra

    def bounce(self, world: World, slowest: float, gained: bool) -> None:
        """Apply restitution, put bodies at rest to sleep, and update the velocities of particles.

        Args: gained: whether bodies have gained velocity since their particles got theirs.
        """
        if self.count == 0:
            self.rigid.still[:] = 0.0
            return
        rigid, state, table, inv_mass = self.rigid, world.state, self.columns, self.inv_mass
        keep_impulses(self.count, table.slot, table.normal, table.impulse, self._kept.impulse)
        if self.hulls is not None:
            self.hulls.keep(table.normal, table.impulse)
        if bounces := bool(self.pairs.restitution.any()):
            self._change[:] = self._angular_momentum[:] = 0.0
            body_velocities(rigid.velocity, rigid.angular_momentum, self._inverse, self._rates)
            move_levers(
                self.count, table.sides, table.contact, table.weight, inv_mass, state.x, rigid.position_before,
                rigid.position, table.lever_a, table.lever_b,
            )
            self._restitute(
                ITERATIONS, self.count, table, inv_mass, (self._body_inv_mass, self._inverse), self._rates, slowest,
                state.v, self._change, self._angular_momentum,
            )
            rigid.velocity += self._change[:, :3]
            rigid.angular_momentum += self._angular_momentum
        if self._reset_sleeping(world) or bounces or gained:
            give_velocities(
                rigid.start, rigid.stop, rigid.inertia, rigid.position, rigid.rotation, rigid.velocity,
                rigid.angular_momentum, state.x, state.v,
            )

    def _reset_sleeping(self, world: World) -> bool:
        """Reset sleeping bodies; returns whether there are any."""
        rigid, state = self.rigid, world.state
        self._note_still(
            self.count, self.columns, self._owners, state.x, state.x_prev, world.h, rigid.columns, self._inverse,
            self._asleep, rigid.still,
        )
        sleeping = fall_asleep(
            self.count, self.columns.sides, rigid.still, self._asleep, rigid.began, rigid.began_turned, rigid.position,
            rigid.rotation, rigid.velocity, rigid.angular_momentum,
        )
        if sleeping:
            rigid.place(self._all_bodies, state.x)
        return bool(sleeping)

    def memory(self) -> dict[str, Any]:
        """Impulses of the last substep and their keys."""
        known = {} if self.hulls is None else {"hulls": self.hulls.memory()}
        return known | self._kept.memory()

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore the impulses of a snapshot; the next search assigns their slots."""
        self._kept.recall(memory)
        if self.hulls is not None and "hulls" in memory:
            self.hulls.recall(memory["hulls"])
        self.begin()
