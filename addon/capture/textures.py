"""Textures of fields, sampled around the bodies."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import bpy
import numpy as np

from ...engine.spec import TextureGrid

# Limit on samples of one texture: each takes Blender about a microsecond.
MAX_SAMPLES = 300_000
# Number of samples across the finest detail of a texture.
SAMPLES_PER_DETAIL = 10
# Margin on each side of the bounding box of all bodies, as a fraction of its size.
MARGIN = 0.25


def has_color(texture: bpy.types.Texture) -> bool:
    """Whether a texture gives colors rather than brightness alone."""
    if texture.use_color_ramp or texture.type in {"IMAGE", "MAGIC"}:
        return True
    if texture.type == "CLOUDS":
        return texture.cloud_type == "COLOR"
    return texture.type == "VORONOI" and texture.color_mode != "INTENSITY"


def sample_texture(
    texture: bpy.types.Texture, matrix: np.ndarray, values: Mapping[str, Any], box: np.ndarray
) -> TextureGrid:
    """A texture in the region of the bodies at the start, with a margin.

    Args:
        matrix: (4, 4) of the field object; values: the field's settings; box: (2, 3) corners around all bodies.
    """
    low, high = box[0], box[1]
    if values["use_object_coords"]:
        corners = np.array(list(product(*box.T)))
        to_object = np.linalg.inv(matrix)
        corners = corners @ to_object[:3, :3].T + to_object[:3, 3]
        low, high = corners.min(axis=0), corners.max(axis=0)
    margin = MARGIN * float(np.max(high - low)) + 2.0 * float(values["texture_nabla"])
    low, high = low - margin, high + margin
    if values["use_2d_force"] and values["use_object_coords"]:
        low[2], high[2] = -1e-3, 1e-3
    shape = _shape(texture, high - low)
    cell = (high - low) / (shape - 1)
    axes = [low[k] + cell[k] * np.arange(shape[k]) for k in range(3)]
    evaluate = texture.evaluate
    samples = np.array([evaluate(place)[:] for place in product(*(axis.tolist() for axis in axes))], dtype=np.float32)
    colored = has_color(texture)
    if colored:
        samples[:, 3] = samples[:, :3].mean(axis=1)
    return TextureGrid(low, cell, samples.reshape(*shape, 4), colored)


def _shape(texture: bpy.types.Texture, extent: np.ndarray) -> np.ndarray:
    """Number of samples along each axis, for the finest detail of the texture, within the limit of samples."""
    detail = getattr(texture, "noise_scale", 0.25) / 2.0 ** getattr(texture, "noise_depth", 0)
    wanted = np.clip(np.ceil(extent / max(detail / SAMPLES_PER_DETAIL, 1e-6)) + 1, 4, 1e6)
    while wanted.prod() > MAX_SAMPLES:
        wanted[wanted.argmax()] *= 0.95
        wanted = np.maximum(wanted, 4)
    return np.ceil(wanted).astype(int)
