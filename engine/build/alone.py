"""Worlds whose soft bodies touch nothing, for the kernels with which Live begins; see `small_worlds`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..interactions.contact.system import Contacts
from ..mesh.graph.order.runs import find_runs
from ..mesh.voxel.within import are_within
from ..solver.rigid.columns import BodyColumns
from ..spec import Contact, SpringGraphSpec, VoxelBodySpec, WaterSpec, WorldSpec
from ..step.advance import step
from ..systems.fluid.flow.implicit import advance_solution, apply_operator
from ..systems.fluid.met.bodies import MetColumns
from ..systems.fluid.met.paths import apply_to_soft, begin_rigid, begin_soft
from ..systems.fluid.rows import add_fraction
from ..world.controls import Controls
from ..world.world import World
from .build import build
from .small_shapes import LID, floor, open_box


class Alone(NamedTuple):
    """Worlds that a set of kernels is for: with soft bodies, rigid bodies, water, rigid bodies in contact.

    With `has_contact`, rigid bodies lie on a floor or on each other. With `has_open`, they may be open or voxelized by
    their surface.
    """

    has_soft: bool = False
    has_rigid: bool = False
    has_water: bool = False
    has_contact: bool = False
    has_open: bool = False


ALONE = {
    "SOFT_ALONE": Alone(has_soft=True), "SOFT_IN_WATER": Alone(has_soft=True, has_water=True),
    "RIGID_ALONE": Alone(has_rigid=True, has_contact=True),
    "RIGID_IN_WATER": Alone(has_rigid=True, has_water=True, has_contact=True),
    "APART_ALONE": Alone(has_soft=True, has_rigid=True),
    "APART_IN_WATER": Alone(has_soft=True, has_rigid=True, has_water=True),
    "BOTH_ALONE": Alone(has_soft=True, has_rigid=True, has_contact=True),
    "BOTH_IN_WATER": Alone(has_soft=True, has_rigid=True, has_water=True, has_contact=True),
}
ALONE |= {f"{name}_OPEN": own._replace(has_open=True) for name, own in ALONE.items() if own.has_rigid}


def run_world_alone(has_soft: bool, has_rigid: bool, has_water: bool, has_contact: bool, has_open: bool) -> None:
    """Run a world of soft bodies far from each other, of crates, or of both. Args: see `Alone`.

    Crates are stacked unless there are soft bodies too: then rigid bodies collide with the floor by their surfaces and
    with each other as hulls, and compiling both takes too long before a world begins.
    """
    rigid = _rigid_bodies_alone(has_open)
    systems = [
        *(soft_bodies_alone() if has_soft else ()), *((rigid[1:] if has_soft else rigid) if has_rigid else ()),
    ]
    outside = [floor(0.0 if has_contact else -50.0), *([WaterSpec("water", 25.0)] if has_water else ())]
    world = build(WorldSpec(systems=(*systems, *outside), interactions=(Contact(),), substeps=2))
    for _ in range(3):
        step(world, Controls())
    if has_soft:
        call_rare_kernels_of_springs(world)


def call_rare_kernels_of_springs(world: World) -> None:
    """Call the kernels that a step of a few springs without contact may leave out."""
    graphs, search = world.systems[0], next(one for one in world.interactions if isinstance(one, Contacts)).search
    # Called only for bodies that had no other body nearby.
    search.are_all_apart(1)
    # Called at the start of a frame only while the previous search is still valid.
    search.follows_prediction(world.state.x, world.h)
    graphs.rows.injected_energy[:] = 1.0
    # Called only for meshes of at least a thousand vertices.
    none = np.zeros(2, dtype=np.int64)
    find_runs(np.array([[0, 1]], dtype=np.int32), none[:1], none, none == 0)
    graphs.solve.give(world, world.h, False)


def call_rare_kernels_of_fluids(world: World) -> None:
    """Call the kernels that the step of a fluid leaves out: for bodies that move rigidly, viscous and fast fluids."""
    state, model, integer = world.state, world.model, np.int64
    one, three, four, six = (1,), (1, 3), (1, 4), (1, 6)
    shapes = (one, three, three, three, one, one, (1, 3, 3), one, one, six, three, six, six, six, one)
    met = MetColumns(np.zeros(three, integer), np.zeros(one, integer), *(np.zeros(size) for size in shapes))
    shapes = (one, three, three, four, three, three, three, four, three, three, three, three, one)
    begin_rigid(BodyColumns(*(np.zeros(size)[:0] for size in shapes)), model.gravity, met)
    begin_soft(0, 0, 1, model.mass, state.x_prev, state.v, model.gravity, met)
    apply_to_soft(0, 0, 1, world.h, (model.mass, model.inv_mass, met), state.x_prev, state.x, state.v)
    columns, rows = np.zeros((3, 0), np.float32), np.zeros((0, 4), np.float32)
    apply_operator(0, columns[0], rows, columns)
    advance_solution(0, np.float32(1.0), rows, columns, rows, columns, columns)
    add_fraction(state.v[:0], 1.0, state.v[:0])
    bag, sides = open_box()
    are_within(bag, np.array([*sides, *LID], dtype=np.int32), bag.mean(axis=0, keepdims=True))


def soft_bodies_alone() -> tuple[SpringGraphSpec, ...]:
    """A bag of air and a rag with a pinned corner, one far above the other."""
    bag, sides = open_box()
    return (
        SpringGraphSpec("bag", bag + [0.0, 0.0, 20.0], sides, rings=2, pressure=100.0, damping=10.0, stiffness=1e5),
        SpringGraphSpec("rag", bag[:4] + [0.0, 0.0, 80.0], sides[:2], bending=0.1, pins=[0]),
    )


def _rigid_bodies_alone(has_open: bool) -> tuple[VoxelBodySpec, ...]:
    """A crate on another one; with `has_open`, far above them, a box voxelized by its surface, and an open one."""
    bag, sides = open_box()
    coarse = {"voxel_size": 0.5, "restitution": 0.5}
    crates = (
        VoxelBodySpec("upper", bag + [0.3, 0.0, 0.99], [*sides, *LID], **coarse),
        VoxelBodySpec("crate", bag, [*sides, *LID], **coarse),
    )
    if not has_open:
        return crates
    return (
        *crates, VoxelBodySpec("hung", bag + [1.5, 0.0, 50.0], [*sides, *LID], fill="SURFACE", **coarse),
        VoxelBodySpec("open", bag + [9.0, 0.0, 50.0], sides, **coarse),
    )
