"""Visits other frames for capture, and restores the scene afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy

from ..capture.keys import has_keys, unkeyed


@contextmanager
def visit(scene: bpy.types.Scene, rigid: Iterable[bpy.types.Object]) -> Iterator[None]:
    """Context that shows baked rigid bodies without the bake's keyframes, and restores keyframes and current frame.

    A bake must not see its own keyframes, nor those of an earlier bake. They would move everything attached to such a
    body, and repeated bakes would differ.
    """
    keyed = [obj for obj in rigid if has_keys(obj)]
    at = scene.frame_current, scene.frame_subframe
    try:
        with unkeyed(keyed):
            yield
    finally:
        if keyed or at != (scene.frame_current, scene.frame_subframe):
            scene.frame_set(at[0], subframe=at[1])
