"""What the artist asks for, as plain dataclasses. A new system starts here: one file, one line in KINDS."""

from __future__ import annotations

from .attachment import Attachment
from .groups import GROUPS, Group
from .joint import Joint
from .kinds.collider import ColliderSpec
from .kinds.fluid import FluidSpec
from .kinds.spring_graph import SpringGraphSpec
from .kinds.voxel_body import VoxelBodySpec
from .kinds.water import WaterSpec
from .param import Param, param, params_of, weighted_params
from .rules import RULES, Contact, Ignore, PowerRepulsion, SpringDashpot, names_of
from .world import WorldSpec

KINDS: dict[str, type] = {
    spec_class.kind: spec_class for spec_class in (SpringGraphSpec, ColliderSpec, WaterSpec, VoxelBodySpec, FluidSpec)
}

__all__ = [
    "GROUPS", "KINDS", "RULES", "Attachment", "ColliderSpec", "Contact", "FluidSpec", "Group", "Ignore", "Joint",
    "Param", "PowerRepulsion", "SpringDashpot", "SpringGraphSpec", "VoxelBodySpec", "WaterSpec", "WorldSpec",
    "names_of", "param", "params_of", "weighted_params",
]
