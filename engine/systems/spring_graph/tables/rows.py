"""Particles of all spring graphs as rows, relative to an origin of their own piece, for springs and air."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....compiler import aligned
from ....compiler.typed_call import TypedCall
from ....mesh.graph.components import components, with_depths
from ....mesh.graph.edges import sorted_ends
from ....mesh.graph.order.runs import keeps_mesh_order
from ....solver.constraints import local, momentum
from ....solver.constraints.columns import MovingRows, ParticleColumns, Places, RowBlocks
from ....solver.constraints.contact import energy_limit
from ....solver.constraints.contact.energy_limit import Members
from ....solver.constraints.drift import place_rows, take_inv_mass
from ....solver.constraints.islands import PieceColumns
from ....solver.constraints.predicted import take_back_spread
from ....solver.rigid.columns import InnerBodies
from ....solver.vector import ends
from ....world.world import State, World

ROWS_IN_BLOCK = 512


@dataclass
class Rows:
    """Rows sorted by connected piece, and within a piece so that neighbours are close, see `build_rows`.

    Attributes:
        ids: (r,) int64, particle of each row; row: (n,) int64, row of each particle; the spare row if it has none.
        block_start: (blocks + 1,) ranges of rows; block_piece, block_first: (blocks,) piece and its first particle.
        row_block, piece: (r + 1,) int32, block and piece of each row; the spare row belongs to the last block.
        impulse: (blocks, GIVEN), impulses of contacts in the running solve, see `momentum.piece_corrections`.
        as_meshed: (r + 1,) bool, rows that keep the mesh order, see `order.runs`; false for the spare row.
        piece_block: (pieces + 1,) ranges of blocks; is_agent: (pieces,) bool, agents of flocks, each a piece.
        free: (pieces,) bool, pieces without a pinned particle, whose momentum is restored; false for agents.
        injected_energy: (pieces,) energy that solves must not turn into motion, see `spring_graph.injected_energy` [J];
            still_in_air: the part of it that air still stores and the running solve cannot release; air_energy: energy
            of that air as last measured, up to a constant; lost_motion: kinetic energy that the piece has lost since it
            has had injected energy; energy_state: (4, pieces), all of these; released: (pieces,) energy that springs
            and air released in the running solve, for pieces with injected energy.
        at: (r + 1, 4) float64, positions at the start of the solve and inverse masses; the last row is the spare one.
        moved, reached, began, speed, dv_per_step, dv_gradient: (r + 1, 4) of the running solve, see
            `constraints.local`; columns: `at` and these, as kernels take them.
    """

    ids: np.ndarray
    row: np.ndarray
    block_start: np.ndarray
    block_piece: np.ndarray
    block_first: np.ndarray
    as_meshed: np.ndarray
    piece_block: np.ndarray
    is_agent: np.ndarray
    free: np.ndarray
    at: np.ndarray
    moved: np.ndarray

    def __post_init__(self) -> None:
        blocks = len(self.block_piece)
        self._law = ends if self.moved.dtype == np.float32 else local
        self.reached, self.began = aligned.copy(self.moved), aligned.copy(self.moved)
        self.speed, self.dv_per_step, self.dv_gradient = (
            aligned.zeros(self.moved.shape, self.moved.dtype) for _ in range(3)
        )
        self.columns = MovingRows(
            self.at, self.moved, self.reached, self.began, self.speed, self.dv_per_step, self.dv_gradient
        )
        self._take_rows, self._give_rows = TypedCall(self._law.take_rows), TypedCall(self._law.give_rows)
        self._take_back_spread = TypedCall(take_back_spread)
        self._origin = np.zeros((blocks, 3))
        self.impulse = np.zeros((blocks, momentum.CONTACT_SUMS))
        sizes = np.diff(self.block_start)
        self.row_block = np.append(np.repeat(np.arange(blocks), sizes), blocks - 1).astype(np.int32)
        piece = self.block_piece[self.row_block] if blocks else np.zeros(1)
        self.piece = piece.astype(np.int32)
        self._start, self._end = np.zeros((blocks, momentum.START_SUMS)), np.zeros((blocks, momentum.END_SUMS))
        pieces, self._mass_changes = len(self.free), 0
        self._blocks: RowBlocks | None = None
        self._corrections = np.zeros((pieces, momentum.TURN))
        self._energies = np.zeros((5, pieces))
        self.energy_state, self.released = self._energies[:4], self._energies[4]
        self.injected_energy, self.still_in_air, self.air_energy, self.lost_motion = self.energy_state
        self._members = _all_kept(pieces)
        self._spread_sums = np.zeros((blocks, 4))
        self._sums = tuple(np.zeros(k) for k in (momentum.START_SUMS, momentum.END_SUMS, momentum.CONTACT_SUMS))

    @property
    def spare(self) -> int:
        """The row that no particle owns; null springs end there."""
        return len(self.ids)

    def set_inv_mass(self, inv_mass: np.ndarray) -> None:
        """Set the inverse masses of all particles, (n,) [1/kg], after some have been held or released."""
        take_inv_mass(inv_mass, self.ids, self.block_start, self.columns)
        held = _held_pieces(self.block_piece[self.row_block[:-1]], self.ids, inv_mass, len(self.free))
        self.free[:] = ~(held | self.is_agent)

    def update_masses(self, world: World) -> None:
        """Read the world's inverse masses if they have changed: bodies that carry a fluid or move water are heavier."""
        if self._mass_changes != world.added.changes:
            self._mass_changes = world.added.changes
            take_inv_mass(world.model.inv_mass, self.ids, self.block_start, self.columns)

    def blocks(self, mass: np.ndarray) -> RowBlocks:
        """The blocks of rows, as kernels take them; mass: (n,) [kg]."""
        if self._blocks is None or self._blocks.mass is not mass:
            self._blocks = RowBlocks(self.ids, self.block_start, self.block_first, self.block_piece, mass, self._end)
        return self._blocks

    def take_back_spread(self, world: World, h: float) -> None:
        """Remove from the predicted positions of a substep h [s] the part of spread forces that springs resist.

        Alone, water pressure would displace a light skin by centimetres in a substep, but air and springs resist it.
        When contacts were found from such predictions, heavy bodies passed through a floating skin. The mean velocity
        change of a piece remains.
        """
        spread = world.spread_force.dv_per_step
        if len(spread):
            self._take_back_spread(
                self.blocks(world.model.mass), self.piece_block, self.free, h, spread, world.model.inv_mass,
                self._spread_sums, world.state.x,
            )

    def take(self, world: World, h: float, steps: np.ndarray) -> None:
        """Begin a solve from the positions at the start of the substep h [s]; steps: (pieces,) inner steps."""
        gravity = tuple(h * float(g) for g in world.model.gravity)
        self.impulse[:] = 0.0
        fraction = 1.0 / steps[self.block_piece]
        self._take_rows(*self._begun(world), gravity, fraction, self.columns, self._origin, self._start)

    def relative_spread(self, some: np.ndarray, spread: np.ndarray) -> np.ndarray:
        """Velocity change of rows (m,) by spread forces beyond the mean of their piece, (m, 3) [m/s].

        Args: some: the rows; spread: (n, 3) or (0, 3) [m/s]. The mean counts as 0 for a piece with a held particle. It
        uses the sums over blocks that `take_back_spread` made in this substep.
        """
        if not len(spread):
            return np.zeros((0, 3))
        sums = np.zeros((len(self.free), 4))
        np.add.at(sums, self.block_piece, self._spread_sums)
        mean = sums[:, 1:] / np.maximum(sums[:, :1], 1e-300)
        return spread[self.ids[some]] - mean[self.piece[some]]

    def _begun(self, world: World) -> tuple[ParticleColumns, RowBlocks]:
        """Particles as the solve of a substep begins, and the blocks of rows."""
        state, model, spread_force = world.state, world.model, world.spread_force
        particles = ParticleColumns(
            state.x_prev, state.v, spread_force.dv_per_step, spread_force.dv_gradient, model.inv_mass, model.mass
        )
        return particles, self.blocks(model.mass)

    def write_reached(self, x: np.ndarray) -> None:
        """Write the positions that rows reached in a solve to x, (n, 3), before momentum is restored."""
        x[self.ids] = self.at[:-1, :3] + self._origin[self.row_block[:-1]]

    def read_positions(self, state: State) -> None:
        """Set `at` to the current positions, outside a solve."""
        place_rows(state.x, self.ids, self.block_start, self.block_first, self.at)

    def give(
        self, world: World, h: float, steps: np.ndarray, graph: PieceColumns, island: np.ndarray, bodies: InnerBodies,
    ) -> None:
        """End a solve: write positions and velocities back, with the momentum of free pieces restored.

        Args: h: the substep [s]; steps: (pieces,) inner steps in it; graph, island: see `islands.IslandFinder`, of
        pieces and of the `bodies` that took part, whose `impulse_sums` is in and out.
        """
        state, model = world.state, world.model
        has_injected = self.injected_energy.any()
        if has_injected:
            self._remove_injected(world, h, graph, island, bodies)
        momentum.piece_corrections(
            self._start, self._end, self.impulse, self.piece_block, self.free, h, steps, *self._sums,
            self._members.kept, self._corrections,
        )
        places = Places(state.x, state.x_prev)
        self._give_rows(
            self.columns, places, model.inv_mass, self.blocks(model.mass), self._origin, self._corrections, h
        )
        if has_injected:
            self._members.kept[:, 0] = 1.0

    def _remove_injected(
        self, world: World, h: float, graph: PieceColumns, island: np.ndarray, bodies: InnerBodies
    ) -> None:
        """Remove injected energy from the motion that islands gained; see `energy_limit.pay`, and `give` for Args."""
        buffer, model, rigid = world.contact_buffer, world.model, world.rigid
        if len(self._members.kept) != len(island):
            self._members = _all_kept(len(island))
        members = self._members = self._members._replace(island=island)
        energy_limit.find_held(
            buffer.count, buffer.contact, buffer.weight, graph, model.inv_mass, world.state.v, members
        )
        energy_limit.pay(
            *self._begun(world), self.at, self._origin, h, self._start, self.impulse, self.free, self._energies,
            bodies,
            np.zeros((0, 3)) if rigid is None else rigid.angular_momentum, members,
        )


