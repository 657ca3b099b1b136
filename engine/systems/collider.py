"""Meshes that others bump into: held particles and their triangles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..controls import Controls
from ..errors import SpecError
from ..frame import Frame
from ..graph.parts import closed_parts, find_parts
from ..limit import Swing
from ..particles import Builder, Surface
from ..spec import ColliderSpec, WorldSpec
from ..spec.check import check_params, indices, points
from ..stage import Stage
from ..world import World


class Colliders:
    """Behaviour of every `ColliderSpec`: to be there."""

    def __init__(self, specs: Sequence[ColliderSpec], builder: Builder, _spec: WorldSpec) -> None:
        """Reserve held particles; raises SpecError for a mesh without triangles."""
        for spec in specs:
            check_params(spec.name, spec)
            vertices = points(spec.name, "vertices", spec.vertices)
            triangles = indices(spec.name, "triangles", spec.triangles, 3, len(vertices))
            if len(triangles) == 0:
                raise SpecError(spec.name, "triangles", "no triangle", "a mesh with faces to bump into")
            parts = find_parts(vertices, triangles)
            held = np.zeros(len(vertices))
            builder.add(
                spec, vertices, np.zeros(3), held, held, 0.0, 0.0,
                Surface(parts.triangles, parts.hollow[parts.part], parts.part, closed_parts(parts)),
            )

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Nothing comes from outside."""

    def acts(self) -> bool:
        """Held particles do nothing."""
        return False

    def advance(self, world: World, gravity: np.ndarray, first: int, count: int) -> None:
        """They stay where they are."""

    def swing(self, world: World) -> Swing | None:
        """They do not swing."""
        return None

    def solved(self) -> None:
        """Nothing is solved here."""

    def cut(self, steps: int) -> None:
        """Nothing is solved here."""

    def apply(self, stage: Stage, world: World, h: float, done: float) -> None:
        """Held particles do nothing."""

    def report(self, world: World, frame: Frame) -> None:
        """Nothing beyond positions."""

    def memory(self) -> dict[str, Any]:
        """Nothing beyond the particles."""
        return {}

    def recall(self, memory: dict[str, Any]) -> None:
        """Nothing to take back."""
