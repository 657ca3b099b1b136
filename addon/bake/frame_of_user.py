"""The frame that the artist looks at: given back after a bake that visits others, and followed when they scrub."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy

from .state import Progress


class FrameOfUser:
    """Where the artist is on the timeline while a job goes about its own frames."""

    def __init__(self, scene: bpy.types.Scene) -> None:
        """Args: the scene as it is before the job touches it."""
        self._at = _frame(scene)
        self._name = scene.name

    def slices(self, slices: Iterable[Progress]) -> Iterator[Progress]:
        """Hand on the slices of a job; a frame that is another one after a slice was chosen by the artist."""
        for progress in slices:
            left = self._now()
            yield progress
            if self._now() != left:
                self._at = self._now()

    def give_back(self, scene: bpy.types.Scene, anew: bool) -> None:
        """Show it again; anew even where it stands already, because other keys play now."""
        if self._at is not None and (anew or _frame(scene) != self._at):
            scene.frame_set(self._at[0], subframe=self._at[1])

    def _now(self) -> tuple[int, float] | None:
        """None when the scene is gone, which the job itself will say."""
        scene = bpy.data.scenes.get((self._name, None))
        return None if scene is None else _frame(scene)


def _frame(scene: bpy.types.Scene) -> tuple[int, float]:
    return scene.frame_current, scene.frame_subframe
