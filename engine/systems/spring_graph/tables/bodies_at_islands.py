"""The rigid bodies that islands of soft pieces touch, where injected energy is removed, see `constraints.energy_limit`.

An island that presses on a rigid body is not free: the body gives it momentum. Its motion is reduced relative to the
velocity of the common centre of island and bodies, and the momentum that it loses by that goes back to the bodies.
Relative to its own centre instead, a cube of 50 g between heavy crates was left with all the 157 m/s at which its
springs had pushed it off.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....solver.rigid.bodies import RigidBodies
from ....world.world import World


class BodiesAtIslands(NamedTuple):
    """Pairs of an island and a rigid body that touched it in the inner steps, and the pieces of these islands.

    Attributes:
        island, body: (k,) of each pair; share: (k,) of the impulses that the island gave.
        pieces: (p,) of these islands; momentum: (p, 3) at the end of the solve [kg m/s]; mass: (p,) [kg].
    """

    island: np.ndarray
    body: np.ndarray
    share: np.ndarray
    pieces: np.ndarray
    momentum: np.ndarray
    mass: np.ndarray

    def set_frames(self, bodies: RigidBodies, gave: np.ndarray, piece_island: np.ndarray, sums: np.ndarray) -> None:
        """Set the velocity relative to which each island's motion is measured.

        Args: bodies: all rigid ones; gave: (b, GAVE) impulses that they got; piece_island: (pieces,) island of each;
        sums: in and out, see `energy_limit.find_islands`.
        """
        count, body = len(piece_island), self.body
        mass = np.bincount(piece_island[self.pieces], self.mass, count)
        mass += np.bincount(self.island, bodies.mass[body], count)
        moving = bodies.mass[body, None] * bodies.velocity[body] + gave[body, :3]
        some = np.unique(self.island)
        sums[some, 0] = 1.0
        for k in range(3):
            total = np.bincount(piece_island[self.pieces], self.momentum[:, k], count)
            total += np.bincount(self.island, moving[:, k], count)
            sums[some, 1 + k] = total[some] / mass[some]

    def give_back(
        self, h: float, bodies: RigidBodies, piece_island: np.ndarray, kept: np.ndarray, centre: np.ndarray,
        gave: np.ndarray,
    ) -> None:
        """Give the bodies the momentum that pieces lost, as an impulse at the end of the substep, h [s].

        Args: bodies, piece_island: as above; kept: (pieces, KEPT), see `energy_limit.pay`; centre: (p, 3) of `pieces`
        at the end [m]; gave: in and out (b, GAVE).
        """
        factor, frame = kept[self.pieces, 0], kept[self.pieces, 1:4]
        lost = (1.0 - factor)[:, None] * (self.momentum - self.mass[:, None] * frame)
        for island, body, share in zip(self.island.tolist(), self.body.tolist(), self.share.tolist(), strict=True):
            own = piece_island[self.pieces] == island
            impulse = share * lost[own]
            moment = np.cross(centre[own] - bodies.position_before[body], impulse).sum(axis=0)
            total = impulse.sum(axis=0)
            for column, value in ((0, total), (3, moment), (6, -h * total), (9, -h * total), (15, h * h * total)):
                gave[body, column : column + 3] += value


def bodies_at_islands(
    world: World, row: np.ndarray, spare: int, piece: np.ndarray, piece_island: np.ndarray, held: np.ndarray,
    sums: tuple[np.ndarray, np.ndarray],
) -> BodiesAtIslands | None:
    """The bodies that islands touched in the inner steps, but islands that touch something held; None without any.

    Args: row: (n,) of particles, `spare` or nothing for those without; piece: (rows + 1,) of each row; piece_island:
    (pieces,); held: (pieces,) bool, of islands; sums: (pieces, 3) momenta [kg m/s] and (pieces,) masses [kg].
    """
    holds = world.rigid.holds
    table = holds.columns
    contact, weighs = table.contact[: holds.count], table.weight[: holds.count] != 0.0
    at = np.full(contact.shape, spare)
    known = weighs & (contact < len(row))
    at[known] = row[contact[known]]
    body, impulse = table.sides[: holds.count].max(axis=1), np.abs(table.normal_impulse[: holds.count])
    some = np.flatnonzero((at < spare).any(axis=1) & (body >= 0) & (impulse > 0.0))
    first = at[some, (at[some] < spare).argmax(axis=1)]
    island = piece_island[piece[first]]
    free = ~held[island]
    if not free.any():
        return None
    count = len(world.rigid.mass)
    keys, of = np.unique(island[free] * count + body[some[free]], return_inverse=True)
    given = np.bincount(of, impulse[some[free]])
    of_island = keys // count
    share = given / np.bincount(of_island, given)[of_island]
    pieces = np.flatnonzero(np.isin(piece_island, of_island))
    return BodiesAtIslands(of_island, keys % count, share, pieces, sums[0][pieces], sums[1][pieces])
