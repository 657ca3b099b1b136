"""What the kernels of a flock take, as tuples of arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Habits(NamedTuple):
    """A flock's settings as numbers.

    Attributes:
        speed, slowest, fastest: [m/s]; acceleration: [m/s²].
        turn_cosine, turn_sine: of the most that an agent turns in a decision, half a turn at most; climb: tangent of
            the steepest path.
        space: [m]; separation, alignment, cohesion, goal, wander: weights; leaders: share.
        foresight, reaction: [s]; keep: distance of the middle from walls [m]; banking: share; beat: [1/s].
        dt: between decisions [s]; gain: 1 / (1 - exp(-grip dt)); lag: share that leaning and effort take up in a
            decision; walks, lands: bool; seed: of the flock's chances.
        uptake: share of what carries them that they take up between decisions.
        heeds, is_carried, is_bounded: whether `flee`, `seek` and `fright`, `flow`, and `box` of agents say anything.
    """

    speed: float
    slowest: float
    fastest: float
    acceleration: float
    turn_cosine: float
    turn_sine: float
    climb: float
    space: float
    separation: float
    alignment: float
    cohesion: float
    goal: float
    wander: float
    leaders: float
    foresight: float
    reaction: float
    keep: float
    banking: float
    beat: float
    dt: float
    gain: float
    lag: float
    walks: bool
    lands: bool
    seed: int
    uptake: float
    heeds: bool
    is_carried: bool
    is_bounded: bool


class SightTable(NamedTuple):
    """Agents in the cells of a grid, see `solver.neighbors.grid`.

    Attributes:
        frame, size, start, columns: of the grid; place: (n,) int32, of each sorted place, its place in the herd.
    """

    frame: np.ndarray
    size: np.ndarray
    start: np.ndarray
    columns: np.ndarray
    place: np.ndarray


class Herd(NamedTuple):
    """Agents of one flock, those side by side that are near each other.

    Attributes:
        order: (n,) int32, the agent at each place.
        rows: (n, 8) float32 positions [m], velocities relative to what carries them [m/s], and how far they see to the
            side, see `solver.vector.seen`; place: (n, 3) positions [m].
        near: (n, k) int32 places of the nearest that each saw; seen: (n,) int32 how many there are.
        last: (n,) float32 square of the distance to the last of them when they were searched for [m²].
        reach: (n,) float32, by agent, how far it looks at first when it searches again [m].
    """

    order: np.ndarray
    rows: np.ndarray
    place: np.ndarray
    near: np.ndarray
    last: np.ndarray
    seen: np.ndarray
    reach: np.ndarray


class Agents(NamedTuple):
    """What agents remember, rows of the world's columns in the flock's range, in the order of their ids.

    Attributes:
        own: (n, 3) velocity each wants, relative to what carries it [m/s]; flow: (n, 3) velocity of what carries it.
        borne: (n, 3) how much of that velocity each has taken up by now [m/s]: its course is relative to that, so a
            gust changes where it drifts and not where it heads.
        nose: (n, 3) unit vectors, which way each looks.
        posture: (n, 4) bank [rad], phase [beats], effort 0 to 1, state (`MOVING`, `LANDING`, `LANDED`).
        leg: (n,) int64, on a path the part of it that each is on.
        flee, seek: (n, 3) accelerations that rules and predators ask for [m/s²]; fright: (n,) 0 to 1.
        box: (n, 2) lowest and highest height of the middle [m], infinite where nothing bounds it.
        mind: (n, 16) float32, what an agent is by birth, see `nature`, and from column `walls.clearance.BALL` on the
            ball around it without walls; rows are cache lines.
    """

    own: np.ndarray
    flow: np.ndarray
    borne: np.ndarray
    nose: np.ndarray
    posture: np.ndarray
    leg: np.ndarray
    flee: np.ndarray
    seek: np.ndarray
    fright: np.ndarray
    box: np.ndarray
    mind: np.ndarray


class Goals(NamedTuple):
    """Where a flock wants to go.

    Attributes:
        path: (k, 3) [m], no row for nowhere; along: (k,) length of the path up to each point [m].
        perches: (m, 3) [m], no row for a disc around the last point.
    """

    path: np.ndarray
    along: np.ndarray
    perches: np.ndarray


class Walls(NamedTuple):
    """Triangles that agents keep away from, in a tree of boxes, see `mesh.graph.tree`.

    Attributes:
        corner: (t, 3) int32 particles of the world; order, first, last, skip: of the tree; low, high: (nodes, 3) [m].
        points: (3 t, 3) where the corners are, in the order of the tree [m].
        particle: (m,) all particles of the triangles; before: (m, 3) where they were last [m].
        moved: (1,) the sum over decisions of how far the fastest of them went [m].
    """

    corner: np.ndarray
    order: np.ndarray
    first: np.ndarray
    last: np.ndarray
    skip: np.ndarray
    low: np.ndarray
    high: np.ndarray
    points: np.ndarray
    particle: np.ndarray
    before: np.ndarray
    moved: np.ndarray


class Rooms(NamedTuple):
    """What each task of a decision writes in, (tasks, ...).

    Attributes:
        block: (ROOM,) float64 what a block of agents decides with, see `block`.
        sense: (WIDTH,) float32, see `walls.binding`; sums: (SUMS,) float32, see `solver.vector.seen`.
        leaves: (LEAVES,) int32 leaves of the tree of walls; near: (LISTED, WIDTH), see `walls.near`.
    """

    block: np.ndarray
    sense: np.ndarray
    sums: np.ndarray
    leaves: np.ndarray
    near: np.ndarray


class Motion(NamedTuple):
    """The world's particles: positions x [m] and velocities v [m/s], (n, 3) each."""

    x: np.ndarray
    v: np.ndarray


# States of an agent.
MOVING, LANDING, LANDED = 0.0, 1.0, 2.0
# Columns of `Agents.posture`.
BANK, PHASE, EFFORT, STATE = 0, 1, 2, 3
