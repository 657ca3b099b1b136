"""Behaviours of systems. A new one is a spec in `spec/kinds/`, a behaviour here and a line below; see `base.System`."""

from __future__ import annotations

from .base import System
from .collider import Colliders
from .flock import Flocks
from .fluid import Fluids
from .spring_graph.system import SpringGraphs
from .voxel_body import VoxelBodies

SYSTEMS: dict[str, type[System]] = {
    "SPRING_GRAPH": SpringGraphs,
    "VOXEL_BODY": VoxelBodies,
    "FLUID": Fluids,
    "FLOCK": Flocks,
    "COLLIDER": Colliders,
}

__all__ = ["SYSTEMS"]