def _all_kept(count: int) -> Members:
    """Members of islands that keep all of their motion."""
    kept = np.zeros((count, energy_limit.KEPT))
    kept[:, 0] = 1.0
    sums, own = np.zeros((count, energy_limit.ISLAND)), np.zeros((count, energy_limit.MEMBER))
    return Members(np.arange(count), sums, own, kept)


class LinkedRows(NamedTuple):
    """How links join rows.

    Attributes:
        pairs: (s, 2) int32 rows, lower first; label: (r + 1,) component of each row by links alone.
        depth: (r + 1,) number of links from the first row of its component.
    """

    pairs: np.ndarray
    label: np.ndarray
    depth: np.ndarray


def link_rows(pairs: np.ndarray, rows: Rows) -> LinkedRows:
    """The rows that links between particles, (s, 2), join."""
    pairs = sorted_ends(rows.row.take(pairs).astype(np.int32))
    label, _rank, depth = with_depths(pairs, len(rows.at))
    return LinkedRows(pairs, label, depth)


def build_rows(
    pairs: np.ndarray, members: np.ndarray, agents: np.ndarray, inv_mass: np.ndarray, number: type,
) -> Rows:
    """Rows of some particles.

    Args:
        pairs: (s, 2) int32, links between them; members: (m,) int64 ascending particle indices; agents: (k,) of these.
        inv_mass: (n,) of all particles [1/kg]; number: np.float32 or np.float64.
    """
    label, rank = components(pairs, len(inv_mass))
    ids, piece, count, as_meshed = _in_order(pairs, members, label, rank)
    piece_start = np.concatenate([[0], np.cumsum(np.bincount(piece, minlength=count))]).astype(np.int64)
    starts = [np.arange(piece_start[p], piece_start[p + 1], ROWS_IN_BLOCK) for p in range(count)]
    block_piece = np.repeat(np.arange(count), [len(s) for s in starts])
    row = np.full(len(inv_mass), len(ids), dtype=np.int64)
    row[ids] = np.arange(len(ids))
    at = np.zeros((len(ids) + 1, 4))
    at[:-1, 3] = inv_mass[ids]
    is_agent = np.zeros(count, dtype=bool)
    is_agent[piece[row[agents]]] = True
    return Rows(
        ids, row, np.concatenate([*starts, [len(ids)]]).astype(np.int64), block_piece, ids[piece_start[block_piece]],
        np.append(as_meshed, False), np.concatenate([[0], np.cumsum([len(s) for s in starts])]).astype(np.int64),
        is_agent, ~(_held_pieces(piece, ids, inv_mass, count) | is_agent), aligned.copy(at),
        aligned.copy(at.astype(number)),
    )


