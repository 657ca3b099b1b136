"""How long the result of a search stays valid, and how much slack particles get."""

from __future__ import annotations

import math

import numpy as np

from ....compiler.kernels import kernel

# The fastest particle may travel this multiple of its slack before a new full search.
MOST_TRAVEL = 32.0
# Where no particle travels further than its slack in that time, a result may stay valid for this many frames.
FRAMES = 8
# When more than this fraction of the patches has deviated, search everything again, with half the horizon that was
# reached. Each time a horizon passes without that, multiply it by HORIZON_GROWTH.
MOST_DEVIATING = 0.2
HORIZON_GROWTH = 1.5
# More slack means fewer searches and more pairs to test; both costs are kept equal. A search around one particle or
# edge costs as much as testing PAIRS_EACH pairs in a substep. Slack is adjusted in steps, up to a maximum.
PAIRS_EACH = 1.0
SLACK_STEP, MOST_SLACK_FACTOR = 1.25, 4.0
# In folds there are more pairs than CROWDED for each particle and edge. There slack is scaled below one, and everything
# is searched again when this fraction of the patches has deviated in total: a long horizon finds many pairs.
CROWDED, SLACK_CUT, LEAST_SLACK_FACTOR, MOST_DEVIATING_IN_TOTAL = 1.0, 0.5, 0.625, 0.3
# In a tangle everything is near everything: limp rings under barrels had 300 pairs for each particle and edge, and the
# more there were, the fewer crossings were resolved. Beyond DENSE pairs for each, rows are cut: from `most` entries on
# they take no further soft elements. `most` is FIRST_MOST at first, and is halved, down to LEAST_MOST, while there are
# more pairs. Fifty soft cubes in a bowl have up to 21, a cloth or a ring in folds 4 to 9. Pairs that are cut are not
# tested for crossing, so up to ALWAYS_ALLOWED pairs are never too many: seven coarse bodies that a stone crushed in a
# bin had 31 for each, passed through each other where rows were cut, and come to rest intact and sooner where none are.
# A single search with more does not count either: the first one of a frame had three times the pairs of the next ones.
DENSE, FIRST_MOST, LEAST_MOST, NO_LIMIT = 24.0, 64, 16, 2**30
ALWAYS_ALLOWED = 1_000_000


class SearchHorizon:
    """Horizon and slack of searches, adapted to the motion since the last one.

    Attributes:
        horizon: longest time to look ahead within a frame [s]; slack_factor: factor on slack.
        time, passed: validity of the last result, and the time passed since [s]; zero before a search.
        most: entries of a row from which on soft elements are left out of it; NO_LIMIT outside tangles.
        crowded: consecutive searches, up to the last one, that found too many pairs.
        tested_pairs: pairs tested since the search; features: particles and edges that are searched around.
    """

    def __init__(self, scale: np.ndarray) -> None:
        """Args: scale: (n,) slack of each particle [m]."""
        self.horizon, self.slack_factor, self.most, self.features, self._dirty = math.inf, 1.0, NO_LIMIT, 0, 0
        self.crowded = 0
        self._least = float(scale.min(initial=np.inf))
        self.forget()

    def forget(self) -> None:
        """Discard the state of the last search."""
        self.passed, self.time, self.tested_pairs = 0.0, 0.0, 0

    def holds(self, h: float) -> bool:
        """Whether the result stays valid for a further substep of h [s]."""
        return self.passed + h <= self.time * (1.0 + 1e-9)

    def begin(self, h: float, least: float, frame: float, fastest: float, pairs: int, lasts: bool) -> None:
        """Start a full search, valid for a substep of h [s] and as long as predictable, at least `least` [s].

        Args:
            frame: its length [s]; fastest: largest speed [m/s]; pairs: number known so far.
            lasts: whether the result may stay valid for more than a frame.
        """
        self.tested_pairs, self._dirty, fastest = pairs, 0, max(fastest, 1e-300)
        # Predicting one substep too many costs less than a search in each.
        ahead = max(least, min(self.horizon, MOST_TRAVEL * self._least / fastest))
        if lasts:
            ahead = max(ahead, min(FRAMES * frame, self._least / fastest))
        # In folds, do not search for pairs that only a fraction of a substep would bring near: round down to substeps.
        self.passed, self.time = h, h * math.floor(ahead / h + 1e-6) if self.slack_factor < 1.0 else ahead

    def lengthen(self, frame: float) -> None:
        """The horizon has passed: look further ahead next time."""
        self.horizon = min(frame, HORIZON_GROWTH * self.horizon)

    def needs_full_search(self, fastest: float, deviating: int, patches: int, pairs: int) -> bool:
        """Whether so many particles deviated, or one so fast, that a full search is due.

        Args: fastest: their largest speed [m/s]; deviating: their patches, out of `patches`; pairs: number known.
        """
        self._dirty += deviating if self._is_crowded(pairs) else 0
        far = fastest * self.time > MOST_TRAVEL * self._least
        return far or max(deviating / MOST_DEVIATING, self._dirty / MOST_DEVIATING_IN_TOTAL) > patches

    def shorten(self, h: float) -> None:
        """Particles deviated before the horizon: look less far ahead next time."""
        self.horizon = max(h, 0.5 * self.passed)

    def grow(self, pairs: int) -> None:
        """Adapt the slack factor to the number of tested pairs. Args: pairs: number known."""
        if self.tested_pairs < PAIRS_EACH * self.features:
            self.slack_factor = min(MOST_SLACK_FACTOR, SLACK_STEP * self.slack_factor)
        elif self._is_crowded(pairs):
            self.slack_factor = max(LEAST_SLACK_FACTOR, SLACK_CUT * self.slack_factor)
        else:
            self.slack_factor = max(1.0, self.slack_factor / SLACK_STEP)

    def bound(self, pairs: int) -> None:
        """Adapt `most` to the number of known pairs."""
        too_many = max(DENSE * self.features, ALWAYS_ALLOWED)
        self.crowded = self.crowded + 1 if pairs > too_many else 0
        if self.crowded > 1:
            self.most = FIRST_MOST if self.most > FIRST_MOST else max(self.most // 2, LEAST_MOST)
        elif pairs < 0.25 * too_many:
            self.most = min(2 * self.most, NO_LIMIT)

    def _is_crowded(self, pairs: int) -> bool:
        return pairs > CROWDED * self.features


@kernel
def follow_prediction(x, time, x_predicted, v_predicted, slack):
    """Whether all particles x (m, 3) [m] are within their slack of the predicted positions at `time` [s].

    Args: x_found, v_found, slack: see `patches.predict_motion`.
    """
    for i in range(x.shape[0]):
        dx = x[i, 0] - x_predicted[i, 0] - time * v_predicted[i, 0]
        dy = x[i, 1] - x_predicted[i, 1] - time * v_predicted[i, 1]
        dz = x[i, 2] - x_predicted[i, 2] - time * v_predicted[i, 2]
        # NaN counts as displaced.
        if not dx * dx + dy * dy + dz * dz <= slack[i] * slack[i]:
            return False
    return True
