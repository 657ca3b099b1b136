"""Neighbour tables: particles in blocks of sixteen, and for each block slots of one neighbour a particle.

Each link is seen from both its ends, so a particle's force is a sum over its own slots and nobody else writes it.
Pieces start at a block of their own.

In a grid, a ring or a tube, most of sixteen particles that follow each other have their neighbours side by side as
well: three loads bring what sixteen would. Those slots are runs, and stand first in their block.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LANES = 16
ALL_LANES = (1 << LANES) - 1

# Particles stand in the order of the mesh if so much more of what they see is runs, and near their neighbours if not.
WORTH_IT = 0.25


@dataclass
class Neighbours:
    """Where each particle stands, and who its neighbours are.

    Attributes:
        particle: (blocks * 16,) int64, particle at each place; -1 for none.
        block_piece: (blocks,) int64, piece of each block.
        slot_start: (blocks + 1,) int64, ranges of slots.
        run_stop: (blocks,) int64, where a block's runs end: slots whose sixteen neighbours stand side by side.
        run_first: (slots,) int32, place of the neighbour that the first of a block has; all that runs need.
        neighbour: (slots * 16,) int32, place of each neighbour; the particle's own where it has no more.
        link: (slots * 16,) int64, which link leads there; -1 where there is none.
    """

    particle: np.ndarray
    block_piece: np.ndarray
    slot_start: np.ndarray
    run_stop: np.ndarray
    run_first: np.ndarray
    neighbour: np.ndarray
    link: np.ndarray


@dataclass
class _Sight:
    """Links as seen from their ends, sorted by block, then by how far off the other stands, then by lane.

    Attributes:
        particle: (blocks * 16,) as in `Neighbours`.
        owner, other: (2 s,) places; link: (2 s,) which one.
        in_run: (2 s,) bool, seen by all sixteen of the block at the same distance.
    """

    particle: np.ndarray
    owner: np.ndarray
    other: np.ndarray
    link: np.ndarray
    in_run: np.ndarray


def build_neighbours(pairs: np.ndarray, ids: np.ndarray, piece: np.ndarray, particle_count: int) -> Neighbours:
    """Tables of links given as (s, 2) particles.

    Args:
        ids: (r,) particles in an order that has neighbours near each other; piece: (r,) ascending piece of each.
        particle_count: of the whole world.
    """
    size = np.bincount(piece) if len(piece) else np.zeros(0, dtype=np.int64)
    piece_blocks = (size + LANES - 1) // LANES
    sight = _look(pairs, ids, piece, size, particle_count)
    as_meshed = _look(pairs, ids[np.lexsort((ids, piece))], piece, size, particle_count)
    if as_meshed.in_run.sum() > sight.in_run.sum() + WORTH_IT * len(sight.in_run):
        sight = as_meshed
    return _tabulate(sight, np.repeat(np.arange(len(size)), piece_blocks))


def _look(pairs: np.ndarray, ids: np.ndarray, piece: np.ndarray, size: np.ndarray, particle_count: int) -> _Sight:
    """What particles in this order see; size: (pieces,) particles of each."""
    first_place = LANES * np.append(0, np.cumsum((size + LANES - 1) // LANES)).astype(np.int64)
    first_row = np.append(0, np.cumsum(size)).astype(np.int64)
    at = first_place[piece] + np.arange(len(ids)) - first_row[piece]
    particle = np.full(first_place[-1], -1, dtype=np.int64)
    particle[at] = ids
    place = np.full(particle_count, -1, dtype=np.int64)
    place[ids] = at
    ends = place[pairs].reshape(-1, 2)
    owner, other = ends.T.reshape(-1), ends[:, ::-1].T.reshape(-1)
    span = len(particle)
    group = (owner // LANES) * (2 * span + 1) + (other - owner + span)
    order = np.argsort(group * LANES + owner % LANES, kind="stable")
    owner, other, group = owner[order], other[order], group[order]
    begins = np.flatnonzero(np.diff(group, prepend=-1))
    lanes = np.bitwise_or.reduceat(1 << (owner % LANES), begins) if len(begins) else begins
    sizes = np.diff(begins, append=len(group))
    in_run = np.repeat((sizes == LANES) & (lanes == ALL_LANES), sizes)
    return _Sight(particle, owner, other, order % max(len(pairs), 1), in_run)


def _tabulate(sight: _Sight, block_piece: np.ndarray) -> Neighbours:
    """Runs first, then the others of each particle, nearest places first."""
    places, blocks = len(sight.particle), len(block_piece)
    rest = np.flatnonzero(~sight.in_run)
    rest = rest[np.argsort(sight.owner[rest], kind="stable")]
    degree = np.bincount(sight.owner[rest], minlength=places)
    nth = np.arange(len(rest)) - np.repeat(np.cumsum(degree) - degree, degree)
    runs = np.bincount(sight.owner[sight.in_run] // LANES, minlength=blocks) // LANES
    slot_start = np.append(0, np.cumsum(runs + degree.reshape(-1, LANES).max(axis=1, initial=0))).astype(np.int64)
    slot = np.zeros(len(sight.owner), dtype=np.int64)
    before = np.repeat(np.cumsum(runs) - runs, runs * LANES)
    run_block = sight.owner[sight.in_run] // LANES
    slot[sight.in_run] = slot_start[run_block] + np.arange(len(run_block)) // LANES - before
    slot[rest] = (slot_start[:-1] + runs)[sight.owner[rest] // LANES] + nth
    where = LANES * slot + sight.owner % LANES
    own_place = LANES * np.repeat(np.arange(blocks), np.diff(slot_start))[:, None] + np.arange(LANES)
    neighbour = own_place.reshape(-1).astype(np.int32)
    neighbour[where] = sight.other
    link = np.full(len(neighbour), -1, dtype=np.int64)
    link[where] = sight.link
    return Neighbours(
        sight.particle, block_piece, slot_start, slot_start[:-1] + runs, neighbour[::LANES].copy(), neighbour, link
    )
