"""Broad phase: near pairs, with temporal coherence over substeps and frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from .body_pairs import Meeting
from .elements import Elements
from .near.columns import PredictionOut, RecentMotion
from .near_pairs import ALL, CHANGED
from .pair_cache import PairCache
from .patches import AVERAGE_LAG, BEYOND_SLACK, find_deviating, predict_motion
from .pooled_lists import spread
from .search_horizon import SearchHorizon, follow_prediction

NO_GRAVITY = (0.0, 0.0, 0.0)


class BroadPhase(PairCache):
    """Near pairs, valid for a frame or the predictable part of it; for several frames where motion is slow."""

    def __init__(
        self, elements: Elements, meets: Meeting, scale: np.ndarray, v: np.ndarray, radius: np.ndarray,
        body: np.ndarray, inv_mass: np.ndarray,
    ) -> None:
        """Args: elements: of all bodies; meets: collision filter; scale: (n,) [m], v: (n, 3) at the start [m/s].

        radius, body, inv_mass: of all particles, see `world.world.Model`.
        """
        super().__init__(elements, meets, scale, body, radius, inv_mass)
        self._scale, self._radius, self._body, self._inv_mass = scale, radius, body, inv_mass
        self.motion, self._gravity = RecentMotion(v.copy(), *np.zeros((2, len(scale)))), NO_GRAVITY
        self._deviation_class = np.zeros(len(scale), dtype=np.uint8)
        self.moving, self._moving_patches, self._static_is_ready = -1, 0, False
        self._boxes_are_stale = False  # Whether boxes of moving patches are older than the prediction.
        # A result may stay valid for several frames, except where bodies collide with themselves: edges are classified
        # once per search.
        self.search_horizon, self._lasts = SearchHorizon(scale), not self.meets_itself
        # Whether a frame has begun, and whether no particle deviated since a full search at the start of one.
        self._is_first, self._is_complete, self._is_recalled, self._frame = True, False, False, 0.0
        self.forget(len(scale))

    def begin_frame(self, moving: int, gravity: tuple[float, ...] = NO_GRAVITY) -> None:
        """Start a frame: only the first `moving` particles may move; keeps the result where it is still valid.

        Args: gravity: acceleration of particles in free fall [m/s²].
        """
        self._is_first, self._gravity = True, gravity
        if not (self._is_reusable() and moving == self.moving):
            self.forget(moving)

    def forget(self, moving: int) -> None:
        """Discard the result and search before the next substep; only the first `moving` particles may move."""
        self.search_horizon.forget()
        self._is_complete = self._is_recalled = False
        for column in self.motion:
            column[moving:] = 0.0
        if moving == self.moving:
            return
        self.moving, self._static_is_ready = moving, False
        bodies = self._body[moving] if moving < len(self._body) else len(self.meets.kind)
        self._moving_patches = int(np.searchsorted(self.elements.patch_body, bodies))
        edges = int(np.count_nonzero(self.elements.edge[:, 0] < moving))
        # Particles before the first colliding one, such as those of fluids, are not searched around.
        self.search_horizon.features = max(moving - self.elements.first, 0) + edges

    def look(self, start: np.ndarray, x: np.ndarray, h: float, frame: float) -> bool:
        """Update near pairs before a substep from `start` to `x`, (n, 3); returns whether pairs may have been added.

        Args: h: the substep [s]; frame: length of a frame [s].
        """
        search_horizon, is_new, self._frame = self.search_horizon, self._is_recalled, frame
        if is_new:
            self._repeat_search(start, x, h)
        # Between two frames dragging by the user or a keyframe may have displaced particles.
        if self._is_first and search_horizon.time > 0.0 and not self.follows_prediction(x, h):
            self.forget(self.moving)
        self._is_first = False
        if search_horizon.holds(h):
            search_horizon.passed += h
            search_horizon.tested_pairs += self.pairs
            return is_new
        search_horizon.lengthen(frame)
        begins = search_horizon.time == 0.0
        if begins:
            self.edge_classes_known[: self._moving_patches] = False
        self._search_all(start, x, h, h, begins and self._lasts)
        self._is_complete = begins
        return True

    def follows_prediction(self, x: np.ndarray, h: float) -> bool:
        """Whether all particles will still follow the prediction after one more substep."""
        moving = slice(self.elements.first, self.moving)
        prediction, time = self.prediction, self.search_horizon.passed + h
        return follow_prediction(x[moving], time, prediction.x[moving], prediction.v[moving], prediction.slack[moving])

    def _is_reusable(self) -> bool:
        return (
            self._lasts and self._is_complete and not self._boxes_are_stale and self.search_horizon.holds(self._frame)
        )

    def memory(self) -> dict[str, Any]:
        """The state that decides which searches happen; the pairs can be found again from it."""
        search_horizon, prediction, found = self.search_horizon, self.prediction, None
        if self._is_reusable():
            moving = slice(self.elements.first, self.moving)
            found = {
                "moving": self.moving, "x": prediction.x[moving], "v": prediction.v[moving],
                "slack": prediction.slack[moving], "time": search_horizon.time, "passed": search_horizon.passed,
                "looked_at": search_horizon.tested_pairs, "frame": self._frame,
            }
        return {
            "motion": self.motion._asdict(), "horizon": search_horizon.horizon, "room": search_horizon.slack_factor,
            "most": search_horizon.most, "crowded": search_horizon.crowded, "pairs": self.pairs, "found": found,
        }

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore `memory`."""
        search_horizon, prediction, found, self.moving = self.search_horizon, self.prediction, memory["found"], -1
        if found is not None:
            self.forget(int(found["moving"]))
            moving = slice(self.elements.first, self.moving)
            prediction.x[moving], prediction.v[moving], prediction.slack[moving] = (
                found["x"], found["v"], found["slack"]
            )
            prediction.margin[moving] = self._radius[moving] + prediction.slack[moving] + 0.5 * self._scale[moving]
            prediction.time = search_horizon.time = float(found["time"])
            search_horizon.passed = float(found["passed"])
            search_horizon.tested_pairs, self._frame = int(found["looked_at"]), float(found["frame"])
            self._is_complete, self._is_recalled, self._boxes_are_stale = True, True, False
        self.expect_as(memory)

    def expect_as(self, memory: dict[str, Any]) -> None:
        """Copy from `memory` the recent motion of particles, its predictable horizon, and the number of pairs."""
        for name, column in self.motion._asdict().items():
            column[:] = memory["motion"][name]
        self.search_horizon.horizon, self.search_horizon.slack_factor = float(memory["horizon"]), float(memory["room"])
        self.search_horizon.most = self.most = int(memory["most"])
        self.search_horizon.crowded = int(memory["crowded"])
        self.pairs = int(memory["pairs"])

    def look_back(self, start: np.ndarray, x: np.ndarray, h: float) -> bool:
        """After a substep: search around particles that left their prediction; returns whether there were any."""
        low, found = self.elements.first, self._prediction_out()
        find_deviating(
            start[low : self.moving], x[low:], h, self.search_horizon.passed, self._inv_mass[low:], self._gravity,
            PredictionOut(*(column[low:] for column in found)), RecentMotion(*(column[low:] for column in self.motion)),
            self._deviation_class,
        )
        deviating = self._deviation_class[: max(self.moving - low, 0)]
        if deviating.max(initial=0) < BEYOND_SLACK:
            return False
        # Particles near their slack would soon need a search of their own, which costs as much for few as for many.
        self._search_around(deviating.nonzero()[0] + low, start, x, h)
        return True

    def _search_around(self, deviating: np.ndarray, start: np.ndarray, x: np.ndarray, h: float) -> None:
        elements = self.elements
        first, last = elements.patches_start[deviating], elements.patches_start[deviating + 1]
        is_dirty = np.zeros(len(self._is_fresh), dtype=bool)
        is_dirty[elements.patches[spread(first, last - first)]] = True
        dirty = np.flatnonzero(is_dirty)
        fastest = float(np.abs(self.motion.pace[deviating]).max())
        self._is_complete = False
        if self.search_horizon.needs_full_search(fastest, len(dirty), self._moving_patches, self.pairs):
            self.search_horizon.shorten(h)
            self._search_all(start, x, h, 2.0 * h, False)
        else:
            if self._boxes_are_stale:
                self._boxes_are_stale = False
                self.refit(np.arange(self._moving_patches))
            self._predict(deviating, start, x, h, self.search_horizon.slack_factor)
            self.refit(dirty)
            self.is_new[deviating] = True
            self.search(dirty, start, CHANGED)
            self.is_new[deviating] = False

    def _search_all(self, start: np.ndarray, x: np.ndarray, h: float, least: float, lasts: bool) -> None:
        """Search around all particles, as far ahead as predictable, at least `least` [s]."""
        if self.search_horizon.time > 0.0:
            self.search_horizon.grow(self.pairs)
        self.search_horizon.bound(self.pairs)
        self.most = self.search_horizon.most
        fastest = float(np.abs(self.motion.pace[self.elements.first : self.moving]).max(initial=0.0))
        self.search_horizon.begin(h, least, self._frame, fastest, self.pairs, lasts)
        self.prediction.time = self.search_horizon.time
        self.clear()
        knew_still = self._static_is_ready
        self._prepare_static(start, x, h)
        self._predict(np.arange(self.elements.first, self.moving), start, x, h, self.search_horizon.slack_factor)
        # If the last search found no pairs, all bodies may be far apart.
        may_be_apart = knew_still and self.pairs == 0 and not self.meets_itself
        self._boxes_are_stale = may_be_apart and self.are_all_apart(self._moving_patches)
        if self._boxes_are_stale:
            self.clear_pairs()
        else:
            self.refit(np.arange(self._moving_patches))
            self.search(np.arange(self._moving_patches), start, ALL)

    def _prepare_static(self, start: np.ndarray, x: np.ndarray, h: float) -> None:
        if not self._static_is_ready:
            self._static_is_ready = True
            self.edge_classes_known[self._moving_patches :] = False
            self._predict(np.arange(self.moving, len(x)), start, x, h, 1.0)
            self.refit(np.arange(self._moving_patches, len(self._is_fresh)))

    def _repeat_search(self, start: np.ndarray, x: np.ndarray, h: float) -> None:
        """Repeat the search at the start of an earlier frame, from the state that `memory` kept."""
        self._is_recalled = False
        self._prepare_static(start, x, h)
        self.clear()
        self.edge_classes_known[: self._moving_patches] = False
        self.refit(np.arange(self._moving_patches))
        self.search(np.arange(self._moving_patches), self.prediction.x, ALL)

    def _predict(self, chosen: np.ndarray, start: np.ndarray, x: np.ndarray, h: float, slack_factor: float) -> None:
        """Predict the motion of some particles from now on."""
        before = self.search_horizon.passed - h
        # Gravity counts for a frame at most: a body at rest for longer would leave a line fitted to free fall.
        ahead = AVERAGE_LAG * h + 0.5 * (h + min(self.prediction.time - before, self._frame))
        gx, gy, gz = self._gravity
        predict_motion(
            chosen, start, x, h, before, (ahead * gx, ahead * gy, ahead * gz), self._scale, slack_factor, self._radius,
            self.motion, self._prediction_out(),
        )

    def _prediction_out(self) -> PredictionOut:
        prediction = self.prediction
        return PredictionOut(prediction.x, prediction.v, prediction.slack, prediction.margin)
