"""Worlds of a few triangles that call every kernel; the kernels they call are those that are compiled ahead.

Kernels of rigid bodies and voxels would double the first compile, so they form a set of their own, for worlds that have
rigid bodies. Kernels of force fields and air, and those of fluids, are separate sets too. The sets of `alone.ALONE` are
parts of XPBD and RIGID: kernels that a world needs until its soft bodies touch something.
"""

from __future__ import annotations

import numpy as np

from ..fields.water.waves import Waves, mesh_shape
from ..interactions.immersion import Immersion
from ..solver.collide.broad_phase.near_pairs import CHANGED
from ..solver.neighbors.blocks import BlockLists, drop_one_sided
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
from ..world.stream import Stream
from .alone import (
    ALONE,
    call_rare_kernels_of_fluids,
    call_rare_kernels_of_springs,
    run_world_alone,
    soft_bodies_alone,
)
from .build import build
from .small_shapes import LID, floor, open_box


def run_small_worlds(kernels: str) -> None:
    """Call every kernel of a set with the types of real worlds: XPBD, SYMPLECTIC, RIGID, FIELDS and so on."""
    if kernels in ALONE:
        run_world_alone(*ALONE[kernels])
        return
    if kernels == "FLOCKS":
        world = build(_small_world_of_flocks())
        step(world, Controls())
        # As if its walls had moved.
        world.state.x += 0.01
        step(world, Controls())
        # Called only in worlds with particle fluids.
        still = Stream(
            np.zeros(1, np.int64), np.zeros((1, 3)), np.zeros(3), np.zeros((1, 3)), np.zeros(1, np.uint16), np.ones(1),
        )
        next(one for one in world.interactions if isinstance(one, Immersion)).carry(world, still, world.h)
        return
    if kernels == "FLUIDS":
        thick, world = (build(spec) for spec in _small_worlds_of_fluids())
        step(thick, Controls())
        step(world, Controls())
        call_rare_kernels_of_fluids(world)
        # Called only where particles are crowded.
        drop_one_sided(0, 0, BlockLists(1).columns)
        return
    if kernels == "WAVES":
        corners, sides = open_box()
        sea = WaterSpec("sea", surface="MESH", vertices=corners, triangles=sides)
        Waves(mesh_shape(sea), 24.0).over(corners)
        return
    if kernels == "STRUTS":
        bag, sides = open_box()
        build(WorldSpec(systems=(SpringGraphSpec("bag", bag, sides, struts=1),)))
        return
    if kernels == "LATTICES":
        world = build(_small_world_of_lattices())
        step(world, Controls())
        call_rare_kernels_of_springs(world)
        return
    if kernels == "BREAKING":
        step(build(_small_world_that_breaks()), Controls())
        return
    if kernels == "SPHERES":
        step(build(_small_world_of_spheres()), Controls())
        return
    if kernels == "FIELDS":
        step(build(_small_world_of_fields()), Controls())
        return
    if kernels == "RIGID":
        crates, world = (build(spec) for spec in _small_worlds_of_rigid_bodies())
        # As if one of them was round.
        world.interactions[-1].rigid.has_round = True
        step(crates, Controls())
        step(world, Controls())
        # A step calls these only when a pair is still penetrating at its end.
        world.interactions[-1].late.project_crossings(world, 0, world.h)
        world.interactions[-1].late.shorten(world, 0, 0, 0.5, True, world.h)
        # As if some particles had left their predicted paths.
        world.interactions[-1].search.search(np.arange(1), world.state.x, CHANGED)
        return
    if kernels == "SYMPLECTIC":
        for spec in _small_worlds_of_forces():
            step(build(spec), Controls())
        return
    world = build(_small_world())
    # As if the bag was closed.
    world.interactions[0].is_soft_solid[:] = True
    step(world, Controls(values={"bag": {"pressure": 120.0}}))
    world.restore(world.snapshot())
    # A step calls these only for particles that move far within a substep, and where something still crosses.
    world.interactions[0].late.shorten(world, 0, 0, 0.5, True, world.h)
    world.interactions[0].late.overlaps.look(np.zeros((1, 4), dtype=np.int64), world.state.x)
    world.state.was_clamped[:] = True
    graphs = world.systems[0]
    graphs.pre_stabilization.act(world, world.h)
    graphs.pre_stabilization.injected_energy.is_much(world.state.x)
    graphs.pre_stabilization.injected_energy.measure(world.state.x)
    call_rare_kernels_of_springs(world)
    # Called only for bodies at rest on something.
    graphs.rest.note(world)
    _still, _gained, is_borne = graphs.rest.memory()
    is_borne[:] = True
    graphs.rest.act(world, world.h)
    graphs.rest.stop(world.state.v)
    contacts = world.interactions[0]
    # As if some particles had left their predicted paths.
    contacts.search.search(np.arange(1), world.state.x, CHANGED)
    # As if edges were near, which vector code finds.
    contacts.search.edge_pair = np.zeros((1, 2), dtype=np.int64)
    contacts.allot(world)
    contacts.find(world, contacts.recheck.ask(contacts.search, world.state.x, False, False))


