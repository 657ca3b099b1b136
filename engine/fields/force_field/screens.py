"""Colliders that absorb fields."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...spec import WorldSpec
from ...world.builder import Builder
from ...world.world import World
from .columns import Moving
from .laws.scratch import BLOCK
from .meshes import clustered, place_boxes
from .screen import screen_fields
from .table import FieldTable


class Screens:
    """Fractions of fields that colliders with Field Absorption let through, evaluated once a frame.

    Attributes:
        left: for each table, (m, screened fields), the fraction that reaches each receiver.
    """

    def __init__(self, tables: Sequence[FieldTable], builder: Builder, spec: WorldSpec, count: int) -> None:
        """Args: tables: of fields, whose rows get their columns here; count: number of receivers."""
        self._tables = tables
        fractions = {system.name: float(getattr(system, "absorption", 0.0)) for system in spec.systems}
        walls = [
            (surface.triangles + body.start, fractions[body.name])
            for body, surface in zip(builder.bodies, builder.surfaces, strict=True)
            if surface is not None and fractions.get(body.name, 0.0) > 0.0
        ]
        self._absorption = np.array([fraction for _faces, fraction in walls])
        none = np.zeros((0, 3))
        self._meshes, self._ranges = clustered(none, none, [faces for faces, _fraction in walls], builder.positions())
        self.left = []
        for table in tables:
            screened = [n for n, spec in enumerate(table.specs) if spec.use_absorption and walls]
            table.rows["screen"][screened] = np.arange(len(screened))
            self.left.append(np.ones((count, len(screened))))

    def look(self, world: World, moving: Moving) -> None:
        """Evaluate the absorption again."""
        if not any(left.shape[1] for left in self.left):
            return
        meshes = self._meshes._replace(vertices=world.state.x)
        place_boxes(meshes)
        blocks = -(-len(moving.ids) // BLOCK)
        for table, left in zip(self._tables, self.left, strict=True):
            screen_fields(table.rows, table.meshes, moving, meshes, self._ranges, self._absorption, blocks, left)
