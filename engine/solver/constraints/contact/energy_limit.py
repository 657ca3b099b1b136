"""Removes energy that springs injected from the motion that pieces gain, see `spring_graph.injected_energy`.

Pieces and rigid bodies that touch in a substep are treated together (an island), because contacts transmit the energy
of springs: two bent ropes that overlap fly apart as a whole, and the springs of a ball spin a crate. K is kinetic
energy relative to the velocity V of the island, G is the sum over the members of the increase of K in the substep, and
D is the energy injected into the island. U is the energy that its springs and air released in the substep; D counts as
the first part of it, and inner steps dissipate most of it. Energy released beyond D may become motion, up to L, the
decrease of K since the island first had injected energy: springs that a substep does not resolve store far more than
the motion lost. All members keep the same fraction f of their motion,

    F = min(L, max(0, U - D)),   v' = V + f (v - V),   f^2 = 1 - min(D, max(0, G - F)) / K_end

which conserves momentum where V is the velocity of the common centre. For an island that touches a held particle, V is
the velocity of that particle, in whose frame it does no work. The fraction is the same for all, because contacts that
neither approach nor separate then remain so: with a fraction for each member they approached again, and a ball pit was
stopped. Rigid bodies keep the fraction f^2 of the angular momentum that they received, which leaves them at most that
fraction of its energy.

In water, K at the start is the energy before the water acts plus the work that the water does along the displacement,
relative to that of the centre. Water presses a light hull from all sides: each vertex gains metres a second by that,
which springs take back, so no work is done.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel, part_of_kernel
from .contact_order import row_of

# Columns of an island: whether it touches a held particle, velocity of that particle (3), mass, momentum at the start
# (3) and at the end (3), injected energy, kinetic energy gained, kinetic energy at the end, energy that springs and air
# released, kinetic energy lost since it first had injected energy, and kinetic energy at the start.
ISLAND = 17
INJECTED, GAINED, ENDED, RELEASED, LOST, BEGAN = 11, 12, 13, 14, 15, 16
# Columns of a member: mass, momentum at the start (3) and at the end (3), energy at the start and at the end, and the
# momentum change by spread forces (3).
MEMBER = 12
# Columns of a member: the fraction of motion that it keeps and the velocity of the frame (3).
KEPT = 4


class Members(NamedTuple):
    """The members of islands: pieces of soft bodies, then rigid bodies.

    Attributes:
        island: (m,) int64 of each, -1 for rigid bodies that touch no piece; sums: (m, ISLAND), of island g in row g.
        own: (m, MEMBER); kept: (m, KEPT).
    """

    island: np.ndarray
    sums: np.ndarray
    own: np.ndarray
    kept: np.ndarray


@kernel
def find_held(count, contact, weight, graph, inv_mass, v, members):
    """Reset `sums` of islands to zero, except for the velocity of a held particle that the island touches.

    Args:
        count, contact, weight: see `solver.contact_buffer.ContactBuffer`; graph: `islands.PieceColumns`.
        inv_mass: (n,), of held particles 0; v: (n, 3) [m/s]; members: `Members`.
    """
    sums = members.sums
    for p in range(sums.shape[0]):
        for k in range(ISLAND):
            sums[p, k] = 0.0
    for m in range(count):
        island = -1
        held = -1
        for e in range(4):
            r = row_of(contact[m, e], graph.row, graph.spare[0])
            if weight[m, e] == 0.0:
                continue
            if r != graph.spare[0]:
                island = members.island[graph.block_piece[graph.row_block[r]]]
            elif inv_mass[contact[m, e]] == 0.0:
                held = contact[m, e]
        if island >= 0 and held >= 0 and sums[island, 0] == 0.0:
            sums[island, 0] = 1.0
            for k in range(3):
                sums[island, 1 + k] = v[held, k]


@kernel
def pay(particles, blocks, at, origin, h, start, impulses, free, energies, bodies, angular_momentum, members):
    """Find the fraction of motion that each member keeps, `kept`; only deferred energy remains to be removed later.

    Args:
        particles: `columns.ParticleColumns`; blocks: `columns.RowBlocks`; origin: (blocks, 3), see `local.take_rows`.
        at: (r, 4) positions at the end of the solve [m]; h: the substep [s].
        start, impulses: (blocks, START_SUMS), (blocks, GIVEN), free: (pieces,) bool, see
            `momentum.piece_corrections`, after
            which free pieces have their momentum at the start plus the impulses of contacts.
        energies: (5, pieces), injected energy, in and out, the part of it that is deferred, energy of air, energy
            lost, in and out, and energy released [J], see `Rows`.
        bodies: `rigid.columns.InnerBodies`, `impulse_sums` in and out; angular_momentum: (b, 3) their angular momentum.
        members: `Members`, whose sums `find_held` has begun; kept: out.
    """
    island, sums, own, kept = members.island, members.sums, members.own, members.kept
    for p in range(energies.shape[1]):
        sums[island[p], INJECTED] += energies[0, p] - energies[1, p]
        sums[island[p], LOST] += energies[3, p]
        sums[island[p], RELEASED] += energies[4, p]
    _add_pieces(particles, blocks, at, origin, h, start, impulses, free, members)
    _add_bodies(bodies, angular_momentum, energies.shape[1], members)
    for m in range(island.shape[0]):
        q = island[m]
        if q >= 0 and sums[q, INJECTED] > 0.0:
            sums[q, 4] += own[m, 0]
            for k in range(6):
                sums[q, 5 + k] += own[m, 1 + k]
    for m in range(island.shape[0]):
        q = island[m]
        if q >= 0 and sums[q, INJECTED] > 0.0:
            began = _relative(sums[q], own[m], 5, 1, own[m, 7])
            ended = _relative(sums[q], own[m], 8, 4, own[m, 8])
            for k in range(3):
                began -= 0.5 * own[m, 9 + k] * (_velocity(sums[q], 5, k) + _velocity(sums[q], 8, k))
            sums[q, GAINED] += max(0.0, ended - max(began, 0.0))
            sums[q, BEGAN] += max(began, 0.0)
            sums[q, ENDED] += ended
    for m in range(island.shape[0]):
        q = island[m]
        kept[m, 0] = 1.0
        if q < 0 or sums[q, INJECTED] <= 0.0 or sums[q, GAINED] <= 0.0:
            continue
        kept[m, 0] = math.sqrt(max(0.0, 1.0 - _energy_to_remove(sums[q]) / sums[q, ENDED]))
        for k in range(3):
            kept[m, 1 + k] = _velocity(sums[q], 8, k)
    for p in range(energies.shape[1]):
        q = island[p]
        if sums[q, INJECTED] <= 0.0:
            energies[3, p] = 0.0
            continue
        removed = _energy_to_remove(sums[q])
        left = 1.0 - removed / sums[q, INJECTED]
        energies[0, p] = energies[1, p] + left * (energies[0, p] - energies[1, p])
        lost = sums[q, LOST] + sums[q, BEGAN] - sums[q, ENDED] + removed
        energies[3, p] = max(0.0, lost) * own[p, 0] / sums[q, 4]
    _slow_bodies(bodies, h, energies.shape[1], members)


@part_of_kernel
def _energy_to_remove(island):
    """Energy that an island has to lose [J]: the energy gained, without the part that may become motion again."""
    free = min(island[LOST], max(0.0, island[RELEASED] - island[INJECTED]))
    return min(island[INJECTED], max(0.0, island[GAINED] - free))


@part_of_kernel
def _add_pieces(particles, blocks, at, origin, h, start, impulses, free, members):
    """Add up blocks to pieces in islands with injected energy; see `pay`."""
    end, own = blocks.end, members.own
    for p in range(own.shape[0]):
        for k in range(MEMBER):
            own[p, k] = 0.0
    for block in range(blocks.piece.shape[0]):
        p = blocks.piece[block]
        if members.sums[members.island[p], INJECTED] <= 0.0:
            continue
        own[p, 0] += start[block, 0]
        for k in range(3):
            own[p, 1 + k] += start[block, 4 + k]
            own[p, 4 + k] += start[block, 4 + k] + impulses[block, k] if free[p] else end[block, 4 + k]
        own[p, 7] += start[block, 16]
        own[p, 8] += end[block, 16]
        if particles.dv_per_step.shape[0] > 0:
            _add_spread(particles, blocks, at, origin, h, block, own[p])


@part_of_kernel
def _add_bodies(bodies, angular_momentum, pieces, members):
    """Sums of rigid bodies, which are listed after the pieces; see `pay`."""
    impulse_sums, own, inverse = bodies.impulse_sums, members.own, bodies.inverse
    for b in range(members.island.shape[0] - pieces):
        m = pieces + b
        own[m, 0] = bodies.mass[b]
        for after in range(2):
            energy = 0.0
            for k in range(3):
                v = bodies.velocity[b, k] + after * impulse_sums[b, k] / bodies.mass[b]
                own[m, 1 + 3 * after + k] = bodies.mass[b] * v
                energy += bodies.mass[b] * v * v
            lx = angular_momentum[b, 0] + after * impulse_sums[b, 3]
            ly = angular_momentum[b, 1] + after * impulse_sums[b, 4]
            lz = angular_momentum[b, 2] + after * impulse_sums[b, 5]
            # Inverse inertias as xx, yy, zz, xy, xz, yz.
            energy += inverse[b, 0] * lx * lx + inverse[b, 1] * ly * ly + inverse[b, 2] * lz * lz
            energy += 2.0 * (inverse[b, 3] * lx * ly + inverse[b, 4] * lx * lz + inverse[b, 5] * ly * lz)
            own[m, 7 + after] = 0.5 * energy


@part_of_kernel
def _slow_bodies(bodies, h, pieces, members):
    """Add to the impulses of rigid bodies one at the end of the substep, so that they keep their fraction of motion."""
    impulse_sums, kept = bodies.impulse_sums, members.kept
    for b in range(members.island.shape[0] - pieces):
        f = kept[pieces + b, 0]
        if f == 1.0:
            continue
        for k in range(3):
            v = bodies.velocity[b, k] + impulse_sums[b, k] / bodies.mass[b]
            impulse = bodies.mass[b] * (1.0 - f) * (kept[pieces + b, 1 + k] - v)
            impulse_sums[b, k] += impulse
            angular_impulse = (f * f - 1.0) * impulse_sums[b, 3 + k]
            impulse_sums[b, 3 + k] += angular_impulse
            impulse_sums[b, 6 + k] -= h * impulse
            impulse_sums[b, 9 + k] -= h * impulse
            impulse_sums[b, 12 + k] -= h * angular_impulse
            impulse_sums[b, 15 + k] += h * h * impulse


@part_of_kernel
def _velocity(island, momentum, k):
    """Component k of an island's velocity: of a held particle that it touches, or of its centre.

    Args: momentum: first column of the momentum.
    """
    return island[1 + k] if island[0] > 0.0 else island[momentum + k] / island[4]


@part_of_kernel
def _relative(island, own, of_island, of_member, energy):
    """Kinetic energy of a member relative to its island; of_island, of_member: first columns of their momenta."""
    for k in range(3):
        v = _velocity(island, of_island, k)
        energy += v * (0.5 * own[0] * v - own[of_member + k])
    return energy


@part_of_kernel
def _add_spread(particles, blocks, at, origin, h, block, own):
    """Subtract spread forces from a member's sums at the start, and add their work along the displacement [J]."""
    for r in range(blocks.start[block], blocks.start[block + 1]):
        i = blocks.ids[r]
        if particles.inv_mass[i] == 0.0:
            continue
        mass = particles.mass[i]
        up = 0.5 * (at[r, 2] - (particles.x[i, 2] - origin[block, 2]))
        for k in range(3):
            dv = particles.dv_per_step[i, k]
            mean = dv + particles.dv_gradient[i, k] * up
            displacement = at[r, k] - (particles.x[i, k] - origin[block, k])
            own[1 + k] -= mass * dv
            own[7] += mass * (dv * (0.5 * dv - particles.v[i, k]) + mean * displacement / h)
            own[9 + k] += mass * mean
