"""The number of inner steps of each piece, as its springs and its contacts need."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....spec import WorldSpec
from ....world.world import World, substep_length
from .encounters import RESOLVED, Encounters, highest_frequency
from .islands import IslandFinder
from .rows import LinkedRows, Rows
from .springs import MOST_STEPS, Links, affordable_steps, enough_steps, most_steps

# Fraction of the inner steps for a contact that remains after a frame without it. A skin with few steps is softer and
# lies flat; where a body touched it now and then, each contact made it stiff again, and it jumped.
DECAY = 0.95
# A piece in contact takes more inner steps when the residual of one of its springs was above UNSOLVED for LASTING [s],
# at most GROWTH times as many from frame to frame, and keeps them until all its residuals are below KEPT.
UNSOLVED, LASTING, GROWTH, KEPT = 0.15, 0.25, 1.5, 0.03


class InnerSteps:
    """Chooses the inner steps of a substep; all pieces of an island take the same number.

    Attributes:
        each: (pieces,) int64, inner steps in the running substep; bends: in how many of them hinges are solved, at
            least as many as the island would take without contacts; substep: its length [s].
    """

    def __init__(self, rows: Rows, spec: WorldSpec, links: Callable[[], Links]) -> None:
        """Args: rows: of all pieces; spec: of the world; links: returns the springs of all bodies."""
        self._rows, self._links, self.substep = rows, links, substep_length(spec)
        pieces = len(rows.free)
        self._fixed = spec.spring_steps
        # The number given to `set_count`, 0 before that.
        self._count = 0
        self._base_steps = np.full(pieces, max(self._fixed, 1), dtype=np.int64)
        # Steps that contacts have needed in this frame so far, and what remains of those of earlier frames.
        self._contact_steps, self._earlier_contact_steps = (np.zeros(pieces, dtype=np.int64) for _ in range(2))
        # Whether each piece touched anything in this frame; for how long its springs have been unsolved [s].
        self._touched, self._unsolved = np.zeros(pieces, dtype=bool), np.zeros(pieces)
        # The fewest steps that were affordable for the piece's island, in this frame so far and in the last one.
        self._affordable_now, self._affordable_last = (np.full(pieces, MOST_STEPS) for _ in range(2))
        self._springs = np.zeros(pieces, dtype=np.int64)
        self.each, self.bends = self._base_steps.copy(), self._base_steps.copy()
        self._encounters: Encounters | None = None
        # Inputs of the last result of `of_islands`, and that result.
        self._known: tuple[np.ndarray, np.ndarray] | None = None
        self._springs_in = self._most = self._springs
        self._steps = self.each, self.bends

    def begin(self, linked: LinkedRows, of_cells: np.ndarray) -> None:
        """Choose the number without contacts. Args: of_cells: (pieces,) steps that solid cells need."""
        self._known = None
        if self._fixed == 0:
            rows = self._rows
            self._springs[:] = np.bincount(rows.piece[linked.pairs[:, 0]], minlength=len(self.each))
            self._base_steps[:] = np.maximum(enough_steps(self._springs, linked, rows, self.substep), of_cells)
            self.each[:] = np.maximum(self._base_steps, affordable_steps(self._springs, self.substep))
            self.bends[:] = self.each

    def set_count(self, count: int) -> None:
        """Set the number of inner steps of every piece without contacts."""
        self._count, self._known = count, None
        self._springs[:] = 0
        self._base_steps[:] = count
        self.each[:] = self.bends[:] = count

    def begin_frame(self, world: World) -> None:
        """Begin to count the contacts of a new frame; the steps for those of earlier frames decrease by `DECAY`."""
        # Between frames nothing adds mass.
        if self._fixed == 0 and _may_press(world) and not any(body.traits.carries for body in world.model.bodies):
            self._known_encounters(world)
        self._known = None
        self._earlier_contact_steps[:], self._affordable_last[:] = self._left(), self._affordable_now
        self._contact_steps[:], self._affordable_now[:] = 0, MOST_STEPS
        self._touched[:] = False

    def note_touched(self, touched: np.ndarray) -> None:
        """Note which pieces touched anything in a substep, (pieces,) bool."""
        self._touched |= touched

    def follow_residual(self, world: World, residual: np.ndarray) -> None:
        """Keep the steps of pieces that touched something, or increase them, while their springs are unsolved.

        Args: residual: (bodies,) largest one of each body's springs after a frame, relative to their rest lengths.
        """
        body = _body_of_piece(world, self._rows)
        left = np.where(self._touched, residual[body], 0.0)
        kept, much = left > KEPT, left > UNSOLVED
        self._unsolved[:] = np.where(much, self._unsolved + 1.0 / float(world.spec.frame_rate), 0.0)
        self._contact_steps[kept] = np.maximum(self._contact_steps, self._earlier_contact_steps)[kept]
        lasts = self._unsolved >= LASTING
        if lasts.any():
            more = np.ceil(np.minimum(np.sqrt(left / UNSOLVED), GROWTH) * self.each).astype(np.int64)
            frequency = highest_frequency(self._links(), world.model)[body]
            resolved = np.floor(self.substep * RESOLVED * frequency).astype(np.int64)
            self._contact_steps[lasts] = np.maximum(self._contact_steps, np.minimum(more, resolved))[lasts]

    def _known_encounters(self, world: World) -> Encounters:
        """The `Encounters`, created at the first call and again after links have changed."""
        if self._encounters is None:
            self._encounters = Encounters(world, self._links(), _body_of_piece(world, self._rows))
        return self._encounters

    def forget_encounters(self) -> None:
        """After a change of links: determine again how many inner steps contacts need."""
        self._encounters = self._known = None

    def of_islands(self, world: World, finder: IslandFinder) -> tuple[np.ndarray, np.ndarray]:
        """The inner steps of each island, and those in which hinges are solved, (islands,) int64.

        `each` and `bends` are set to them.

        An island takes as many as its most demanding piece, and as its contacts need: the largest number in this frame
        so far, and what remains of earlier frames. A small island takes as many more as are affordable.
        """
        wanted, known = self._base_steps, self._known
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
        np.maximum(self._contact_steps, now[finder.of_piece], out=self._contact_steps)
        earlier = _largest(np.maximum(self._contact_steps, self._earlier_contact_steps), finder)
        affordable = self._affordable(springs, finder)
        steps = np.maximum(np.maximum(now, np.minimum(earlier, most)), affordable)
        # At even intervals, in each inner step, every second one, and so on: otherwise bending would act irregularly.
        every = steps // np.maximum(_largest(self._base_steps, finder), affordable)
        bends = -(-steps // every)
        self._steps, self.each, self.bends = (steps, bends), steps[finder.of_piece], bends[finder.of_piece]
        return self._steps

    def _affordable(self, springs: np.ndarray, finder: IslandFinder) -> np.ndarray:
        """Affordable inner steps of each island for its springs, (islands,): the fewest in this and the last frame."""
        now = affordable_steps(springs, self.substep)
        # An agent has no springs, so it does not carry the limit of one island into another.
        np.minimum(
            self._affordable_now, np.where(self._rows.is_agent, MOST_STEPS, now[finder.of_piece]),
            out=self._affordable_now,
        )
        np.minimum.at(now, finder.of_piece, np.minimum(self._affordable_now, self._affordable_last))
        return now

    def go_on(self, other: InnerSteps) -> None:
        """Continue from `other`, whose particles are the same, in other pieces."""
        if other._count:
            self.set_count(other._count)
        rows, theirs = self._rows, other._rows
        row = theirs.row[rows.ids]
        columns = (
            (self._contact_steps, other._contact_steps), (self._earlier_contact_steps, other._earlier_contact_steps),
            (self._unsolved, other._unsolved),
        )
        for mine, old in columns:
            np.maximum.at(mine, rows.piece[:-1], np.where(row < theirs.spare, old[theirs.piece[row]], 0))

    def _left(self) -> np.ndarray:
        """Steps for contacts that remain after this frame, (pieces,)."""
        return np.maximum(self._contact_steps, (DECAY * self._earlier_contact_steps).astype(np.int64))

    def memory(self) -> tuple[np.ndarray, ...]:
        """State that a snapshot must keep."""
        kept = self._base_steps, self._left(), self._affordable_now, self._springs, self._unsolved, self.each
        return tuple(values.copy() for values in kept)

    def recall(self, memory: tuple[np.ndarray, ...]) -> None:
        """Restore a snapshot's state."""
        *known, each = memory
        self.each = each.copy()
        for values, old in zip(
            (self._base_steps, self._contact_steps, self._affordable_now, self._springs, self._unsolved), known,
            strict=True,
        ):
            values[:] = old
        self._earlier_contact_steps[:], self._known = 0, None


def _may_press(world: World) -> bool:
    """Whether a body may press on another one; a single body touches only itself and colliders."""
    traits = [body.traits for body in world.model.bodies]
    return bool(world.interactions) and sum(own.is_springy or own.is_rigid or own.steers for own in traits) > 1


def _body_of_piece(world: World, rows: Rows) -> np.ndarray:
    """The body of each piece, (pieces,); the first one if attachments join several bodies to one piece."""
    return world.model.body[rows.ids[rows.block_start[rows.piece_block[:-1]]]]


def _largest(values: np.ndarray, finder: IslandFinder) -> np.ndarray:
    """The largest value of the pieces of each island, (islands,), at least 1; values: (pieces,) int64."""
    found = np.ones(finder.count, dtype=np.int64)
    np.maximum.at(found, finder.of_piece, values)
    return found
