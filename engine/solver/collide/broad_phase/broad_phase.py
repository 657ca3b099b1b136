"""Broad phase: near pairs, with temporal coherence over substeps and frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from .body_pairs import Meeting
from .elements import Elements
from .near.columns import FoundWays, RecentMotion
from .near_pairs import ALL, CHANGED
from .pair_cache import PairCache
from .patches import LATE, STRAYED, note_strayed, set_way
from .pooled_lists import spread
from .search_horizon import Foresight, go_as_foreseen

NO_GRAVITY = (0.0, 0.0, 0.0)


class BroadPhase(PairCache):
    """Near pairs of a frame, or of the part of it that is predictable; of several frames where motion is slow."""

    def __init__(
        self, elements: Elements, meets: Meeting, scale: np.ndarray, v: np.ndarray, radius: np.ndarray,
        body: np.ndarray, inv_mass: np.ndarray,
    ) -> None:
        """Args: elements: what collides; meets: which bodies do; scale: (n,) [m], v: (n, 3) at first [m/s].

        radius, body, inv_mass: of all particles, see `world.world.Model`.
        """
        super().__init__(elements, meets, scale, body, radius, inv_mass)
        self._scale, self._radius, self._body, self._inv_mass = scale, radius, body, inv_mass
        self.motion, self._gravity = RecentMotion(v.copy(), *np.zeros((2, len(scale)))), NO_GRAVITY
        self._strayed = np.zeros(len(scale), dtype=np.uint8)
        self.moving, self._moving_patches, self._knows_still = -1, 0, False
        self._is_late = False  # Whether boxes of moving patches are older than the prediction.
        # A result may stay valid for some frames, except where bodies collide with themselves: the bend of edges is
        # evaluated once a search.
        self.search_horizon, self._lasts = Foresight(scale), not self.meets_itself
        # Whether a frame has begun, and whether nothing strayed since a search of everything at the start of one.
        self._is_first, self._is_whole, self._is_recalled, self._frame = True, False, False, 0.0
        self.forget(len(scale))

    def begin_frame(self, moving: int, gravity: tuple[float, ...] = NO_GRAVITY) -> None:
        """Start a frame: only the first `moving` particles may move; keeps the result where it is still valid.

        Args: gravity: with which what nothing holds falls [m/s²].
        """
        self._is_first, self._gravity = True, gravity
        if not (self._may_go_on() and moving == self.moving):
            self.forget(moving)

    def forget(self, moving: int) -> None:
        """Search before the next substep; only the first `moving` particles may move."""
        self.search_horizon.forget()
        self._is_whole = self._is_recalled = False
        for column in self.motion:
            column[moving:] = 0.0
        if moving == self.moving:
            return
        self.moving, self._knows_still = moving, False
        bodies = self._body[moving] if moving < len(self._body) else len(self.meets.kind)
        self._moving_patches = int(np.searchsorted(self.elements.patch_body, bodies))
        edges = int(np.count_nonzero(self.elements.edge[:, 0] < moving))
        # Particles before the first that collides, as of fluids, are not searched around.
        self.search_horizon.features = max(moving - self.elements.first, 0) + edges

    def look(self, start: np.ndarray, x: np.ndarray, h: float, frame: float) -> bool:
        """Update near pairs before a substep from `start` to `x`, (n, 3); returns whether pairs may have been added.

        Args: h: the substep [s]; frame: length of a frame [s].
        """
        search_horizon, is_new, self._frame = self.search_horizon, self._is_recalled, frame
        if is_new:
            self._search_once_more(start, x, h)
        # Between two frames the hand or a keyframe may have displaced particles.
        if self._is_first and search_horizon.time > 0.0 and not self.go_as_foreseen(x, h):
            self.forget(self.moving)
        self._is_first = False
        if search_horizon.holds(h):
            search_horizon.passed += h
            search_horizon.looked_at += self.pairs
            return is_new
        search_horizon.bolder(frame)
        begins = search_horizon.time == 0.0
        if begins:
            self.knows_bends[: self._moving_patches] = False
        self._search_all(start, x, h, h, begins and self._lasts)
        self._is_whole = begins
        return True

    def go_as_foreseen(self, x: np.ndarray, h: float) -> bool:
        """Whether all particles will still follow the prediction after one more substep."""
        moving = slice(self.elements.first, self.moving)
        ways, time = self.ways, self.search_horizon.passed + h
        return go_as_foreseen(x[moving], time, ways.x[moving], ways.v[moving], ways.slack[moving])

    def _may_go_on(self) -> bool:
        return self._lasts and self._is_whole and not self._is_late and self.search_horizon.holds(self._frame)

    def memory(self) -> dict[str, Any]:
        """The state that decides which searches happen; the pairs can be found again from it."""
        search_horizon, ways, found = self.search_horizon, self.ways, None
        if self._may_go_on():
            moving = slice(self.elements.first, self.moving)
            found = {
                "moving": self.moving, "x": ways.x[moving], "v": ways.v[moving], "slack": ways.slack[moving],
                "time": search_horizon.time, "passed": search_horizon.passed, "looked_at": search_horizon.looked_at,
                "frame": self._frame,
            }
        return {
            "motion": self.motion._asdict(), "horizon": search_horizon.horizon, "room": search_horizon.room,
            "most": search_horizon.most, "crowded": search_horizon.crowded, "pairs": self.pairs, "found": found,
        }

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore `memory`."""
        search_horizon, ways, found, self.moving = self.search_horizon, self.ways, memory["found"], -1
        if found is not None:
            self.forget(int(found["moving"]))
            moving = slice(self.elements.first, self.moving)
            ways.x[moving], ways.v[moving], ways.slack[moving] = found["x"], found["v"], found["slack"]
            ways.wide[moving] = self._radius[moving] + ways.slack[moving] + 0.5 * self._scale[moving]
            ways.time = search_horizon.time = float(found["time"])
            search_horizon.passed = float(found["passed"])
            search_horizon.looked_at, self._frame = int(found["looked_at"]), float(found["frame"])
            self._is_whole, self._is_recalled, self._is_late = True, True, False
        self.expect_as(memory)

    def expect_as(self, memory: dict[str, Any]) -> None:
        """Take over from `memory` how particles moved, how far ahead that was predictable, and the number of pairs."""
        for name, column in self.motion._asdict().items():
            column[:] = memory["motion"][name]
        self.search_horizon.horizon, self.search_horizon.room = float(memory["horizon"]), float(memory["room"])
        self.search_horizon.most = self.most = int(memory["most"])
        self.search_horizon.crowded = int(memory["crowded"])
        self.pairs = int(memory["pairs"])

    def look_back(self, start: np.ndarray, x: np.ndarray, h: float) -> bool:
        """After a substep: search around particles that strayed from the prediction; returns whether there were any."""
        low, found = self.elements.first, self._found_ways()
        note_strayed(
            start[low : self.moving], x[low:], h, self.search_horizon.passed, self._inv_mass[low:], self._gravity,
            FoundWays(*(column[low:] for column in found)), RecentMotion(*(column[low:] for column in self.motion)),
            self._strayed,
        )
        strayed = self._strayed[: max(self.moving - low, 0)]
        if strayed.max(initial=0) < STRAYED:
            return False
        # Those that nearly strayed would need a search of their own soon, which costs as much for few as for many.
        self._search_around(strayed.nonzero()[0] + low, start, x, h)
        return True

    def _search_around(self, strayed: np.ndarray, start: np.ndarray, x: np.ndarray, h: float) -> None:
        elements = self.elements
        first, last = elements.patches_start[strayed], elements.patches_start[strayed + 1]
        is_dirty = np.zeros(len(self._is_fresh), dtype=bool)
        is_dirty[elements.patches[spread(first, last - first)]] = True
        dirty = np.flatnonzero(is_dirty)
        fastest = float(np.abs(self.motion.pace[strayed]).max())
        self._is_whole = False
        if self.search_horizon.is_spent(fastest, len(dirty), self._moving_patches, self.pairs):
            self.search_horizon.shorten(h)
            self._search_all(start, x, h, 2.0 * h, False)
        else:
            if self._is_late:
                self._is_late = False
                self.refit(np.arange(self._moving_patches))
            self._go_on(strayed, start, x, h, self.search_horizon.room)
            self.refit(dirty)
            self.is_new[strayed] = True
            self.search(dirty, start, CHANGED)
            self.is_new[strayed] = False

    def _search_all(self, start: np.ndarray, x: np.ndarray, h: float, least: float, lasts: bool) -> None:
        """Search everything, as far ahead as predictable, at least `least` [s]."""
        if self.search_horizon.time > 0.0:
            self.search_horizon.grow(self.pairs)
        self.search_horizon.bound(self.pairs)
        self.most = self.search_horizon.most
        fastest = float(np.abs(self.motion.pace[self.elements.first : self.moving]).max(initial=0.0))
        self.search_horizon.begin(h, least, self._frame, fastest, self.pairs, lasts)
        self.ways.time = self.search_horizon.time
        self.clear()
        knew_still = self._knows_still
        self._know_still(start, x, h)
        self._go_on(np.arange(self.elements.first, self.moving), start, x, h, self.search_horizon.room)
        # If there were no pairs lately, all bodies may well be far apart.
        may_be_apart = knew_still and self.pairs == 0 and not self.meets_itself
        self._is_late = may_be_apart and self.are_all_apart(self._moving_patches)
        if self._is_late:
            self.clear_pairs()
        else:
            self.refit(np.arange(self._moving_patches))
            self.search(np.arange(self._moving_patches), start, ALL)

    def _know_still(self, start: np.ndarray, x: np.ndarray, h: float) -> None:
        if not self._knows_still:
            self._knows_still = True
            self.knows_bends[self._moving_patches :] = False
            self._go_on(np.arange(self.moving, len(x)), start, x, h, 1.0)
            self.refit(np.arange(self._moving_patches, len(self._is_fresh)))

    def _search_once_more(self, start: np.ndarray, x: np.ndarray, h: float) -> None:
        """Repeat the search at the start of an earlier frame, from what `memory` kept of it."""
        self._is_recalled = False
        self._know_still(start, x, h)
        self.clear()
        self.knows_bends[: self._moving_patches] = False
        self.refit(np.arange(self._moving_patches))
        self.search(np.arange(self._moving_patches), self.ways.x, ALL)

    def _go_on(self, chosen: np.ndarray, start: np.ndarray, x: np.ndarray, h: float, room: float) -> None:
        """Predict the motion of some particles from now on."""
        before = self.search_horizon.passed - h
        # Gravity counts for a frame at most: what lies still for longer would leave a line that fits fall.
        ahead = LATE * h + 0.5 * (h + min(self.ways.time - before, self._frame))
        gx, gy, gz = self._gravity
        set_way(
            chosen, start, x, h, before, (ahead * gx, ahead * gy, ahead * gz), self._scale, room, self._radius,
            self.motion, self._found_ways(),
        )

    def _found_ways(self) -> FoundWays:
        ways = self.ways
        return FoundWays(ways.x, ways.v, ways.slack, ways.wide)
