"""Soft pins: springs pull vertices with partial weight in the pin group to their places.

The engine has rigid pins and elastic ties. So each body with soft pins gets a holder: a collider that nothing touches,
with a vertex at the place of each soft pin, and ties between these and the body's vertices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...engine.spec import Attachment, ColliderSpec, Ignore

# Levels to which weights are rounded; each level is an attachment with its own stiffness.
_STEPS = 32
# Corners of the triangle that a collider must have [m].
_TRIANGLE = np.array([(0.0, 0.0, 0.0), (1e-3, 0.0, 0.0), (0.0, 1e-3, 0.0)])


@dataclass(frozen=True, eq=False)
class SoftPins:
    """Soft pins of a body.

    Attributes:
        vertices: (s,) int32, ascending; weights: (s,), above 0 and below 1.
        stiffness: of the spring of a vertex with full weight [N/m].
    """

    vertices: np.ndarray
    weights: np.ndarray
    stiffness: float


def split_pins(weights: np.ndarray, stiffness: float) -> tuple[np.ndarray, SoftPins | None]:
    """Rigidly pinned vertices (p,) int32, and soft pins; None without any.

    Args:
        weights: (n,) in the pin group, or empty; stiffness: 0 pins rigidly all with more than half the weight.
    """
    if stiffness <= 0.0:
        return np.flatnonzero(weights > 0.5).astype(np.int32), None
    # Blender stores weights in single precision.
    held = np.flatnonzero(weights > 1.0 - 1e-6).astype(np.int32)
    soft = np.flatnonzero((weights > 0.0) & (weights <= 1.0 - 1e-6)).astype(np.int32)
    return held, SoftPins(soft, weights[soft], stiffness) if len(soft) else None


def holder_name(name: str) -> str:
    """Name of the holder of an object's soft pins; no object's name can end like this."""
    return f"{name}\n(pins)"


def holder_places(places: np.ndarray) -> np.ndarray:
    """Vertices of a holder [m], (s + 3, 3): places of soft pins (s, 3), and its triangle."""
    return np.concatenate([places, places[:1] + _TRIANGLE])


def holder_of(name: str, places: np.ndarray) -> ColliderSpec:
    """The holder of an object's soft pins, with their places (s, 3) [m]."""
    count = len(places)
    return ColliderSpec(holder_name(name), holder_places(places), np.array([[count, count + 1, count + 2]]))


def ties_of(name: str, pins: SoftPins) -> list[Attachment]:
    """Ties of an object's soft pins to its holder: one spring each, with stiffness proportional to the weight."""
    step = np.maximum(np.round(_STEPS * pins.weights), 1.0)
    return [
        Attachment(
            name, holder_name(name), pins.vertices[step == level], np.flatnonzero(step == level),
            stiffness=pins.stiffness * float(level) / _STEPS, rest_length=0.0, is_pin=True,
        )
        for level in np.unique(step)
    ]


def untouched(names: list[str]) -> tuple[Ignore, ...]:
    """The rule that lets the holders of these objects touch nothing."""
    return (Ignore(tuple(map(holder_name, names)), "*"),) if names else ()