def _small_world_of_fields() -> WorldSpec:
    """A rag and a crate in air and force fields, one absorbed by a wall; with the integrator of the fewest kernels."""
    bag, sides = open_box()
    here = np.eye(4)
    return WorldSpec(
        systems=(
            SpringGraphSpec("rag", bag[:4] + [0.0, 0.0, 2.0], sides[:2], stiffness=1.0),
            VoxelBodySpec("crate", bag, [*sides, *LID], voxel_size=0.5),
            ColliderSpec("wall", bag + [3.0, 0.0, 0.0], sides, absorption=0.5),
            ForceFieldSpec("push", here, type="FORCE", strength=1.0, use_absorption=True),
            ForceFieldSpec("wind", here, type="WIND", strength=1.0, wind_factor=1.0),
            AirSpec("air", wind=(1.0, 0.0, 0.0)),
        ),
        integrator="SYMPLECTIC", substeps=2,
    )


def _small_world() -> WorldSpec:
    """An open bag of air with stiff damped springs on a floor, and a rag above."""
    bag, sides = open_box()
    return WorldSpec(
        systems=(
            SpringGraphSpec(
                "bag", bag, sides, rings=2, pressure=100.0, damping=10.0, stiffness=1e5, restitution=0.5
            ),
            SpringGraphSpec(
                "rag", bag[:4] + [0.0, 0.0, 2.0], sides[:2], stiffness=1.0, bending=0.1, self_collision=True,
            ),
            floor(),
        ),
        interactions=(Contact(), SpringDashpot("rag")),
        substeps=2,
    )


