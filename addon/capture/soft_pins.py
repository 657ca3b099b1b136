"""Soft pins: springs pull vertices with partial weight in the pin group to target positions.

The engine has rigid pins and elastic attachments. So each body with soft pins gets a holder: a collider without
contacts, with a vertex at the target of each soft pin, and attachments between these and the body's vertices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...engine.spec import Attachment, ColliderSpec, Ignore

# Levels to which weights are rounded; each level is an attachment with its own stiffness.
_WEIGHT_LEVELS = 32
# Corners of a small triangle, because a collider needs at least one [m].
_TRIANGLE = np.array([(0.0, 0.0, 0.0), (1e-3, 0.0, 0.0), (0.0, 1e-3, 0.0)])


@dataclass(frozen=True, eq=False)
class SoftPins:
    """Soft pins of a body.

    Attributes:
        vertices: (s,) int32, ascending; weights: (s,), above 0 and below 1.
        stiffness: of the spring at weight 1 [N/m].
    """

    vertices: np.ndarray
    weights: np.ndarray
    stiffness: float


def split_pins(weights: np.ndarray, stiffness: float) -> tuple[np.ndarray, SoftPins | None]:
    """Rigidly pinned vertices (p,) int32, and soft pins; None without any.

    Args:
        weights: (n,) in the pin group, or empty.
        stiffness: of soft pins [N/m]; with 0, all vertices with a weight above one half are pinned rigidly.
    """
    if stiffness <= 0.0:
        return np.flatnonzero(weights > 0.5).astype(np.int32), None
    # The tolerance is for Blender's weights in single precision.
    rigid_pins = np.flatnonzero(weights > 1.0 - 1e-6).astype(np.int32)
    soft = np.flatnonzero((weights > 0.0) & (weights <= 1.0 - 1e-6)).astype(np.int32)
    return rigid_pins, SoftPins(soft, weights[soft], stiffness) if len(soft) else None


def holder_name(name: str) -> str:
    """Name of the holder of an object's soft pins; no object's name can end like this."""
    return f"{name}\n(pins)"


def holder_places(places: np.ndarray) -> np.ndarray:
    """Vertices of a holder [m], (s + 3, 3): targets of soft pins (s, 3), and its triangle."""
    return np.concatenate([places, places[:1] + _TRIANGLE])


def holder_of(name: str, places: np.ndarray) -> ColliderSpec:
    """The holder of an object's soft pins, with their targets (s, 3) [m]."""
    count = len(places)
    return ColliderSpec(holder_name(name), holder_places(places), np.array([[count, count + 1, count + 2]]))


def ties_of(name: str, pins: SoftPins) -> list[Attachment]:
    """Attachments of an object's soft pins to its holder: a spring each, with stiffness proportional to the weight."""
    levels = np.maximum(np.round(_WEIGHT_LEVELS * pins.weights), 1.0)
    return [
        Attachment(
            name, holder_name(name), pins.vertices[levels == level], np.flatnonzero(levels == level),
            stiffness=pins.stiffness * float(level) / _WEIGHT_LEVELS, rest_length=0.0, is_pin=True,
        )
        for level in np.unique(levels)
    ]


def ignore_holders(names: list[str]) -> tuple[Ignore, ...]:
    """The rule that excludes the holders of these objects from all contacts."""
    return (Ignore(tuple(map(holder_name, names)), "*"),) if names else ()
