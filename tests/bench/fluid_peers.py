"""A dam break of particles with bodies in its way, and one against Blender's fluid particles."""

from __future__ import annotations

import time
from collections.abc import Callable

import bpy
import numpy as np
from flotsam.engine import SpringGraphSpec, VoxelBodySpec, prepare, step_frame

from .fluid import TANK, dam
from .heap import SIDE, box
from .measure import Ledger
from .options import Options
from .torus import torus

# Particles along each side of the dams with bodies, the last of which has a requirement, and of the one against
# Blender; first and last timed frame.
WITH_BODIES, AGAINST_BLENDER = (36, 46), 27
FIRST, LAST = 3, 9
# Repeats against Blender.
ROUNDS = 3
ASKED_BODIES, ASKED_BLENDER = 1.25, 3.0
CRATE = 0.2


def run(ledger: Ledger, options: Options) -> None:
    """Each pair takes turns, both in processor time or both in seconds, as the machine may be busy."""
    first, last = (1, 3) if options.quick else (FIRST, LAST)
    prepare(options.tell, kernels=("XPBD", "FLUIDS", "RIGID"))
    for side in (8, 10) if options.quick else WITH_BODIES:
        ratio = _with_bodies(ledger, options, side, first, last)
    ledger.require("A ring and four crates in a dam break of 100k particles, over the dam alone", ASKED_BODIES, ratio,
                   at_least=False, why="triangles near particles, and what the ring and the crates take themselves")
    _blender(ledger, options, 8 if options.quick else AGAINST_BLENDER, first, last)


def _with_bodies(ledger: Ledger, options: Options, side: int, first: int, last: int) -> float:
    """Ratio of a frame's time with bodies to that of the fluid alone."""
    options.tell(f"a dam of {side**3} particles with a ring and crates")
    alone, together = dam(side, 1), dam(side, 1, bodies())
    seconds: tuple[list[float], list[float]] = ([], [])
    for number in range(1, last + 1):
        for world, own in zip((alone, together), seconds, strict=True):
            started = time.process_time()
            step_frame(world)
            if number >= first:
                own.append(1e3 * (time.process_time() - started))
    name, key = f"{side**3 / 1000:.0f}k", f"fluid_{side}"
    ledger.add(f"{key}_alone", f"Dam break of {name} particles, a frame on one thread", "ms", seconds[0])
    ledger.add(f"{key}_bodies", "… with a swim ring and four crates in its way", "ms", seconds[1])
    return ledger.ratio(f"{key}_ratio", f"{key}_bodies", f"{key}_alone")


def bodies() -> tuple[SpringGraphSpec | VoxelBodySpec, ...]:
    """A swim ring of half a kilogram, and four wooden crates behind it, on the floor of the tank."""
    ring = torus(48, 24)
    place = 0.25 * ring.vertices + [1.35, 0.5, 0.09]
    vertices, triangles = box(3)
    vertices = (vertices / SIDE + 0.5) * CRATE
    crates = (
        VoxelBodySpec(f"crate {k}", vertices + [1.75 + 0.25 * (k % 2), 0.25 + 0.3 * (k // 2), 0.001], triangles,
                      voxel_size=0.05, density=300.0)
        for k in range(4)
    )
    return SpringGraphSpec("ring", place, ring.triangles, ring.edges, mass=0.5, pressure=2000.0), *crates


def _blender(ledger: Ledger, options: Options, side: int, first: int, last: int) -> None:
    """The same dam with Blender's fluid particles, which do not keep their volume.

    Each plays all its frames alone, as an artist would, and the two take turns: if they took turns frame by frame, each
    would find the other's data in the processor caches.
    """
    options.tell(f"a dam of {side**3} particles, Blender's own fluid")
    before = bpy.context.window.scene if bpy.context.window else None
    scene = bpy.data.scenes.new("Benchmark")
    if before is not None:
        bpy.context.window.scene = scene
    scene.frame_start, scene.frame_end = 1, last + 1
    edge = 0.25 / side
    water = _box(scene, "water", (edge, edge, edge), (1.0 - edge, 1.0 - edge, 1.0 - edge), is_open=False)
    tank = _box(scene, "tank", (0.0, 0.0, 0.0), (TANK, 1.0, TANK), is_open=True)
    tank.modifiers.new("Collision", "COLLISION")
    water.modifiers.new("Particles", "PARTICLE_SYSTEM")
    settings = water.particle_systems[0].settings
    settings.count, settings.frame_start, settings.frame_end, settings.lifetime = side**3, 1.0, 1.0, 1e4
    settings.emit_from, settings.distribution, settings.normal_factor = "VOLUME", "JIT", 0.0
    settings.physics_type, settings.particle_size = "FLUID", 0.5 / side

    def show(number: int) -> None:
        scene.frame_set(number + 1)
        water.evaluated_get(bpy.context.evaluated_depsgraph_get())

    ours, theirs = [], []
    for repeat in range(1 if options.quick else ROUNDS):
        world = dam(side, 0)
        ours += _seconds(lambda number, world=world: step_frame(world), first, last)
        # A changed setting invalidates Blender's cache.
        settings.lifetime = 1e4 + repeat
        scene.frame_set(1)
        theirs += _seconds(show, first, last)
    if before is not None:
        bpy.context.window.scene = before
    for made in (water, tank):
        bpy.data.meshes.remove(made.data)
    bpy.data.scenes.remove(scene)
    name = f"{side**3 / 1000:.0f}k"
    ledger.add("fluid_blender", f"Dam break of {name} particles, Blender's own fluid, a frame", "ms", theirs)
    ledger.add("fluid_ours", f"Dam break of {name} particles, a frame", "ms", ours)
    ledger.require(f"Against Blender's own fluid particles at {name}", ASKED_BLENDER,
                   ledger.ratio("fluid_blender_ratio", "fluid_blender", "fluid_ours"), why="ten substeps for one")


def _seconds(play: Callable[[int], object], first: int, last: int) -> list[float]:
    """Milliseconds of the frames `first` to `last`; frames before are played too."""
    own = []
    for number in range(1, last + 1):
        started = time.perf_counter()
        play(number)
        if number >= first:
            own.append(1e3 * (time.perf_counter() - started))
    return own


def _box(
    scene: bpy.types.Scene, name: str, low: tuple[float, ...], high: tuple[float, ...], is_open: bool
) -> bpy.types.Object:
    """A box, or an open tank, in a scene."""
    ends = (low, high)
    corners = np.array([[ends[x][0], ends[y][1], ends[z][2]] for z in (0, 1) for y in (0, 1) for x in (0, 1)])
    faces = [(0, 2, 3, 1), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners.tolist(), [], faces if is_open else [*faces, (4, 5, 7, 6)])
    obj = bpy.data.objects.new(name, mesh)
    scene.collection.objects.link(obj)
    return obj
