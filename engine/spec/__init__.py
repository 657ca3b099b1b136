"""What the artist asks for, as plain dataclasses. A new system starts here: one file, one line in KINDS."""

from __future__ import annotations

from .attachment import Attachment
from .collider import ColliderSpec
from .groups import GROUPS, Group
from .joint import Joint
from .param import Param, param, params_of, weighted_params
from .rules import RULES, Contact, Ignore, PowerRepulsion, SpringDashpot, names_of
from .spring_graph import SpringGraphSpec
from .voxel_body import VoxelBodySpec
from .water import WaterSpec
from .world import WorldSpec

KINDS: dict[str, type] = {
    spec_class.kind: spec_class for spec_class in (SpringGraphSpec, ColliderSpec, WaterSpec, VoxelBodySpec)
}

__all__ = [
    "GROUPS", "KINDS", "RULES", "Attachment", "ColliderSpec", "Contact", "Group", "Ignore", "Joint", "Param",
    "PowerRepulsion", "SpringDashpot", "SpringGraphSpec", "VoxelBodySpec", "WaterSpec", "WorldSpec", "names_of",
    "param", "params_of", "weighted_params",
]