def _small_worlds_of_forces() -> tuple[WorldSpec, ...]:
    """A damped bag of air, two segmented bags that repel each other and a ball with proxies, in water; and a rope."""
    bag, sides = open_box()
    segment_air = {"pressure_law": "SEGMENT", "segments": np.arange(8) // 4, "pressure": 1.0, "stiffness": 1.0}
    soft = {"integrator": "SYMPLECTIC", "substeps": 2}
    return (
        WorldSpec(
            systems=(
                SpringGraphSpec("bag", bag, sides, pressure=100.0, damping=1.0, stiffness=1.0, mass=1e5),
                SpringGraphSpec("left", bag - [0.6, 0.0, 0.0], sides, **segment_air),
                SpringGraphSpec("right", bag + [0.6, 0.0, 0.0], sides, **segment_air),
                SpringGraphSpec("ball", bag + [0.0, 0.0, 1.05], [*sides, *LID], contact="PROXIES", stiffness=1.0),
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
    bag, sides = open_box()
    crate = [*sides, *LID]
    ground = floor()
    coarse = {"voxel_size": 0.5, "restitution": 0.5}
    crates = (
        VoxelBodySpec("crate", bag, crate, **coarse), VoxelBodySpec("upper", bag + [0.3, 0.0, 0.99], crate, **coarse),
    )
    hung = VoxelBodySpec("hung", bag + [1.5, 0.0, 0.0], crate, fill="SURFACE", **coarse)
    without_lid = VoxelBodySpec("open", bag + [3.0, 0.0, 0.0], sides, **coarse)
    rag = SpringGraphSpec("rag", bag[:4] + [0.3, 0.0, 2.0], sides[:2], stiffness=1.0)
    return (
        WorldSpec(systems=(*crates, ground), interactions=(Contact(),), substeps=2),
        WorldSpec(
            systems=(*crates, hung, without_lid, rag, ground, WaterSpec("water", 0.5)), interactions=(Contact(),),
            attachments=(Attachment("rag", "upper", [0], [4]), Attachment("hung", "open", [1], [0])),
            joints=(Joint("hung", "", (1.5, 0.0, 0.0), kind="HINGE"),), substeps=2,
        ),
    )


def _small_world_of_lattices() -> WorldSpec:
    """Two cells of jelly and one of springs, far from soft bodies without cells."""
    bag, sides = open_box()
    return WorldSpec(
        systems=(
            *soft_bodies_alone(), floor(-50.0),
            SpringGraphSpec("jelly", bag * [2.0, 1.0, 1.0], [*sides, *LID], graph="LATTICE", voxel_size=1.0),
            SpringGraphSpec(
                "sponge", bag[:4] + [0.0, 0.0, 2.0], sides[:2], graph="LATTICE", material="SPRINGS", voxel_size=1.0,
            ),
        ),
        interactions=(Contact(),), substeps=2,
    )


def _small_world_that_breaks() -> WorldSpec:
    """A rag that yields and tears."""
    bag, sides = open_box()
    rag = SpringGraphSpec("rag", bag[:4], sides[:2], stiffness=1.0, bending=0.1, yield_strain=0.5, tear=True)
    return WorldSpec(systems=(rag,), substeps=2)


def _small_world_of_spheres() -> WorldSpec:
    """A rag that collides with itself by spheres, and a ball with proxy spheres on a floor."""
    bag, sides = open_box()
    rag = SpringGraphSpec("rag", bag[:4] + [0.0, 0.0, 3.0], sides[:2], self_collision=True, self_contact="SPHERES")
    ball = SpringGraphSpec("ball", bag, [*sides, *LID], contact="PROXIES", proxy_count=2, restitution=0.5)
    return WorldSpec(systems=(rag, ball, floor()), interactions=(Contact(),), substeps=2)


def _small_worlds_of_fluids() -> tuple[WorldSpec, ...]:
    """Viscous honey with vorticity; then a heavy drop and a light inflow that hit a triangle that moves freely."""
    vertices = np.array([[x, y, z] for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)])
    faces = np.array([
        [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6],
        [1, 3, 5], [3, 7, 5],
    ])
    drop = FluidSpec("drop", vertices, faces, spacing=0.25, surface_tension=1.0, adhesion=0.5, foam=True)
    stream = FluidSpec(
        "stream", vertices + [0.0, 0.0, 0.75], faces, spacing=0.25, density=800.0, emission="INFLOW", limit=100,
    )
    corners = np.array([[0.0, 0.0, -0.1], [1.0, 0.0, -0.1], [0.0, 1.0, -0.1]])
    sheet = SpringGraphSpec("sheet", corners, np.array([[0, 1, 2]]))
    honey = FluidSpec("honey", vertices, faces, spacing=0.5, viscosity=1e5, vorticity=1.0)
    return WorldSpec(systems=(honey,)), WorldSpec(systems=(drop, stream, sheet))


def _small_world_of_flocks() -> WorldSpec:
    """Birds close to an open box and a predator, and a duckling on a string in water."""
    box, sides = open_box()
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
            birds, duckling, ColliderSpec("box", box, [*sides, *LID]), WaterSpec("water", 0.5, flow=(0.1, 0.0, 0.0)),
            ColliderSpec("tip", tip, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
        ),
        interactions=(Flee("birds", "duckling"),),
        attachments=(Attachment("birds", "duckling", [0], [0]),), substeps=2,
    )
