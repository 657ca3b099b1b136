"""Settings of the artist, as immutable dataclasses. A new system starts here: one file, one line in KINDS."""

from __future__ import annotations

from .attachment import Attachment
from .effector_weights import WEIGHT_OF, EffectorWeights
from .groups import GROUPS, Group
from .joint import Joint
from .kinds.air import AirSpec
from .kinds.collider import ColliderSpec
from .kinds.flock import FlockSpec
from .kinds.fluid import FluidSpec
from .kinds.force_field import ForceFieldSpec
from .kinds.spring_graph import SpringGraphSpec
from .kinds.voxel_body import VoxelBodySpec
from .kinds.water import WaterSpec
from .param import Param, choice, keyable_params, param, params_of, uses_mesh, weighted_params
from .rules import (
    RULES,
    Adhesion,
    Charge,
    Contact,
    Drag,
    Flee,
    Follow,
    Ignore,
    PowerRepulsion,
    Seek,
    SpringDashpot,
    names_of,
)
from .texture_grid import TextureGrid
from .world import WorldSpec

_SPECS = (
    SpringGraphSpec,
    ColliderSpec,
    WaterSpec,
    VoxelBodySpec,
    FluidSpec,
    FlockSpec,
)
# By kind. .blend files store the index of a kind: append new ones at the end.
KINDS: dict[str, type] = {spec_class.kind: spec_class for spec_class in _SPECS}

# Kinds that come from the scene and from Blender's own field objects; no object has one as its Flotsam type.
OUTSIDE_KINDS: dict[str, type] = {spec_class.kind: spec_class for spec_class in (ForceFieldSpec, AirSpec)}

__all__ = [
    "GROUPS", "KINDS", "OUTSIDE_KINDS", "RULES", "WEIGHT_OF", "Adhesion", "AirSpec", "Attachment", "Charge",
    "ColliderSpec", "Contact", "Drag", "EffectorWeights", "Flee", "FlockSpec", "FluidSpec", "Follow",
    "ForceFieldSpec", "Group", "Ignore", "Joint", "Param", "PowerRepulsion", "Seek", "SpringDashpot",
    "SpringGraphSpec", "TextureGrid", "VoxelBodySpec", "WaterSpec", "WorldSpec", "choice", "keyable_params",
    "names_of", "param", "params_of", "uses_mesh", "weighted_params",
]
