"""Other frames, visited for a moment: what moves in them is captured, and the artist finds the scene as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy

from ..capture.keys import has_keys, unkeyed


@contextmanager
def visit(scene: bpy.types.Scene, rigid: Iterable[bpy.types.Object]) -> Iterator[None]:
    """Let baked rigid bodies stand as their artist left them, and give keys and frame back whatever happens.

    A bake must not see the keys that it writes itself, nor those of a bake before: what hangs on such a body would
    move, and the bake would never come out the same twice.
    """
    keyed = [obj for obj in rigid if has_keys(obj)]
    at = scene.frame_current, scene.frame_subframe
    try:
        with unkeyed(keyed):
            yield
    finally:
        if keyed or at != (scene.frame_current, scene.frame_subframe):
            scene.frame_set(at[0], subframe=at[1])
