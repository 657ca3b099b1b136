"""How long the result of a search stays valid, and how much slack particles get."""

from __future__ import annotations

import math

import numpy as np

from ....compiler.kernels import kernel

# The fastest particle may travel so many times its slack before a new search of everything.
FORESIGHT = 32.0
# Where no particle travels further than its slack in that time, a result may stay valid for so many frames.
FRAMES = 8
# When more than this fraction of the patches has strayed, search everything again, with half the horizon that was
# reached. Each time a horizon passes without that, multiply it by BOLDER.
MANY = 0.2
BOLDER = 1.5
# More slack means fewer searches and more pairs to test; both costs are kept equal. A search around one particle or
# edge costs as much as testing so many pairs in a substep. Slack is adjusted in steps, up to a maximum.
PAIRS_EACH = 1.0
STEP_OF_ROOM, MOST_ROOM = 1.25, 4.0
# In folds there are more pairs than CROWDED for each particle and edge. Slack there is scaled below one, and everything
# is searched again when so many patches, as a fraction, have strayed in total: a long horizon finds many pairs.
CROWDED, LESS, LEAST_ROOM, MANY_IN_ALL = 1.0, 0.5, 0.625, 0.3
# In a tangle everything is near everything: limp rings under barrels had 300 pairs for each particle and edge, and the
# more there were, the fewer crossings were parted. Beyond DENSE pairs for each, rows are cut: from `most` entries on
# they take no further soft elements. `most` is FIRST_MOST at first, and half of that, down to LEAST_MOST, while there
# are more pairs. Fifty soft cubes in a bowl have up to 21, a cloth or a ring in folds 4 to 9. What is cut is not asked
# whether it crosses, so BEARABLE pairs are never too many: seven coarse bodies that a stone crushed in a bin had 31 for
# each, came through each other where rows were cut, and come to rest whole and sooner where none are. Nor does a single
# search with more count: the first one of a frame had three times the pairs of the next ones.
DENSE, FIRST_MOST, LEAST_MOST, NO_LIMIT = 24.0, 64, 16, 2**30
BEARABLE = 1_000_000


class Foresight:
    """Horizon and slack of searches, adapted to what happened since the last one.

    Attributes:
        horizon: longest time to look ahead within a frame [s]; room: factor on slack.
        time, passed: validity of the last result, and the time passed since [s]; zero before a search.
        most: entries of a row from which on soft elements are left out of it; NO_LIMIT outside tangles.
        crowded: searches in sequence, the last one included, that found too many pairs.
        looked_at: pairs tested since the search; features: particles and edges that are searched around.
    """

    def __init__(self, scale: np.ndarray) -> None:
        """Args: scale: (n,) slack of each particle [m]."""
        self.horizon, self.room, self.most, self.features, self._dirty = math.inf, 1.0, NO_LIMIT, 0, 0
        self.crowded = 0
        self._least = float(scale.min(initial=np.inf))
        self.forget()

    def forget(self) -> None:
        """Discard the state of the last search."""
        self.passed, self.time, self.looked_at = 0.0, 0.0, 0

    def holds(self, h: float) -> bool:
        """Whether the result stays valid for a further substep of h [s]."""
        return self.passed + h <= self.time * (1.0 + 1e-9)

    def begin(self, h: float, least: float, frame: float, fastest: float, pairs: int, lasts: bool) -> None:
        """Start a search of everything, valid for a substep of h [s] and as long as predictable, at least `least` [s].

        Args:
            frame: its length [s]; fastest: largest speed [m/s]; pairs: known until now.
            lasts: whether the result may stay valid for more than a frame.
        """
        self.looked_at, self._dirty, fastest = pairs, 0, max(fastest, 1e-300)
        # Predicting one substep too many costs less than a search in each.
        ahead = max(least, min(self.horizon, FORESIGHT * self._least / fastest))
        if lasts:
            ahead = max(ahead, min(FRAMES * frame, self._least / fastest))
        # In folds, do not search for pairs that only a fraction of a substep would bring near.
        self.passed, self.time = h, h * math.floor(ahead / h + 1e-6) if self.room < 1.0 else ahead

    def bolder(self, frame: float) -> None:
        """The horizon has passed: look further ahead next time."""
        self.horizon = min(frame, BOLDER * self.horizon)

    def is_spent(self, fastest: float, strayed: int, patches: int, pairs: int) -> bool:
        """Whether so many particles strayed, or one so fast, that a search of everything is due.

        Args: fastest: their largest speed [m/s]; strayed: their patches, out of `patches`; pairs: known.
        """
        self._dirty += strayed if self._is_crowded(pairs) else 0
        far = fastest * self.time > FORESIGHT * self._least
        return far or max(strayed / MANY, self._dirty / MANY_IN_ALL) > patches

    def shorten(self, h: float) -> None:
        """Particles strayed before the horizon: look less far ahead next time."""
        self.horizon = max(h, 0.5 * self.passed)

    def grow(self, pairs: int) -> None:
        """Adapt the slack factor to the number of tested pairs; pairs: known."""
        if self.looked_at < PAIRS_EACH * self.features:
            self.room = min(MOST_ROOM, STEP_OF_ROOM * self.room)
        elif self._is_crowded(pairs):
            self.room = max(LEAST_ROOM, LESS * self.room)
        else:
            self.room = max(1.0, self.room / STEP_OF_ROOM)

    def bound(self, pairs: int) -> None:
        """Adapt `most` to the number of known pairs."""
        too_many = max(DENSE * self.features, BEARABLE)
        self.crowded = self.crowded + 1 if pairs > too_many else 0
        if self.crowded > 1:
            self.most = FIRST_MOST if self.most > FIRST_MOST else max(self.most // 2, LEAST_MOST)
        elif pairs < 0.25 * too_many:
            self.most = min(2 * self.most, NO_LIMIT)

    def _is_crowded(self, pairs: int) -> bool:
        return pairs > CROWDED * self.features


@kernel
def go_as_foreseen(x, time, x_found, v_found, slack):
    """Whether all of some particles, (m, 3) [m], are within their slack of the predicted positions at `time` [s].

    Args: x_found, v_found, slack: see `patches.set_way`.
    """
    for i in range(x.shape[0]):
        dx = x[i, 0] - x_found[i, 0] - time * v_found[i, 0]
        dy = x[i, 1] - x_found[i, 1] - time * v_found[i, 1]
        dz = x[i, 2] - x_found[i, 2] - time * v_found[i, 2]
        # NaN counts as strayed.
        if not dx * dx + dy * dy + dz * dz <= slack[i] * slack[i]:
            return False
    return True
