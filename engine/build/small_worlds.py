"""Worlds of a few triangles that call every kernel; the kernels they call are those that are compiled ahead.

Kernels of rigid bodies and voxels would double the first compile, so they form a set of their own, for worlds that have
rigid bodies. Kernels of force fields and air, and those of fluids, are separate sets too. The sets of `_ALONE` are parts
of XPBD and RIGID: what a world needs until its soft bodies touch something.
"""

from __future__ import annotations

import numpy as np

from ..interactions.contact.system import Contacts
from ..interactions.immersion import Immersion
from ..mesh.graph.order.runs import find_runs
from ..solver.neighbors import BlockLists, Grid
from ..spec import (
    AirSpec,
    Attachment,
    ColliderSpec,
    Contact,
    Flee,
    FlockSpec,
    FluidSpec,
    ForceFieldSpec,
    Joint,
    PowerRepulsion,
    SpringDashpot,
    SpringGraphSpec,
    VoxelBodySpec,
    WaterSpec,
    WorldSpec,
)
from ..step.advance import step
from ..world.controls import Controls
from ..world.world import World
from .build import build


def run_small_worlds(kernels: str) -> None:
    """Call every kernel of a set with the types of real worlds: XPBD, SYMPLECTIC, RIGID, FIELDS and so on."""
    if kernels in _ALONE:
        _run_world_alone(*_ALONE[kernels])
        return
    if kernels == "FLOCKS":
        world = build(_small_world_of_flocks())
        step(world, Controls())
        # Called only in worlds with particle fluids.
        next(one for one in world.interactions if isinstance(one, Immersion)).carry(world, np.arange(1), world.h)
        return
    if kernels == "FLUIDS":
        step(build(_small_world_of_fluids()), Controls())
        # Asked only where particles crowd.
        grid = Grid(1.0)
        grid.sort(np.zeros((3, 3), dtype=np.float32))
        BlockLists(1).find(grid, 1.0)
        return
    if kernels == "LATTICES":
        step(build(_small_world_of_lattices()), Controls())
        return
    if kernels == "FIELDS":
        step(build(_small_world_of_fields()), Controls())
        return
    if kernels == "RIGID":
        crates, world = (build(spec) for spec in _small_worlds_of_rigid_bodies())
        step(crates, Controls())
        step(world, Controls())
        # A step calls this only for bodies that are pressed through the ground.
        world.interactions[-1].rigid.find_around()
        # A step calls these only when a pair is still penetrating at its end.
        world.interactions[-1].late.hold_back(world, 0, world.h)
        world.interactions[-1].late.shorten(world, 0, 0, 0.5, world.h)
        return
    if kernels == "SYMPLECTIC":
        for spec in _small_worlds_of_forces():
            step(build(spec), Controls())
        return
    world = build(_small_world())
    step(world, Controls(values={"bag": {"pressure": 120.0}}))
    world.restore(world.snapshot())
    # A step calls these only for particles that move far within a substep, and for remaining penetration.
    world.interactions[0].late.shorten(world, 0, 0, 0.5, world.h)
    world.interactions[0].late.ask_again(world, 0, True)
    # Called only where the search before the solve still holds after it.
    world.interactions[0].recheck.astray(world.interactions[0].search, world.interactions[0].elements, world.state.x)
    world.state.was_clamped[:] = True
    graphs = world.systems[0]
    graphs.pre_stabilization.act(world, world.h)
    graphs.pre_stabilization.injected_energy.is_much(world.state.x)
    graphs.pre_stabilization.injected_energy.measure(world.state.x)
    _call_rare_kernels_of_springs(world)
    # Called only for bodies at rest on something.
    graphs.rest.note(world)
    _still, _gained, is_borne = graphs.rest.memory()
    is_borne[:] = True
    graphs.rest.act(world, world.h)
    graphs.rest.stop(world.state.v)


# By set: whether it is for soft bodies, for rigid bodies, and for water.
_ALONE = {
    "SOFT_ALONE": (True, False, False), "RIGID_ALONE": (False, True, False), "BOTH_ALONE": (True, True, False),
    "SOFT_IN_WATER": (True, False, True), "RIGID_IN_WATER": (False, True, True), "BOTH_IN_WATER": (True, True, True),
}


def _run_world_alone(has_soft: bool, has_rigid: bool, has_water: bool) -> None:
    """Run a world of soft bodies far from each other, of crates on a floor, or of both; some in water.

    Crates are stacked unless there are soft bodies too: then rigid bodies meet the floor by their surfaces, and each
    other as hulls, and both together take too long to begin with.
    """
    rigid = _rigid_bodies_alone()
    systems = [
        *(_soft_bodies_alone() if has_soft else ()), *((rigid[1:] if has_soft else rigid) if has_rigid else ()),
    ]
    outside = [_floor(0.0 if has_rigid else -50.0), *([WaterSpec("water", 25.0)] if has_water else ())]
    world = build(WorldSpec(systems=(*systems, *outside), interactions=(Contact(),), substeps=2))
    for _ in range(3):
        step(world, Controls())
    if has_soft:
        _call_rare_kernels_of_springs(world)


