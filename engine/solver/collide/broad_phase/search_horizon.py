"""How long what a search found holds, and how much room for straying it gives."""

from __future__ import annotations

import math

import numpy as np

from ....compiler.kernels import kernel

# The fastest particle may go so many slacks before all is searched again.
FORESIGHT = 32.0
# Where nobody goes further than one slack in that time, what was found holds for so many frames.
FRAMES = 8
# When more than this share of the patches has strayed, all of them are searched again, and half as far ahead as that
# took; each time that as much as was foreseen has passed, so many times further.
MANY = 0.2
BOLDER = 1.5
# More room for straying means fewer searches and more pairs to look at: what goes into both is kept level. To search
# around a particle or an edge takes as long as to look at so many pairs of a substep; room grows by steps up to a most.
PAIRS_EACH = 1.0
STEP_OF_ROOM, MOST_ROOM = 1.25, 4.0
# In folds there are more pairs than this for each particle and edge. There room is less than one, and all are searched
# again when in all so many patches have strayed since, as a weight: what is far foreseen has many near it.
CROWDED, LESS, LEAST_ROOM, MANY_IN_ALL = 1.0, 0.5, 0.625, 0.3


class Foresight:
    """What is foreseen, and what has come of it since.

    Attributes:
        horizon: how far is looked ahead within a frame at most [s]; room: so many times as much slack.
        time, passed: how long what was found holds, and how much of that has passed [s]; nought before a search.
        looked_at: pairs looked at since; features: particles and edges that are searched around.
    """

    def __init__(self, scale: np.ndarray) -> None:
        """Args: scale: (n,) slack of each particle [m]."""
        self.horizon, self.room, self.features, self._dirty = math.inf, 1.0, 0, 0
        self._least = float(scale.min(initial=np.inf))
        self.forget()

    def forget(self) -> None:
        """Nothing is known."""
        self.passed, self.time, self.looked_at = 0.0, 0.0, 0

    def holds(self, h: float) -> bool:
        """Whether what was found holds for so long [s]."""
        return self.passed + h <= self.time * (1.0 + 1e-9)

    def begin(self, h: float, least: float, frame: float, fastest: float, pairs: int, lasts: bool) -> None:
        """All is searched for a substep of h [s] and what follows, as far as can be foreseen, at least so long [s].

        Args:
            frame: its length [s]; fastest: [m/s]; pairs: known until now.
            lasts: whether what is found may hold for more than a frame.
        """
        self.looked_at, self._dirty, fastest = pairs, 0, max(fastest, 1e-300)
        # A substep more than foreseen costs less than a search for each.
        ahead = max(least, min(self.horizon, FORESIGHT * self._least / fastest))
        if lasts:
            ahead = max(ahead, min(FRAMES * frame, self._least / fastest))
        # In folds nobody is looked for whom only part of a substep would bring near.
        self.passed, self.time = h, h * math.floor(ahead / h + 1e-6) if self.room < 1.0 else ahead

    def bolder(self, frame: float) -> None:
        """As much as was foreseen has passed."""
        self.horizon = min(frame, BOLDER * self.horizon)

    def is_spent(self, fastest: float, strayed: int, patches: int, pairs: int) -> bool:
        """Whether those who strayed are too many to be searched for by themselves, or too fast.

        Args: fastest: of those [m/s]; strayed: their patches, of so many; pairs: known.
        """
        self._dirty += strayed if self._is_crowded(pairs) else 0
        far = fastest * self.time > FORESIGHT * self._least
        return far or max(strayed / MANY, self._dirty / MANY_IN_ALL) > patches

    def shorten(self, h: float) -> None:
        """It went wrong sooner than was foreseen."""
        self.horizon = max(h, 0.5 * self.passed)

    def grow(self, pairs: int) -> None:
        """Choose the room by what was looked at; pairs: known."""
        if self.looked_at < PAIRS_EACH * self.features:
            self.room = min(MOST_ROOM, STEP_OF_ROOM * self.room)
        elif self._is_crowded(pairs):
            self.room = max(LEAST_ROOM, LESS * self.room)
        else:
            self.room = max(1.0, self.room / STEP_OF_ROOM)

    def _is_crowded(self, pairs: int) -> bool:
        return pairs > CROWDED * self.features


@kernel
def go_as_foreseen(x, time, x_found, v_found, slack):
    """Whether some particles, (m, 3) [m], are no further than their slack from where they go in that time [s].

    Args: x_found, v_found, slack: see `broad.set_way`.
    """
    for i in range(x.shape[0]):
        dx = x[i, 0] - x_found[i, 0] - time * v_found[i, 0]
        dy = x[i, 1] - x_found[i, 1] - time * v_found[i, 1]
        dz = x[i, 2] - x_found[i, 2] - time * v_found[i, 2]
        # Who is nowhere is not there either.
        if not dx * dx + dy * dy + dz * dz <= slack[i] * slack[i]:
            return False
    return True
