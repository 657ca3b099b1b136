"""Arguments of a flock's kernels, as tuples of arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Habits(NamedTuple):
    """A flock's settings as numbers.

    Attributes:
        speed, slowest, fastest: [m/s]; acceleration: [m/s²].
        turn_cosine, turn_sine: of the largest rotation of an agent's course in a decision, at most pi; climb: tangent
            of the steepest path.
        space: personal space [m]; separation, alignment, cohesion, goal, wander: weights; leaders: fraction of agents.
        foresight, reaction: [s]; keep: distance of an agent's centre from walls [m]; banking: factor of the bank;
            beat: [1/s].
        dt: between decisions [s]; gain: 1 / (1 - exp(-grip dt)); posture_fraction: fraction of the change of bank and
            effort that happens in one decision; walks, lands: bool; seed: of the flock's random numbers.
        flow_fraction: fraction of the flow that agents take up between decisions.
        heeds, is_carried, is_bounded: whether `flee`, `seek` and `fright`, `flow`, and `box` of agents are in use.
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
    posture_fraction: float
    walks: bool
    lands: bool
    seed: int
    flow_fraction: float
    heeds: bool
    is_carried: bool
    is_bounded: bool


class SightTable(NamedTuple):
    """Points in the cells of a grid, see `solver.neighbors.grid`.

    Attributes:
        frame, size, start, columns: of the grid; place: (n,) int32, the index of the point at each sorted place.
    """

    frame: np.ndarray
    size: np.ndarray
    start: np.ndarray
    columns: np.ndarray
    place: np.ndarray


class Herd(NamedTuple):
    """Agents of one flock, sorted so that near agents are adjacent.

    Attributes:
        order: (n,) int32, the agent at each place.
        rows: (n, 8) float32 positions [m], velocities relative to the flow [m/s], and the view angle's term, see
            `solver.vector.seen`; place: (n, 3) positions [m].
        near: (n, k) int32 places of the nearest visible neighbours; seen: (n,) int32 their count.
        last: (n,) float32 squared distance to the farthest of them at the last search [m²].
        reach: (n,) float32, by agent, the initial distance of its next search [m].
    """

    order: np.ndarray
    rows: np.ndarray
    place: np.ndarray
    near: np.ndarray
    last: np.ndarray
    seen: np.ndarray
    reach: np.ndarray


class Agents(NamedTuple):
    """State of agents, rows of the world's columns in the flock's range, in the order of their ids.

    Attributes:
        own: (n, 3) wanted velocity relative to the flow [m/s]; flow: (n, 3) velocity of the medium that carries it.
        borne: (n, 3) part of the flow that the agent has taken up so far [m/s]. Its course is relative to that, so a
            gust changes its drift and not its heading.
        nose: (n, 3) unit vectors, the facing direction.
        posture: (n, 4) bank [rad], phase [beats], effort 0 to 1, state (`MOVING`, `LANDING`, `LANDED`).
        leg: (n,) int64, the current part of the goal path.
        flee, seek: (n, 3) accelerations from rules and predators [m/s²]; fright: (n,) 0 to 1.
        box: (n, 2) lowest and highest height of the centre [m], infinite where nothing bounds it.
        mind: (n, 16) float32, constant traits of each agent, see `nature`, and from column `walls.clearance.BALL` on
            the ball around it that contains no walls; rows are cache lines.
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
    """Goal of a flock.

    Attributes:
        path: (k, 3) [m], without rows if there is no goal; along: (k,) length of the path up to each point [m].
        perches: (m, 3) [m]; without rows agents land in a disc around the last point.
    """

    path: np.ndarray
    along: np.ndarray
    perches: np.ndarray


class Walls(NamedTuple):
    """Triangles that agents avoid, in a tree of boxes, see `mesh.graph.tree`.

    Attributes:
        corner: (t, 3) int32 particles of the world; order, first, last, skip: of the tree; low, high: (nodes, 3) [m].
        points: (3 t, 3) positions of the corners, in the order of the tree [m].
        particle: (m,) all particles of the triangles; before: (m, 3) their positions at the last decision [m].
        moved: (1,) sum over decisions of the largest displacement of any of them [m].
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


class FlockScratch(NamedTuple):
    """Scratch arrays of each task of a decision, (tasks, ...).

    Attributes:
        block: (BLOCK_NUMBERS,) float64 of a block of agents, see `block`.
        sense: (WIDTH,) float32, see `walls.binding`; sums: (SUMS,) float32, see `solver.vector.seen`.
        leaves: (LEAVES,) int32 leaves of the tree of walls; near: (ENTRIES, WIDTH), see `walls.near`.
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
