"""Calling flocks with the mouse: while the button is held away from all bodies, they come to the mouse or flee it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...engine import Controls, FlockControl, Frame
from ..capture import Captured


@dataclass
class Lure:
    """The mouse as a goal or a predator of all flocks.

    Attributes:
        flocks: names of the flocks; frightens: whether they flee instead of coming.
        target: (3,) position of the mouse in the scene [m].
    """

    flocks: tuple[str, ...]
    frightens: bool
    target: np.ndarray

    def move(self, controls: Controls, _strength: float) -> Controls:
        """The controls of the scene with the mouse as goal or as another predator; existing predators stay."""
        place, flocks = np.array(self.target, dtype=np.float64)[None], dict(controls.flocks)
        for name in self.flocks:
            aims = flocks.get(name, FlockControl())
            if self.frightens:
                others = np.zeros((0, 3)) if aims.predators is None else aims.predators
                flocks[name] = replace(aims, predators=np.concatenate([others, place]))
            else:
                flocks[name] = replace(aims, goal_path=place, perches=np.zeros((0, 3)))
        return replace(controls, flocks=flocks)


def has_flocks(captured: Captured) -> bool:
    """Whether there are flocks that the mouse can call."""
    return any(spec.traits.steers for spec in captured.spec.systems)


def lure_at(
    captured: Captured, frame: Frame | None, origin: np.ndarray, direction: np.ndarray, frightens: bool
) -> Lure | None:
    """A lure on a ray, at the distance of the flock whose centre is nearest to the ray; None without a flock.

    Args: origin, direction: (3,) of the ray in world space; flocks behind the origin are ignored.
    """
    flocks = [spec for spec in captured.spec.systems if spec.traits.steers]
    direction = np.asarray(direction, dtype=np.float64) / np.linalg.norm(direction)
    found = []
    for spec in flocks:
        places = spec.positions if frame is None else frame.positions[spec.name]
        ahead = float((np.mean(places, axis=0) - origin) @ direction)
        beside = float(np.linalg.norm(np.mean(places, axis=0) - origin - ahead * direction))
        if ahead > 0.0:
            found.append((beside, ahead))
    if not found:
        return None
    return Lure(tuple(spec.name for spec in flocks), frightens, origin + min(found)[1] * direction)
