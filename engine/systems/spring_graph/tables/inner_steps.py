"""The number of inner steps of each piece: what its springs ask for, and what it meets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....spec import WorldSpec
from ....world.world import World, substep_length
from .encounters import RESOLVED, Encounters, highest_frequency
from .islands import IslandFinder
from .rows import LinkedRows, Rows
from .springs import MOST_STEPS, Links, affordable_steps, enough_steps, most_steps

# What is left of the inner steps of an encounter after a frame without it. A skin that takes few steps gives way more
# and lies flat; where a body touched it now and then, each touch made it stiff again, and it jumped.
STAYS = 0.95
# A piece that touches something takes more inner steps when the residual of one of its springs was beyond UNSOLVED for
# LASTING [s], at most GROWTH times as many from frame to frame, and gives none up before all are below KEPT.
UNSOLVED, LASTING, GROWTH, KEPT = 0.15, 0.25, 1.5, 0.03


class InnerSteps:
    """Chooses the inner steps of a substep; all pieces of an island take the same number.

    Attributes:
        each: (pieces,) int64, inner steps in the running substep; bends: in how many of them hinges are solved: at
            least as many as the island would take if nothing pressed on it; substep: its length [s].
    """

    def __init__(self, rows: Rows, spec: WorldSpec, links: Callable[[], Links]) -> None:
        """Args: rows: of all pieces; spec: of the world; links: returns the springs of all bodies."""
        self._rows, self._links, self.substep = rows, links, substep_length(spec)
        pieces = len(rows.free)
        self._fixed = spec.spring_steps
        # What `ask` asked for, 0 before that.
        self._count = 0
        self._asked = np.full(pieces, max(self._fixed, 1), dtype=np.int64)
        # What contacts needed in this frame so far, and what is left of earlier ones.
        self._met, self._met_last = (np.zeros(pieces, dtype=np.int64) for _ in range(2))
        # Whether each touched anything in this frame; for how long its springs have been unsolved [s].
        self._touched, self._unsolved = np.zeros(pieces, dtype=bool), np.zeros(pieces)
        # The fewest that the springs of an island left affordable, in this frame so far and in the last one.
        self._room, self._room_last = (np.full(pieces, MOST_STEPS) for _ in range(2))
        self._springs = np.zeros(pieces, dtype=np.int64)
        self.each, self.bends = self._asked.copy(), self._asked.copy()
        self._encounters: Encounters | None = None
        # What the last answer depended on, and the answer.
        self._known: tuple[np.ndarray, np.ndarray] | None = None
        self._springs_in = self._most = self._springs
        self._steps = self.each, self.bends

    def begin(self, linked: LinkedRows, of_cells: np.ndarray) -> None:
        """Choose the number before anything meets. Args: of_cells: (pieces,) steps that solid cells need."""
        self._known = None
        if self._fixed == 0:
            rows = self._rows
            self._springs[:] = np.bincount(rows.piece[linked.pairs[:, 0]], minlength=len(self.each))
            self._asked[:] = np.maximum(enough_steps(self._springs, linked, rows, self.substep), of_cells)
            self.each[:] = np.maximum(self._asked, affordable_steps(self._springs, self.substep))
            self.bends[:] = self.each

    def ask(self, count: int) -> None:
        """Take this number in every piece, as long as it meets nothing."""
        self._count, self._known = count, None
        self._springs[:] = 0
        self._asked[:] = count
        self.each[:] = self.bends[:] = count

    def begin_frame(self, world: World) -> None:
        """Count the contacts of another frame; what earlier ones needed falls by `STAYS`."""
        # Between frames nothing has added mass.
        if self._fixed == 0 and _may_press(world) and not any(body.traits.carries for body in world.model.bodies):
            self._known_encounters(world)
        self._known = None
        self._met_last[:], self._room_last[:] = self._left(), self._room
        self._met[:], self._room[:] = 0, MOST_STEPS
        self._touched[:] = False

    def note_touched(self, touched: np.ndarray) -> None:
        """Note which pieces touched anything in a substep, (pieces,) bool."""
        self._touched |= touched

    def follow_residual(self, world: World, residual: np.ndarray) -> None:
        """Keep the steps of pieces that touched something, or take more, while springs are not solved.

        Args: residual: (bodies,) largest of the springs of each after a frame, relative to their rest lengths.
        """
        body = _body_of_piece(world, self._rows)
        left = np.where(self._touched, residual[body], 0.0)
        kept, much = left > KEPT, left > UNSOLVED
        self._unsolved[:] = np.where(much, self._unsolved + 1.0 / float(world.spec.frame_rate), 0.0)
        self._met[kept] = np.maximum(self._met, self._met_last)[kept]
        lasts = self._unsolved >= LASTING
        if lasts.any():
            more = np.ceil(np.minimum(np.sqrt(left / UNSOLVED), GROWTH) * self.each).astype(np.int64)
            frequency = highest_frequency(self._links(), world.model)[body]
            resolved = np.floor(self.substep * RESOLVED * frequency).astype(np.int64)
            self._met[lasts] = np.maximum(self._met, np.minimum(more, resolved))[lasts]

    def _known_encounters(self, world: World) -> Encounters:
        """What counts the steps for contacts; made when it is first asked for, or anew after links have changed."""
        if self._encounters is None:
            self._encounters = Encounters(world, self._links(), _body_of_piece(world, self._rows))
        return self._encounters

    def forget_encounters(self) -> None:
        """Links have changed, so what contacts need must be determined again."""
        self._encounters = self._known = None

    def of_islands(self, world: World, finder: IslandFinder) -> tuple[np.ndarray, np.ndarray]:
        """The inner steps of each island, and those in which hinges are solved, (islands,) int64.

        `each` and `bends` are set to them.

        An island takes as many as the piece that needs most, and as its contacts need: the largest number in this frame
        so far, and what is left of earlier ones. A small one takes more, as far as its springs leave them affordable.
        """
        wanted, known = self._asked, self._known
        if known is None or known[0] is not finder.label:
            self._springs_in = np.bincount(finder.of_piece, self._springs, finder.count).astype(np.int64)
            self._most = most_steps(self._springs_in, self.substep)
            known = None
        springs, most = self._springs_in, self._most
        if self._fixed == 0 and (_may_press(world) or world.added.fluid):
            of_contacts = np.minimum(self._known_encounters(world).steps(world, finder), most[finder.of_piece])
            wanted = np.maximum(wanted, of_contacts)
        if known is not None and np.array_equal(known[1], wanted):
            return self._steps
        self._known = finder.label, wanted
        now = _largest(wanted, finder)
        np.maximum(self._met, now[finder.of_piece], out=self._met)
        earlier = _largest(np.maximum(self._met, self._met_last), finder)
        affordable = self._affordable(springs, finder)
        steps = np.maximum(np.maximum(now, np.minimum(earlier, most)), affordable)
        # Evenly, or springs would feel bending now and then: in each inner step, in every second one, and so on.
        every = steps // np.maximum(_largest(self._asked, finder), affordable)
        bends = -(-steps // every)
        self._steps, self.each, self.bends = (steps, bends), steps[finder.of_piece], bends[finder.of_piece]
        return self._steps

    def _affordable(self, springs: np.ndarray, finder: IslandFinder) -> np.ndarray:
        """What its springs, (islands,), leave affordable for each island, and left in this frame and the last one."""
        now = affordable_steps(springs, self.substep)
        # An agent has no springs, so it takes nothing from what it touches.
        np.minimum(self._room, np.where(self._rows.is_agent, MOST_STEPS, now[finder.of_piece]), out=self._room)
        np.minimum.at(now, finder.of_piece, np.minimum(self._room, self._room_last))
        return now

    def go_on(self, other: InnerSteps) -> None:
        """Continue from `other`, whose particles are the same, in other pieces."""
        if other._count:
            self.ask(other._count)
        rows, theirs = self._rows, other._rows
        row = theirs.row[rows.ids]
        columns = (self._met, other._met), (self._met_last, other._met_last), (self._unsolved, other._unsolved)
        for mine, old in columns:
            np.maximum.at(mine, rows.piece[:-1], np.where(row < theirs.spare, old[theirs.piece[row]], 0))

    def _left(self) -> np.ndarray:
        """What is left of the steps for contacts after this frame, (pieces,)."""
        return np.maximum(self._met, (STAYS * self._met_last).astype(np.int64))

    def memory(self) -> tuple[np.ndarray, ...]:
        """State that a snapshot must keep."""
        kept = self._asked, self._left(), self._room, self._springs, self._unsolved, self.each
        return tuple(values.copy() for values in kept)

    def recall(self, memory: tuple[np.ndarray, ...]) -> None:
        """Restore a snapshot's state."""
        *known, each = memory
        self.each = each.copy()
        for values, old in zip((self._asked, self._met, self._room, self._springs, self._unsolved), known, strict=True):
            values[:] = old
        self._met_last[:], self._known = 0, None


def _may_press(world: World) -> bool:
    """Whether a body may press on another one; a body alone meets itself and what nothing moves."""
    traits = [body.traits for body in world.model.bodies]
    return bool(world.interactions) and sum(own.is_springy or own.is_rigid or own.steers for own in traits) > 1


def _body_of_piece(world: World, rows: Rows) -> np.ndarray:
    """The body of each piece, (pieces,); ties may join several bodies to one piece, of which the first counts."""
    return world.model.body[rows.ids[rows.block_start[rows.piece_block[:-1]]]]


def _largest(values: np.ndarray, finder: IslandFinder) -> np.ndarray:
    """The largest value of the pieces of each island, (islands,), at least 1; values: (pieces,) int64."""
    found = np.ones(finder.count, dtype=np.int64)
    np.maximum.at(found, finder.of_piece, values)
    return found