def _call_rare_kernels_of_springs(world: World) -> None:
    """Call what a step of a few springs without contact may leave out."""
    graphs, search = world.systems[0], next(one for one in world.interactions if isinstance(one, Contacts)).search
    graphs.holds.spend(world.holds, 1)
    # Called only for bodies that had no neighbour near.
    search.are_all_apart(1)
    # Called at the start of a frame only while the previous search is still valid.
    search.go_as_foreseen(world.state.x, world.h)
    graphs.rows.injected_energy[:] = 1.0
    # Called only for meshes of at least a thousand vertices.
    none = np.zeros(2, dtype=np.int64)
    find_runs(np.array([[0, 1]], dtype=np.int32), none[:1], none, none == 0)
    # Called for air only in hulls that move fast.
    graphs.gas.look_ahead(graphs.rows, float(graphs.springs.h))
    graphs.rows.give(world, world.h, graphs.springs.steps)


def _soft_bodies_alone() -> tuple[SpringGraphSpec, ...]:
    """A bag of air and a rag with a pinned corner, one far above the other."""
    bag, sides = _open_box()
    return (
        SpringGraphSpec("bag", bag + [0.0, 0.0, 20.0], sides, rings=2, pressure=100.0, damping=10.0, stiffness=1e5),
        SpringGraphSpec("rag", bag[:4] + [0.0, 0.0, 80.0], sides[:2], bending=0.1, pins=[0]),
    )


def _rigid_bodies_alone() -> tuple[VoxelBodySpec, ...]:
    """A crate on another one; far above them, a voxelized open box and surface."""
    bag, sides = _open_box()
    few = {"voxel_size": 0.5, "restitution": 0.5}
    return (
        VoxelBodySpec("upper", bag + [0.3, 0.0, 0.99], [*sides, *_LID], **few),
        VoxelBodySpec("crate", bag, [*sides, *_LID], **few),
        VoxelBodySpec("hung", bag + [1.5, 0.0, 50.0], [*sides, *_LID], fill="SURFACE", **few),
        VoxelBodySpec("open", bag + [9.0, 0.0, 50.0], sides, **few),
    )


def _floor(height: float = 0.0) -> ColliderSpec:
    """A square of 10 m."""
    corners = np.array([[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]], dtype=np.float64)
    return ColliderSpec("floor", corners + [0.0, 0.0, height], np.array([[0, 1, 2], [0, 2, 3]]))


def _small_world_of_fields() -> WorldSpec:
    """A rag and a crate in air and force fields, one absorbed by a wall; with the integrator of the fewest kernels."""
    bag, sides = _open_box()
    here = np.eye(4)
    return WorldSpec(
        systems=(
            SpringGraphSpec("rag", bag[:4] + [0.0, 0.0, 2.0], sides[:2], stiffness=1.0),
            VoxelBodySpec("crate", bag, [*sides, *_LID], voxel_size=0.5),
            ColliderSpec("wall", bag + [3.0, 0.0, 0.0], sides, absorption=0.5),
            ForceFieldSpec("push", here, type="FORCE", strength=1.0, use_absorption=True),
            ForceFieldSpec("wind", here, type="WIND", strength=1.0, wind_factor=1.0),
            AirSpec("air", wind=(1.0, 0.0, 0.0)),
        ),
        integrator="SYMPLECTIC", substeps=2,
    )


def _open_box() -> tuple[np.ndarray, np.ndarray]:
    """A cube of 1 m without its lid: vertices, triangles."""
    corners = np.array([
        [0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1],
    ], dtype=np.float64)
    return corners, np.array([
        [0, 2, 1], [0, 3, 2], [0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7],
    ])


_LID = ([4, 5, 6], [4, 6, 7])


def _small_world() -> WorldSpec:
    """An open bag of air with stiff damped struts, in water on a floor; a rag above, and a ball with proxy spheres."""
    bag, sides = _open_box()
    return WorldSpec(
        systems=(
            SpringGraphSpec(
                "bag", bag, sides, rings=2, struts=1, pressure=100.0, damping=10.0, stiffness=1e5, restitution=0.5
            ),
            SpringGraphSpec(
                "rag", bag[:4] + [0.0, 0.0, 2.0], sides[:2], stiffness=1.0, bending=0.1, yield_strain=0.5,
                self_collision=True,
            ),
            SpringGraphSpec("ball", bag + [0.0, 0.0, 1.05], [*sides, *_LID], contact="PROXIES", proxy_count=2),
            _floor(),
            WaterSpec("water", 0.5),
        ),
        interactions=(Contact(), SpringDashpot("rag")),
        substeps=2,
    )


