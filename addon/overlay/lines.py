"""Lines of the overlay as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Lines:
    """Pairs of points (2 m, 3) float32 and their colours (2 m, 4) float32."""

    points: np.ndarray
    colors: np.ndarray


def joined(parts: list[Lines]) -> Lines:
    """Concatenate lines."""
    parts = [part for part in parts if len(part.points)]
    if not parts:
        return Lines(np.zeros((0, 3), dtype=np.float32), np.zeros((0, 4), dtype=np.float32))
    return Lines(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("points", "colors")))


def plain(points: np.ndarray, color: tuple[float, ...]) -> Lines:
    """Lines of one colour; points (..., 3) in pairs."""
    points = points.reshape(-1, 3).astype(np.float32)
    return Lines(points, np.tile(np.array(color, dtype=np.float32), (len(points), 1)))


def strokes(start: np.ndarray, vectors: np.ndarray, color: tuple[float, ...]) -> Lines:
    """Arrows from points (n, 3) along vectors (n, 3) [m]; none for zero vectors."""
    moves = np.linalg.norm(vectors, axis=1) > 1e-6
    start, vectors = start[moves], vectors[moves]
    aside = np.cross(vectors, np.eye(3)[np.argmin(np.abs(vectors), axis=1)])
    aside *= 0.12 * np.linalg.norm(vectors, axis=1, keepdims=True) / np.linalg.norm(aside, axis=1, keepdims=True)
    tip, neck = start + vectors, start + 0.75 * vectors
    return plain(np.stack([start, tip, tip, neck + aside, tip, neck - aside], axis=1), color)
