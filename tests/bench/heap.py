"""Boxes that fall into a pile in a bin, in Flotsam and as Blender's rigid bodies (Bullet), frames in turn.

Both have the same boxes, poses, mass, friction, restitution and ten substeps a frame; Bullet's solver has ten
iterations. Bullet gets box shapes, its fastest, and its frames go through `scene.frame_set`, as in playback. Each of
our boxes has the edges of its faces divided in three, which gives 56 particles, or has its eight corners only.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flotsam.engine import ColliderSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World

from .heap_in_blender import in_blender, poses
from .measure import Ledger
from .options import Options

# Side of a box [m], initial distance of centres at which randomly oriented boxes do not touch [m], number of layers.
SIDE, SPACING, LAYERS = 1.0, 1.8, 6
FRICTION, DENSITY = 0.5, 500.0
FEW, SOME, MANY = 200, 500, 2000
CUTS, LEAST_PARTICLES = 3, 56
# First and last timed frame, while boxes fall and pile up; frame at which piles are compared at rest.
FIRST, LAST, AT_REST = 20, 40, 120
ASKED_FASTER, ASKED_GROWTH, ASKED_BYTES = {SOME: 1.3, MANY: 2.0}, 1.25, 200.0
# Two piles are alike if no corner is deeper below the ground than this [m], and mean heights agree to this fraction.
MAX_DEPTH, HEIGHT_TOLERANCE = 0.05, 0.15


@dataclass(frozen=True)
class Heap:
    """Initial poses of boxes (n, 4, 4), and half the width of the bin [m]."""

    poses: np.ndarray
    half: float


@dataclass(frozen=True)
class HeapHeights:
    """Heights of a pile to compare: lowest corner, mean and greatest height of centres [m]."""

    lowest: float
    mean: float
    highest: float

    def is_like(self, other: HeapHeights) -> bool:
        """Whether no box sank or flew off, and both piles are equally high."""
        return (
            min(self.lowest, other.lowest) > -MAX_DEPTH and abs(self.mean / other.mean - 1.0) < HEIGHT_TOLERANCE
            and max(self.highest, other.highest) < SPACING * LAYERS
        )


def run(ledger: Ledger, options: Options) -> None:
    """Piles of three sizes against Bullet, the time per body, and the memory per particle."""
    few, some, many = (20, 40, 60) if options.quick else (FEW, SOME, MANY)
    first, last = (4, 10) if options.quick else (FIRST, LAST)
    options.tell(f"heaps of {few} boxes until they lie")
    until = 24 if options.quick else AT_REST
    ours, theirs = heaps_at_rest(few, until)
    alike = ours.is_like(theirs)
    ledger.notes.append(
        f"Heaps of {few} boxes after {until} frames, here and in Bullet: deepest corner "
        f"{1e3 * ours.lowest:.1f} and {1e3 * theirs.lowest:.1f} mm, mean height of centres {ours.mean:.3f} and "
        f"{theirs.mean:.3f} m, the highest {ours.highest:.2f} and {theirs.highest:.2f} m."
    )
    for count in (few, some, many):
        options.tell(f"a heap of {count} boxes")
        _frames(ledger, count, first, last)
    for count in (some, many):
        faster = ledger.ratio(f"heap_{count}", f"heap_{count}_bullet", f"heap_{count}_flotsam")
        ledger.require(
            f"A heap of {count} boxes of {LEAST_PARTICLES} particles, against Bullet", ASKED_FASTER.get(count, 1.0),
            faster, counts=alike,
            why="a quarter of a frame is impulses, a sixth the search for points, the rest many short kernels"
            if alike else "the heaps do not end alike",
        )
        ledger.ratio(f"heap_{count}_corners", f"heap_{count}_bullet", f"heap_{count}_corners")
    growth = ledger.ratio("heap_growth", f"heap_{many}_flotsam", f"heap_{few}_flotsam") * few / many
    theirs_too = ledger.ratio("heap_growth_bullet", f"heap_{many}_bullet", f"heap_{few}_bullet") * few / many
    ledger.require(f"Cost of a box in a heap of {many} over one of {few}", ASKED_GROWTH, growth, at_least=False,
                   why=f"Bullet's grows {theirs_too:.2f} times")
    _memory(ledger, options, many, first)


def _frames(ledger: Ledger, count: int, first: int, last: int) -> None:
    """Time frames of a pile of `count` boxes, each variant in turn."""
    start = drop(count)
    worlds = {"flotsam": build(start, CUTS), "corners": build(start, 1)}
    particles = _surface_particles(worlds["flotsam"]) // count
    assert particles >= LEAST_PARTICLES
    seconds: dict[str, list[float]] = {"flotsam": [], "corners": [], "bullet": [], "replay": []}
    with in_blender(start.poses, SIDE, start.half, FRICTION, DENSITY, last) as (_objects, go_to):
        go_to(1)
        for frame in range(2, last + 1):
            works: dict[str, Callable[[], object]] = {
                name: lambda world=world: step_frame(world) for name, world in worlds.items()
            }
            works["bullet"] = lambda frame=frame: go_to(frame)
            for name, work in works.items():
                elapsed = _seconds(work)
                if frame > first:
                    seconds[name].append(elapsed)
        # Time of a frame that Blender plays from its cache.
        seconds["replay"] = [_seconds(lambda frame=frame: go_to(frame)) for frame in range(first + 1, last + 1)]
    kinds = {
        "flotsam": f"Flotsam, {particles} particles each", "corners": "Flotsam, eight corners each",
        "bullet": "Bullet in Blender", "replay": "Bullet in Blender, played again from its cache",
    }
    for name, label in kinds.items():
        ledger.add(f"heap_{count}_{name}", f"{label}, a heap of {count} boxes, a frame", "ms",
                   [s * 1e3 for s in seconds[name]])


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _surface_particles(world: World) -> int:
    """Number of particles on the surfaces of all bodies."""
    return int((world.rigid.mesh_stop - world.rigid.mesh_start).sum())


def _memory(ledger: Ledger, options: Options, count: int, frames: int) -> None:
    """Memory of the world per particle while boxes pile up [B]."""
    options.tell("memory of a heap")
    start = drop(count)
    step_frame(build(start, CUTS))
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    world = build(start, CUTS)
    bytes_built = tracemalloc.get_traced_memory()[0] - before
    for _ in range(frames):
        step_frame(world)
    gc.collect()
    bytes_stepped = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    particles = _surface_particles(world)
    ledger.add("heap_memory", f"Memory a particle of {count} boxes in a heap", "bytes", [bytes_stepped / particles])
    ledger.add("heap_memory_built", f"Memory a particle of {count} boxes before they touch", "bytes",
               [bytes_built / particles])
    ledger.require("Memory a particle of boxes in a heap", ASKED_BYTES, bytes_stepped / particles, at_least=False,
                   unit="bytes",
                   why=f"{bytes_built / particles:.0f} bytes before they touch; the rest are places for contacts")


def heaps_at_rest(count: int, frames: int) -> tuple[HeapHeights, HeapHeights]:
    """Heights of piles of `count` boxes after some frames, in Flotsam and in Bullet."""
    start = drop(count)
    world = build(start, 1)
    for _ in range(frames):
        frame = step_frame(world)
    ours = np.stack([frame.transforms[f"box {k}"] for k in range(count)])
    with in_blender(start.poses, SIDE, start.half, FRICTION, DENSITY, frames + 1) as (objects, go_to):
        for number in range(1, frames + 2):
            go_to(number)
        return heap_heights(ours), heap_heights(poses(objects))


def heap_heights(matrices: np.ndarray) -> HeapHeights:
    """Heights of a pile of boxes with these poses (n, 4, 4)."""
    vertices = box(1)[0]
    heights = matrices[:, 2, 3]
    corners = np.einsum("nj,vj->nv", matrices[:, 2, :3], vertices) + heights[:, None]
    return HeapHeights(float(corners.min()), float(heights.mean()), float(heights.max()))


def drop(count: int) -> Heap:
    """Randomly rotated boxes in layers above a bin as wide as one layer."""
    rng = np.random.default_rng(2)
    side = max(2, int(np.ceil((count / LAYERS) ** 0.5)))
    matrices = np.zeros((count, 4, 4))
    for k, pose in enumerate(matrices):
        rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        row, column, layer = k % side, k // side % side, k // side**2
        pose[:3, :3] = rotation * np.linalg.det(rotation)
        pose[:, 3] = SPACING * (row - (side - 1) / 2), SPACING * (column - (side - 1) / 2), SIDE + SPACING * layer, 1.0
    return Heap(matrices, 0.5 * SPACING * side)


def build(start: Heap, cuts: int) -> World:
    """A Flotsam world of a bin and the boxes, each face in cuts × cuts squares."""
    vertices, triangles = box(cuts)
    boxes = [
        VoxelBodySpec(f"box {k}", vertices, triangles, pose=pose, voxel_size=0.25 * SIDE, density=DENSITY,
                      friction=FRICTION)
        for k, pose in enumerate(start.poses)
    ]
    return build_world(WorldSpec((*boxes, *_bin(start.half)), substeps=10))


def _bin(half: float) -> list[ColliderSpec]:
    """A floor and four walls, planes of two triangles each."""
    wide, high = half + 2.0, SPACING * (LAYERS + 2)
    floor = np.array([[-wide, -wide, 0.0], [wide, -wide, 0.0], [wide, wide, 0.0], [-wide, wide, 0.0]])
    sheets = [floor]
    for axis in range(2):
        for place in (-half, half):
            wall = np.array([[-wide, -wide, -1.0], [wide, wide, -1.0], [wide, wide, high], [-wide, -wide, high]])
            wall[:, axis] = place
            sheets.append(wall)
    return [
        ColliderSpec(f"side {k}", sheet, np.array([[0, 1, 2], [0, 2, 3]]), friction=FRICTION)
        for k, sheet in enumerate(sheets)
    ]


def box(cuts: int) -> tuple[np.ndarray, np.ndarray]:
    """A box centred on the origin, each face in cuts × cuts squares: vertices, outward triangles."""
    steps = np.arange(cuts + 1)
    lattice = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    lattice = lattice[((lattice == 0) | (lattice == cuts)).any(axis=1)]
    number = {tuple(point): k for k, point in enumerate(lattice.tolist())}
    triangles = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for place in (0, cuts):
            for a in range(cuts):
                for b in range(cuts):
                    corners = []
                    for more_a, more_b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        point = [0, 0, 0]
                        point[axis], point[u], point[v] = place, a + more_a, b + more_b
                        corners.append(number[tuple(point)])
                    if place == 0:
                        corners.reverse()
                    triangles += [corners[:3], [corners[0], corners[2], corners[3]]]
    return SIDE * (lattice / cuts - 0.5), np.array(triangles)
