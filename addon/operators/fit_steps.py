"""Substeps for the smallest body: a small one moves faster relative to its size than a large one."""

from __future__ import annotations

import math
from collections.abc import Iterable

import bpy

from ..names import SETTINGS
from ..properties.kinds import traits_of

# Substeps a frame for a body of one metre, scaled by one over the root of the size (Froude scaling); upper limit.
_AT_A_METRE, _MOST = 10, 100


def needed_substeps(size: float) -> int:
    """Substeps a frame for a soft body whose longest side is `size` [m]."""
    # Blender stores single precision: 0.04 m is slightly less.
    wanted = math.ceil(_AT_A_METRE / math.sqrt(max(size, 1e-6)) - 1e-3)
    return min(max(_AT_A_METRE, wanted), _MOST)


def fit_steps(scene: bpy.types.Scene, bodies: Iterable[bpy.types.Object]) -> str | None:
    """Raise the scene's substeps for small soft bodies, unless the artist has set them; returns a message."""
    from ..presets import longest_side

    soft = [(longest_side(obj), obj.name) for obj in bodies if traits_of(obj).is_springy]
    soft = [(size, name) for size, name in soft if size > 0.0]
    if not soft:
        return None
    size, name = min(soft)
    settings, needed = getattr(scene, SETTINGS), needed_substeps(size)
    before = settings.substeps
    if before >= needed:
        return None
    set_by_artist = settings.is_property_set("substeps") and before != settings.fitted_substeps
    if set_by_artist:
        return f"{name} is {size:.2g} m long: with fewer than {needed} substeps it is softer than its material."
    settings.substeps = settings.fitted_substeps = needed
    return f"Substeps are now {needed} instead of {before}, because {name} is {size:.2g} m long."


CLASSES = ()
