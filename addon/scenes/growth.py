"""Vegetation: grass on the banks, conifers behind, distant hills. Each is one mesh that only renders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from .looks import ground
from .mesh import grid_faces, mesh_from_arrays, new_object
from .river import River

if TYPE_CHECKING:
    import numpy as np

BLADES = 10000
TREES = 110


def add_growth(river: River, seed: int, collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Grass, trees and hills. They cast no shadows: thousands of blades would cost half of a frame's render time."""
    import numpy as np

    rng = np.random.default_rng(seed)
    objects = [
        new_object(_grass_mesh(river, rng), collection, ground.grass("Grass")),
        new_object(_conifer_mesh(river, rng), collection, ground.conifer("Conifers")),
        new_object(_hill_mesh(rng), collection, ground.hills("Hills")),
    ]
    for obj in objects:
        obj.visible_shadow = False
    return objects


def _grass_mesh(river: River, rng: np.random.Generator) -> bpy.types.Mesh:
    """Blades of two segments, in tufts, denser near the camera's end of the stream."""
    import numpy as np

    tufts = BLADES // 12
    tuft_y = river.length[0] + 34.0 * rng.random(tufts) ** 1.6
    tuft_edge = 0.35 + 7.0 * rng.random(tufts) ** 1.5
    side = rng.choice((-1.0, 1.0), tufts)
    reach = river.half_width + tuft_edge
    y = np.repeat(tuft_y, 12) + rng.normal(0.0, 0.09, tufts * 12)
    s = np.repeat(side * reach, 12) + rng.normal(0.0, 0.09, tufts * 12)
    kept = river.edge(s, y) > 0.22
    y, s = y[kept], s[kept]
    foot = np.stack((river.middle(y) + s, y, river.height(s, y) - 0.03), axis=1)
    height = rng.uniform(0.10, 0.34, len(y)) * np.clip(0.5 + river.edge(s, y), 0.5, 1.2)
    angle = rng.uniform(0.0, 2.0 * np.pi, len(y))
    lean = rng.uniform(0.15, 0.75, len(y)) * height
    forward = np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=1)
    sideways = np.stack((-np.sin(angle), np.cos(angle), 0.0 * angle), axis=1) * 0.014
    up = np.array((0.0, 0.0, 1.0))
    knee = foot + up * (0.6 * height)[:, None] + forward * (0.25 * lean)[:, None]
    tip = foot + up * height[:, None] + forward * lean[:, None]
    vertices = np.stack(
        (foot - sideways, foot + sideways, knee + 0.8 * sideways, knee - 0.8 * sideways, tip), axis=1
    ).reshape(-1, 3)
    blade = np.array(((0, 1, 2), (0, 2, 3), (3, 2, 4)))
    faces = (blade[None] + 5 * np.arange(len(y))[:, None, None]).reshape(-1, 3)
    bright = rng.uniform(0.5, 1.0, len(y))
    tint = (np.array((0.0, 0.0, 0.55, 0.55, 1.0))[None] * bright[:, None]).ravel()
    return mesh_from_arrays("Grass", vertices, faces, attributes={"tint": tint})


def _conifer_mesh(river: River, rng: np.random.Generator) -> bpy.types.Mesh:
    """Trees of ragged cones on both sides of the valley."""
    import numpy as np

    vertices, faces, tints, count = [], [], [], 0
    for _ in range(TREES):
        y = np.float64(11.0 + 34.0 * rng.random())
        side = rng.choice((-1.0, 1.0))
        s = np.float64(side * (river.half_width + 2.5 + 16.0 * rng.random() ** 1.3))
        foot = np.array((river.middle(y) + s, y, river.height(s, y) - 0.2))
        height = rng.uniform(3.0, 7.5)
        for tier in range(7):
            low = height * (0.08 + 0.125 * tier)
            points, tint = _tier(foot, low, height * 0.26, 0.24 * height * (1.0 - tier / 7.6), rng)
            fan = np.array([(0, 1 + i, 1 + (i + 1) % 14) for i in range(14)])
            vertices.append(points)
            tints.append(tint)
            faces.append(fan + count)
            count += len(points)
    return mesh_from_arrays(
        "Conifers", np.concatenate(vertices), np.concatenate(faces), smooth=False,
        attributes={"tint": np.concatenate(tints)},
    )


def _tier(
    foot: np.ndarray, low: float, height: float, radius: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """One cone of branches: its top, then 14 points of a ragged rim; and their tints."""
    import numpy as np

    angle = 2.0 * np.pi * (np.arange(14) + rng.uniform(-0.3, 0.3, 14)) / 14
    out = radius * np.where(np.arange(14) % 2 == 0, 1.0, 0.55) * rng.uniform(0.75, 1.15, 14)
    drop = low - 0.12 * out * rng.uniform(0.5, 1.5, 14)
    rim = foot + np.stack((out * np.cos(angle), out * np.sin(angle), drop), axis=1)
    top = foot + np.array((0.0, 0.0, low + height))
    tint = np.concatenate(((0.1,), np.where(np.arange(14) % 2 == 0, 0.9, 0.1) * rng.uniform(0.6, 1.0)))
    return np.vstack((top, rim)), tint


def _hill_mesh(rng: np.random.Generator) -> bpy.types.Mesh:
    """Hills across the end of the valley."""
    import numpy as np

    x, y = np.meshgrid(np.linspace(-110.0, 110.0, 120), np.linspace(48.0, 130.0, 40))
    height = -2.0 + 0.08 * (y - 48.0)
    for wave in (0.035, 0.07, 0.15, 0.31):
        phase = rng.uniform(0.0, 6.28, 2)
        height = height + 0.05 / wave * np.sin(wave * x + phase[0]) * np.cos(0.7 * wave * y + phase[1])
    vertices = np.stack((x, y, height), axis=-1).reshape(-1, 3)
    return mesh_from_arrays("Hills", vertices, grid_faces(*x.shape))
