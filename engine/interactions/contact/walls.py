"""Colliders that convex bodies collide with as hulls (walls), and detection of walls that deform."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...solver.rigid.hulls.hull import FLAT
from ...solver.rigid.hulls.wall import Wall, find_wall
from ...world.builder import Builder
from ...world.world import State


def find_walls(builder: Builder, inv_mass: np.ndarray, x: np.ndarray) -> list[Wall]:
    """Colliders that are flat or convex, if there are convex bodies and no soft ones.

    With soft bodies, contact by surfaces is better: a light crate that carried soft bodies came to rest 0.6 to 0.8 mm
    deeper in a wall.

    Args: inv_mass: (n,) of all particles [1/kg]; x: (n, 3) positions as built [m].
    """
    if builder.rigid is None or all(hull is None for hull in builder.rigid.hulls):
        return []
    found = []
    for system, (body, surface) in enumerate(zip(builder.bodies, builder.surfaces, strict=True)):
        if body.traits.is_wall and surface is not None and len(surface.closed) == 1:
            vertices = x[body.start : body.stop]
            found.append(find_wall(system, body.start, vertices, surface.triangles, bool(surface.closed[0])))
    return [wall for wall in found if wall is not None]


class Walls:
    """Watches moving walls; `deformed`: kinds of walls that were deformed and are no longer hulls."""

    def __init__(self, walls: Sequence[Wall], kind: np.ndarray, x: np.ndarray) -> None:
        """Args: kind: (bodies,) of each system; x: (n, 3) particles as built [m]."""
        self._walls, self._kind = list(walls), kind
        self._built_distances = [_distances(wall, x) for wall in walls]
        self.deformed: list[int] = []

    def find_deformed(self, state: State, frame: float) -> list[int]:
        """The new value of `deformed`: adds walls that will not be in their built shape when a frame [s] ends."""
        found = set(self.deformed)
        for wall, built in zip(self._walls, self._built_distances, strict=True):
            kind = int(self._kind[wall.system])
            if kind in found or not state.v[wall.start : wall.stop].any():
                continue
            if np.abs(_distances(wall, state.x + frame * state.v) - built).max() > FLAT * built.max():
                found.add(kind)
        return sorted(found)


def _distances(wall: Wall, x: np.ndarray) -> np.ndarray:
    """Distances of all particles of a wall to three of them, which reveal any deformation: (n, 3) [m]."""
    return np.linalg.norm(x[wall.start : wall.stop, None] - x[wall.frame], axis=2)
