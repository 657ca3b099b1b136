"""What grows: grass on the banks, conifers behind, far hills. Each is one mesh and only seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from .looks import ground
from .mesh import grid_faces, mesh_from_arrays, place
from .river import River

if TYPE_CHECKING:
    import numpy as np

BLADES = 10000
TREES = 110


def add_growth(river: River, seed: int, collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Grass, trees and hills. They cast no shadow: thousands of blades would cost half of a frame's time."""
    import numpy as np

    draw = np.random.default_rng(seed)
    grown = [
        place(_grass_mesh(river, draw), collection, ground.grass("Grass")),
        place(_conifer_mesh(river, draw), collection, ground.conifer("Conifers")),
        place(_hill_mesh(draw), collection, ground.hills("Hills")),
    ]
    for thing in grown:
        thing.visible_shadow = False
    return grown


def _grass_mesh(river: River, draw: np.random.Generator) -> bpy.types.Mesh:
    """Blades of two bent pieces, in tufts, denser near the camera's end of the stream."""
    import numpy as np

    tufts = BLADES // 12
    tuft_y = river.length[0] + 34.0 * draw.random(tufts) ** 1.6
    tuft_edge = 0.35 + 7.0 * draw.random(tufts) ** 1.5
    side = draw.choice((-1.0, 1.0), tufts)
    reach = river.half_width + tuft_edge
    y = np.repeat(tuft_y, 12) + draw.normal(0.0, 0.09, tufts * 12)
    s = np.repeat(side * reach, 12) + draw.normal(0.0, 0.09, tufts * 12)
    kept = river.edge(s, y) > 0.22
    y, s = y[kept], s[kept]
    foot = np.stack((river.middle(y) + s, y, river.height(s, y) - 0.03), axis=1)
    tall = draw.uniform(0.10, 0.34, len(y)) * np.clip(0.5 + river.edge(s, y), 0.5, 1.2)
    turn = draw.uniform(0.0, 2.0 * np.pi, len(y))
    lean = draw.uniform(0.15, 0.75, len(y)) * tall
    forward = np.stack((np.cos(turn), np.sin(turn), 0.0 * turn), axis=1)
    sideways = np.stack((-np.sin(turn), np.cos(turn), 0.0 * turn), axis=1) * 0.014
    up = np.array((0.0, 0.0, 1.0))
    knee = foot + up * (0.6 * tall)[:, None] + forward * (0.25 * lean)[:, None]
    tip = foot + up * tall[:, None] + forward * lean[:, None]
    vertices = np.stack(
        (foot - sideways, foot + sideways, knee + 0.8 * sideways, knee - 0.8 * sideways, tip), axis=1
    ).reshape(-1, 3)
    blade = np.array(((0, 1, 2), (0, 2, 3), (3, 2, 4)))
    faces = (blade[None] + 5 * np.arange(len(y))[:, None, None]).reshape(-1, 3)
    bright = draw.uniform(0.5, 1.0, len(y))
    tint = (np.array((0.0, 0.0, 0.55, 0.55, 1.0))[None] * bright[:, None]).ravel()
    return mesh_from_arrays("Grass", vertices, faces, attributes={"tint": tint})


def _conifer_mesh(river: River, draw: np.random.Generator) -> bpy.types.Mesh:
    """Trees of ragged cones, thicker the farther up the valley."""
    import numpy as np

    vertices, faces, tints, count = [], [], [], 0
    for _ in range(TREES):
        y = np.float64(11.0 + 34.0 * draw.random())
        side = draw.choice((-1.0, 1.0))
        s = np.float64(side * (river.half_width + 2.5 + 16.0 * draw.random() ** 1.3))
        foot = np.array((river.middle(y) + s, y, river.height(s, y) - 0.2))
        tall = draw.uniform(3.0, 7.5)
        for tier in range(7):
            low = tall * (0.08 + 0.125 * tier)
            points, tint = _tier(foot, low, tall * 0.26, 0.24 * tall * (1.0 - tier / 7.6), draw)
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
    foot: np.ndarray, low: float, tall: float, radius: float, draw: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """One skirt of branches: its top, then 14 points of a ragged rim; and their tints."""
    import numpy as np

    turn = 2.0 * np.pi * (np.arange(14) + draw.uniform(-0.3, 0.3, 14)) / 14
    out = radius * np.where(np.arange(14) % 2 == 0, 1.0, 0.55) * draw.uniform(0.75, 1.15, 14)
    drop = low - 0.12 * out * draw.uniform(0.5, 1.5, 14)
    rim = foot + np.stack((out * np.cos(turn), out * np.sin(turn), drop), axis=1)
    top = foot + np.array((0.0, 0.0, low + tall))
    tint = np.concatenate(((0.1,), np.where(np.arange(14) % 2 == 0, 0.9, 0.1) * draw.uniform(0.6, 1.0)))
    return np.vstack((top, rim)), tint


def _hill_mesh(draw: np.random.Generator) -> bpy.types.Mesh:
    """Ridges across the end of the valley."""
    import numpy as np

    x, y = np.meshgrid(np.linspace(-110.0, 110.0, 120), np.linspace(48.0, 130.0, 40))
    height = -2.0 + 0.08 * (y - 48.0)
    for wave in (0.035, 0.07, 0.15, 0.31):
        phase = draw.uniform(0.0, 6.28, 2)
        height = height + 0.05 / wave * np.sin(wave * x + phase[0]) * np.cos(0.7 * wave * y + phase[1])
    vertices = np.stack((x, y, height), axis=-1).reshape(-1, 3)
    return mesh_from_arrays("Hills", vertices, grid_faces(*x.shape))