def _small_worlds_of_forces() -> tuple[WorldSpec, ...]:
    """A damped bag of air, two segmented bags that repel each other and a ball with proxies, in water; and a rope."""
    bag, sides = _open_box()
    set_iterations = {"pressure_law": "SEGMENT", "segments": np.arange(8) // 4, "pressure": 1.0, "stiffness": 1.0}
    soft = {"integrator": "SYMPLECTIC", "substeps": 2}
    return (
        WorldSpec(
            systems=(
                SpringGraphSpec("bag", bag, sides, pressure=100.0, damping=1.0, stiffness=1.0, mass=1e5),
                SpringGraphSpec("left", bag - [0.6, 0.0, 0.0], sides, **set_iterations),
                SpringGraphSpec("right", bag + [0.6, 0.0, 0.0], sides, **set_iterations),
                SpringGraphSpec("ball", bag + [0.0, 0.0, 1.05], [*sides, *_LID], contact="PROXIES", stiffness=1.0),
                    WaterSpec("water", 0.5, law="LINEAR"),
            ),
            interactions=(PowerRepulsion("left", "right"),), **soft,
        ),
        WorldSpec(
            systems=(SpringGraphSpec("rope", bag[:3], edges=np.array([[0, 1], [1, 2]]), graph="EDGES"),), **soft,
        ),
    )


def _small_worlds_of_rigid_bodies() -> tuple[WorldSpec, ...]:
    """Crates stacked on a floor; then joined and tied crates in water, a rag on one, and a voxelized open box."""
    bag, sides = _open_box()
    crate = [*sides, *_LID]
    floor = _floor()
    few = {"voxel_size": 0.5, "restitution": 0.5}
    crates = (
        VoxelBodySpec("crate", bag, crate, **few), VoxelBodySpec("upper", bag + [0.3, 0.0, 0.99], crate, **few),
    )
    hung = VoxelBodySpec("hung", bag + [1.5, 0.0, 0.0], crate, fill="SURFACE", **few)
    without_lid = VoxelBodySpec("open", bag + [3.0, 0.0, 0.0], sides, **few)
    rag = SpringGraphSpec("rag", bag[:4] + [0.3, 0.0, 2.0], sides[:2], stiffness=1.0)
    return (
        WorldSpec(systems=(*crates, floor), interactions=(Contact(),), substeps=2),
        WorldSpec(
            systems=(*crates, hung, without_lid, rag, floor, WaterSpec("water", 0.5)), interactions=(Contact(),),
            attachments=(Attachment("rag", "upper", [0], [4]), Attachment("hung", "open", [1], [0])),
            joints=(Joint("hung", "", (1.5, 0.0, 0.0), kind="HINGE"),), substeps=2,
        ),
    )


def _small_world_of_lattices() -> WorldSpec:
    """Two cells of jelly and one of springs."""
    bag, sides = _open_box()
    return WorldSpec(
        systems=(
            SpringGraphSpec("jelly", bag * [2.0, 1.0, 1.0], [*sides, *_LID], graph="LATTICE", voxel_size=1.0),
            SpringGraphSpec(
                "sponge", bag[:4] + [0.0, 0.0, 2.0], sides[:2], graph="LATTICE", material="SPRINGS", voxel_size=1.0,
            ),
        ),
        substeps=2,
    )


def _small_world_of_fluids() -> WorldSpec:
    """A heavy drop and a light inflow meet a triangle that moves freely."""
    vertices = np.array([[x, y, z] for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)])
    faces = np.array([
        [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6],
        [1, 3, 5], [3, 7, 5],
    ])
    drop = FluidSpec("drop", vertices, faces, spacing=0.25, surface_tension=1.0, adhesion=0.5)
    stream = FluidSpec(
        "stream", vertices + [0.0, 0.0, 0.75], faces, spacing=0.25, density=800.0, emission="INFLOW", limit=100,
    )
    corners = np.array([[0.0, 0.0, -0.1], [1.0, 0.0, -0.1], [0.0, 1.0, -0.1]])
    sheet = SpringGraphSpec("sheet", corners, np.array([[0, 1, 2]]))
    return WorldSpec(systems=(drop, stream, sheet))


def _small_world_of_flocks() -> WorldSpec:
    """Birds about to meet an open box and a predator, and a duckling on a string in water."""
    box, sides = _open_box()
    # The last bird is in the bounding box of a collider, and not inside the collider.
    places = np.array([*([0.5, 0.5, 2.0 + 0.3 * k] for k in range(4)), [9.9, 9.9, 0.9]])
    tip = np.array([[9.0, 9.0, 0.0], [10.0, 9.0, 0.0], [9.0, 10.0, 0.0], [9.0, 9.0, 1.0]])
    birds = FlockSpec(
        "birds", places, goal_path=np.array([[0.0, 0.0, 0.5], [5.0, 0.0, 0.5]]), perches=box, arrival="LAND",
        predators=np.array([[0.0, 0.0, 3.0]]),
    )
    duckling = FlockSpec("duckling", np.array([[0.5, 1.5, 0.5]]), motion="WALK", arrival="LAND")
    return WorldSpec(
        systems=(
            birds, duckling, ColliderSpec("box", box, [*sides, *_LID]), WaterSpec("water", 0.5, flow=(0.1, 0.0, 0.0)),
            ColliderSpec("tip", tip, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
        ),
        interactions=(Flee("birds", "duckling"),),
        attachments=(Attachment("birds", "duckling", [0], [0]),), substeps=2,
    )
