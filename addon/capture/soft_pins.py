"""Soft pins: vertices with part of the weight in the pin group are drawn to their places by springs.

The engine knows pins that hold and ties that give. So each body with soft pins gets a holder, a collider that nobody
touches and that has a vertex where each of them is to be, and its vertices are tied to those.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...engine.spec import Attachment, ColliderSpec, Ignore

# Weights are taken in so many steps, each a tie of its own stiffness.
_STEPS = 32
# Sides of the triangle that a collider must have [m].
_TRIANGLE = np.array([(0.0, 0.0, 0.0), (1e-3, 0.0, 0.0), (0.0, 1e-3, 0.0)])


@dataclass(frozen=True, eq=False)
class SoftPins:
    """Those of a body.

    Attributes:
        vertices: (s,) int32, ascending; weights: (s,) of them, above 0 and below 1.
        stiffness: of the spring of a full weight [N/m].
    """

    vertices: np.ndarray
    weights: np.ndarray
    stiffness: float


def split_pins(weights: np.ndarray, stiffness: float) -> tuple[np.ndarray, SoftPins | None]:
    """Vertices that are held (p,) int32, and those that are drawn, None without any.

    Args:
        weights: (n,) in the pin group, or none; stiffness: 0 holds all with more than half the weight.
    """
    if stiffness <= 0.0:
        return np.flatnonzero(weights > 0.5).astype(np.int32), None
    # Blender stores weights as singles.
    held = np.flatnonzero(weights > 1.0 - 1e-6).astype(np.int32)
    soft = np.flatnonzero((weights > 0.0) & (weights <= 1.0 - 1e-6)).astype(np.int32)
    return held, SoftPins(soft, weights[soft], stiffness) if len(soft) else None


def holder_name(name: str) -> str:
    """Name of the system that draws the soft pins of an object; no object's name ends like this."""
    return f"{name}\n(pins)"


def holder_places(places: np.ndarray) -> np.ndarray:
    """Vertices of a holder [m], (s + 3, 3): where soft pins are to be (s, 3), and its triangle."""
    return np.concatenate([places, places[:1] + _TRIANGLE])


def holder_of(name: str, places: np.ndarray) -> ColliderSpec:
    """The system that draws the soft pins of an object to their places (s, 3) [m]."""
    count = len(places)
    return ColliderSpec(holder_name(name), holder_places(places), np.array([[count, count + 1, count + 2]]))


def ties_of(name: str, pins: SoftPins) -> list[Attachment]:
    """What ties an object's soft pins to its holder: a spring each, the stiffer the more weight."""
    step = np.maximum(np.round(_STEPS * pins.weights), 1.0)
    return [
        Attachment(
            name, holder_name(name), pins.vertices[step == level], np.flatnonzero(step == level),
            stiffness=pins.stiffness * float(level) / _STEPS, rest_length=0.0,
        )
        for level in np.unique(step)
    ]


def untouched(names: list[str]) -> tuple[Ignore, ...]:
    """The rule that nothing touches the holders of these objects."""
    return (Ignore(tuple(map(holder_name, names)), "*"),) if names else ()
