"""What systems do. A new one is a spec in `spec/`, a behaviour here, and one line in SYSTEMS.

A behaviour serves all systems of its kind, so that one kernel launch does too. It has

    __init__(specs, builder, world_spec)        reserve particles, store rest shapes
    begin_frame(world, controls)                take what comes from outside
    apply(stage, world, h, done)                act in a stage, on its own particles only
    acts()                                      whether it may do anything in a stage of this frame
    moves_until()                               its last particle that may move in this frame, and one; 0 for none
    advance(world, gravity, first, count)       SYMPLECTIC: take its particles through substeps first : first + count
    swing(world)                                SYMPLECTIC: a bound of its fastest swing, or None
    solved()                                    XPBD: the worst mean error of a body and its inner steps, or None
    cut(steps)                                  XPBD: take so many inner steps from now on
    report(world, frame)                        add to the frame that leaves
    memory() / recall(memory)                   what a snapshot must keep beside the particles
The mouse's `Hand` is no kind that is asked for: every world has one, with the same methods.
"""

from __future__ import annotations

from .collider import Colliders
from .hand import Hand
from .spring_graph import SpringGraphs
from .voxel_body import VoxelBodies
from .water import Waters

SYSTEMS = {"SPRING_GRAPH": SpringGraphs, "VOXEL_BODY": VoxelBodies, "COLLIDER": Colliders, "WATER": Waters}

__all__ = ["SYSTEMS", "Colliders", "Hand", "SpringGraphs", "VoxelBodies", "Waters"]
