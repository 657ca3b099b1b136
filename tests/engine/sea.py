"""Meshes of a sea that swells."""

from __future__ import annotations

import numpy as np

# A swell of deep water: its length is g T² / 2 pi [m], [m], [s]; frames a second.
AMPLITUDE, LENGTH, PERIOD = 0.5, 25.0, 4.0
RATE = 24.0


def grid(size: float, cells: int) -> tuple[np.ndarray, np.ndarray]:
    """A square sheet around the origin: vertices ((cells + 1)², 3) [m], triangles."""
    along = np.linspace(-0.5 * size, 0.5 * size, cells + 1)
    x, y = np.meshgrid(along, along, indexing="ij")
    number = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    triangles = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3)
    return np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3), triangles


def swell(sheet: np.ndarray, amplitude: float, length: float, period: float, time: float) -> np.ndarray:
    """The sheet (n, 3) with a sine that runs along +X: z = a sin(2 pi (x / length - t / period))."""
    lifted = sheet.copy()
    lifted[:, 2] += amplitude * np.sin(2.0 * np.pi * (sheet[:, 0] / length - time / period))
    return lifted