def _held_pieces(piece: np.ndarray, ids: np.ndarray, inv_mass: np.ndarray, count: int) -> np.ndarray:
    """Pieces with a held particle, (count,) bool; piece and particle of each row (r,); inv_mass (n,) [1/kg]."""
    held = np.zeros(count, dtype=bool)
    held[piece[inv_mass[ids] == 0.0]] = True
    return held


def _in_order(
    pairs: np.ndarray, members: np.ndarray, label: np.ndarray, rank: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int, np.ndarray]:
    """Members (m,) by piece, the piece of each, the number of pieces, and which members keep the mesh order, (m,).

    A large piece whose links form runs in mesh order keeps that order; others are in breadth-first order.
    """
    ids = members[np.argsort(rank[members], kind="stable")]
    is_there = np.zeros(int(label.max(initial=-1)) + 1, dtype=bool)
    is_there[label[ids]] = True
    piece, count = (np.cumsum(is_there) - 1)[label[ids]], int(np.count_nonzero(is_there))
    by_number = members[np.argsort(label[members], kind="stable")]
    place = np.zeros(len(label), dtype=np.int32)
    place[by_number] = np.arange(len(ids))
    keeps = keeps_mesh_order(place.take(pairs), piece, count)[piece]
    return np.where(keeps, by_number, ids), piece, count, keeps
