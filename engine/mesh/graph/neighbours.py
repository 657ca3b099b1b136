"""Neighbour tables: particles in blocks of sixteen lanes; each slot of a block holds one neighbour for each lane.

Every link appears at both of its ends. A particle's force is then a sum over its own slots, and no other particle
writes to it. Each piece starts a block of its own.

In a grid, a ring or a tube, the neighbours of sixteen consecutive particles are mostly consecutive too, so three vector
loads replace sixteen gathers. Such slots are called runs; they come first in their block.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LANES = 16
ALL_LANES = (1 << LANES) - 1

# Particles keep the mesh order if that raises the fraction of links in runs by more than this; otherwise they are in
# breadth-first order.
LEAST_GAIN = 0.25


@dataclass
class Neighbours:
    """Places of all particles and of their neighbours; a place is a block and a lane in it.

    Attributes:
        particle: (blocks * 16,) int64, particle at each place; -1 for padding.
        block_piece: (blocks,) int64, piece of each block.
        slot_start: (blocks + 1,) int64, range of slots of each block.
        run_stop: (blocks,) int64, slot after a block's last run (a slot whose sixteen neighbours are consecutive).
        run_first: (slots,) int32, place of the neighbour of lane 0; a run needs nothing else.
        neighbour: (slots * 16,) int32, place of each neighbour; the particle's own place where it has no more.
        link: (slots * 16,) int64, index of the link; -1 for padding.
    """

    particle: np.ndarray
    block_piece: np.ndarray
    slot_start: np.ndarray
    run_stop: np.ndarray
    run_first: np.ndarray
    neighbour: np.ndarray
    link: np.ndarray


@dataclass
class _LinkEnds:
    """Each link once from either end, sorted by block, then by the offset from owner to neighbour, then by lane.

    Attributes:
        particle: (blocks * 16,) as in `Neighbours`.
        owner, other: (2 s,) places of the two ends; link: (2 s,) index of the link.
        in_run: (2 s,) bool, whether all sixteen lanes of the block have a neighbour at this offset.
    """

    particle: np.ndarray
    owner: np.ndarray
    other: np.ndarray
    link: np.ndarray
    in_run: np.ndarray


def build_neighbours(pairs: np.ndarray, ids: np.ndarray, piece: np.ndarray, particle_count: int) -> Neighbours:
    """Neighbour tables of links given as (s, 2) particles.

    Args:
        ids: (r,) particles, in an order that keeps neighbours close; piece: (r,) ascending piece of each.
        particle_count: number of particles in the whole world.
    """
    size = np.bincount(piece) if len(piece) else np.zeros(0, dtype=np.int64)
    piece_blocks = (size + LANES - 1) // LANES
    ends = _find_ends(pairs, ids, piece, size, particle_count)
    in_mesh_order = _find_ends(pairs, ids[np.lexsort((ids, piece))], piece, size, particle_count)
    if in_mesh_order.in_run.sum() > ends.in_run.sum() + LEAST_GAIN * len(ends.in_run):
        ends = in_mesh_order
    return _tabulate(ends, np.repeat(np.arange(len(size)), piece_blocks))


def _find_ends(
    pairs: np.ndarray, ids: np.ndarray, piece: np.ndarray, size: np.ndarray, particle_count: int
) -> _LinkEnds:
    """Links from both ends for particles in the order of ids; size: (pieces,) number of particles of each."""
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
    return _LinkEnds(particle, owner, other, order % max(len(pairs), 1), in_run)


def _tabulate(ends: _LinkEnds, block_piece: np.ndarray) -> Neighbours:
    """Fill the slots: runs first, then each particle's remaining links, ordered by offset."""
    places, blocks = len(ends.particle), len(block_piece)
    rest = np.flatnonzero(~ends.in_run)
    rest = rest[np.argsort(ends.owner[rest], kind="stable")]
    degree = np.bincount(ends.owner[rest], minlength=places)
    nth = np.arange(len(rest)) - np.repeat(np.cumsum(degree) - degree, degree)
    runs = np.bincount(ends.owner[ends.in_run] // LANES, minlength=blocks) // LANES
    slot_start = np.append(0, np.cumsum(runs + degree.reshape(-1, LANES).max(axis=1, initial=0))).astype(np.int64)
    slot = np.zeros(len(ends.owner), dtype=np.int64)
    before = np.repeat(np.cumsum(runs) - runs, runs * LANES)
    run_block = ends.owner[ends.in_run] // LANES
    slot[ends.in_run] = slot_start[run_block] + np.arange(len(run_block)) // LANES - before
    slot[rest] = (slot_start[:-1] + runs)[ends.owner[rest] // LANES] + nth
    where = LANES * slot + ends.owner % LANES
    own_place = LANES * np.repeat(np.arange(blocks), np.diff(slot_start))[:, None] + np.arange(LANES)
    neighbour = own_place.reshape(-1).astype(np.int32)
    neighbour[where] = ends.other
    link = np.full(len(neighbour), -1, dtype=np.int64)
    link[where] = ends.link
    return Neighbours(
        ends.particle, block_piece, slot_start, slot_start[:-1] + runs, neighbour[::LANES].copy(), neighbour, link
    )
