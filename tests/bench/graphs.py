"""Solid lattices, springs that yield and break, and surfaces that tear."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from flotsam.engine import ColliderSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, prepare, step_frame
from flotsam.engine.compiler import kernels as jit
from flotsam.engine.solver.constraints.solid.cells import measure_cells
from flotsam.engine.solver.vector.cells import relax_cells
from flotsam.engine.world.world import World

from .heap import box
from .measure import Ledger, in_turn
from .options import Options

# Tetrahedra per cell; cells along the sides of a block, of a jelly, and of a large lattice.
TETRAHEDRA, BLOCK, JELLY, LARGE = 5, 32, 20, 40
PASSES = 10
# Frames of lattices: untimed ones while they fall, then timed ones while they lie on the floor.
FALL, COUNTED = 6, 18
# Vertices along the sides of a sheet with 100,000 springs, and of the curtain; number of balls shot at the curtain.
SHEET, CURTAIN, BALLS = 183, 200, 20
SHOT_FRAMES, FRAME_RATE = 36, 24.0
ASKED_RATE, GOAL_RATE = 25.0, 40.0
ASKED_JELLY, ASKED_LARGE, ASKED_BYTES = 24.0, 10.0, 500.0
ASKED_YIELDING, ASKED_TEARING = 1.15, 1.5


def run(ledger: Ledger, options: Options) -> None:
    """Rates, frames and memory of lattices; yielding springs; a curtain that tears against one that cannot."""
    prepare(options.tell, kernels=("XPBD", "LATTICES"))
    _rates(ledger, options)
    _lattices(ledger, options)
    _yielding(ledger, options)
    _tearing(ledger, options)


def cube(cells: int, **settings: object) -> SpringGraphSpec:
    """A jelly cube of 1 m with `cells` cells along each side, slightly above the floor."""
    vertices, triangles = box(cells)
    values = {"mass": 1000.0, "young": 2e4, "poisson": 0.45, "air_drag": 0.3} | settings
    return SpringGraphSpec(
        "jelly", vertices + [0.0, 0.0, 0.6], triangles, graph="LATTICE", voxel_size=1.0 / cells, **values,
    )


def floor() -> ColliderSpec:
    """A square of 40 m at height 0."""
    corners = np.array([[-20.0, -20, 0], [20, -20, 0], [20, 20, 0], [-20, 20, 0]])
    return ColliderSpec("floor", corners, np.array([[0, 1, 2], [0, 2, 3]]))


def _rates(ledger: Ledger, options: Options) -> None:
    """Tetrahedra per second in passes over a slightly perturbed block of cells, in the state of a substep."""
    cells = 8 if options.quick else BLOCK
    options.tell(f"a block of {cells}³ cells")
    world = build_world(WorldSpec(systems=(cube(cells),)))
    graphs = world.systems[0]
    graphs.rows.read_positions(world.state)
    graphs.rows.moved[:-1, :3] = np.random.default_rng(0).standard_normal((len(graphs.rows.ids), 3)) * 1e-5
    measure_cells(graphs.rows.at, graphs.cells.columns, 0)
    columns, _rides = graphs.cells.to_relax()

    def passes_on(threads: int) -> Callable[[], None]:
        def passes() -> None:
            with jit.threads(threads):
                for _ in range(PASSES):
                    relax_cells(graphs.rows.columns, columns, 0)

        return passes

    seconds = in_turn({f"tetrahedra_{count}": passes_on(count) for count in options.threads}, options.rounds)
    solved = TETRAHEDRA * cells**3 * PASSES
    for name, runs in seconds.items():
        ledger.add(name, f"Solid of {cells}³ cells, {name[-1]} thread(s)", "M tetrahedra/s",
                   [solved / s / 1e6 for s in runs])
    ledger.require(f"Tetrahedra of a solid a second, all threads (goal {GOAL_RATE:g} M/s)", ASKED_RATE,
                   ledger.figures[f"tetrahedra_{options.threads[-1]}"].median, unit="M/s",
                   why="a tetrahedron takes 270 operations, sixteen cells at a time", counts=not options.quick)


def _lattices(ledger: Ledger, options: Options) -> None:
    """Frames of cubes that have landed on the floor, and the peak memory of each."""
    few, many = (4, 6) if options.quick else (JELLY, LARGE)
    for cells in (few, many):
        options.tell(f"a jelly of {cells}³ cells")
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        world = build_world(WorldSpec(systems=(cube(cells), floor())))
        step_frame(world)
        peak = (tracemalloc.get_traced_memory()[1] - before) / 1e6
        tracemalloc.stop()
        seconds = seconds_of(world, FALL + (2 if options.quick else COUNTED))[FALL:]
        ledger.add(f"lattice_{cells}", f"Jelly of {cells}³ cells on a floor, {_steps(world)} inner steps a frame",
                   "frames/s", [1.0 / s for s in seconds])
        ledger.add(f"lattice_{cells}_memory", f"Jelly of {cells}³ cells, most memory to build and step", "MB", [peak])
    why = "see tetrahedra a second; each substep also looks for contacts, and measures cells and the mesh on them"
    ledger.require(f"Jelly of {JELLY}³ cells", ASKED_JELLY, ledger.figures[f"lattice_{few}"].median, unit="frames/s",
                   why=why, counts=not options.quick)
    ledger.require(f"Lattice of {LARGE}³ cells dropped on a plane (goal 20)", ASKED_LARGE,
                   ledger.figures[f"lattice_{many}"].median, unit="frames/s", why=why, counts=not options.quick)
    ledger.require(f"Memory of a lattice of {LARGE}³ cells", ASKED_BYTES,
                   ledger.figures[f"lattice_{many}_memory"].median, at_least=False, unit="MB",
                   why="lists of nodes for each vertex, and tables of pieces", counts=not options.quick)


def _steps(world: World) -> int:
    return world.substeps * int(world.systems[0].inner_steps.each.max())


def seconds_of(world: World, frames: int) -> list[float]:
    """Seconds of each of the next frames."""
    found = []
    for _ in range(frames):
        started = time.perf_counter()
        step_frame(world)
        found.append(time.perf_counter() - started)
    return found


def sheet(side: int, **settings: object) -> SpringGraphSpec:
    """A square of 4 m of side x side vertices, pinned at its upper edge."""
    place = np.arange(side * side).reshape(side, side)
    a, b, c, d = (own.reshape(-1) for own in (place[:-1, :-1], place[:-1, 1:], place[1:, 1:], place[1:, :-1]))
    quads = np.stack([a, b, c, d], axis=1)
    corner = np.arange(quads.size).reshape(-1, 4)
    x, z = np.meshgrid(np.linspace(-2.0, 2.0, side), np.linspace(4.0, 0.0, side))
    triangle_corners = np.concatenate([corner[:, [0, 1, 2]], corner[:, [0, 2, 3]]])
    values = {"mass_by": "AREA_DENSITY", "area_density": 0.3, "damping": 0.02} | settings
    return SpringGraphSpec(
        "curtain", np.stack([x, 0.0 * x, z], axis=2).reshape(-1, 3), quads.reshape(-1)[triangle_corners],
        np.concatenate([quads[:, [0, 1]], quads[:, [1, 2]], quads[:, [2, 3]], quads[:, [3, 0]]]),
        pins=np.arange(side), corners=quads.reshape(-1), triangle_corners=triangle_corners, **values,
    )


def _yielding(ledger: Ledger, options: Options) -> None:
    """A sheet of 100,000 springs that sags under 30 m/s²: with elastic springs, and with ones that yield and break."""
    side = 30 if options.quick else SHEET
    options.tell("springs that yield and break")
    spec, worlds = sheet(side, stiffness=600.0), {}
    for name, limits in (("elastic", {}), ("yielding", {"yield_strain": 0.01, "creep": 5.0, "break_strain": 0.4})):
        worlds[name] = build_world(WorldSpec(systems=(replace(spec, **limits),), gravity=(0.0, 0.0, -30.0)))
        seconds_of(worlds[name], 8)
    count = worlds["elastic"].systems[0].springs.count
    frames = in_turn({name: lambda world=world: step_frame(world) for name, world in worlds.items()}, options.rounds)
    for name, runs in frames.items():
        ledger.add(f"sheet_{name}", f"Sheet of {count:,} springs, {name}, a frame", "ms", [1e3 * s for s in runs])
    ledger.require(f"{count:,} springs that yield and break over elastic ones", ASKED_YIELDING,
                   ledger.ratio("yielding", "sheet_yielding", "sheet_elastic"), at_least=False,
                   why="lengths and limits of all springs are read once a substep", counts=not options.quick)


def shot(side: int, tears: bool, balls: int = BALLS, threads: int = 0) -> World:
    """A curtain at which balls are shot one after another, at 8 m/s."""
    limit = {"tear": True, "break_strain": 0.08} if tears else {}
    body = sheet(side, stiffness=800.0, self_collision=True, **limit)
    vertices, triangles = ball(0.12)
    rng = np.random.default_rng(5)
    starts = np.stack([
        rng.uniform(-1.6, 1.6, balls), -0.3 - 0.5 * np.arange(balls), rng.uniform(0.6, 3.4, balls)
    ], axis=1)
    bodies = tuple(
        VoxelBodySpec(f"ball {k}", vertices + start, triangles, density=200.0, velocity=(0.0, 8.0, 1.0))
        for k, start in enumerate(starts)
    )
    return build_world(WorldSpec(systems=(body, *bodies), frame_rate=FRAME_RATE, threads=threads))


def ball(radius: float) -> tuple[np.ndarray, np.ndarray]:
    """A cube with nine quads per face, projected to a sphere."""
    vertices, triangles = box(3)
    return radius * vertices / np.linalg.norm(vertices, axis=1, keepdims=True), triangles


def _tearing(ledger: Ledger, options: Options) -> None:
    """Frames of a curtain that tears, and of the same one without tearing."""
    side, frames = (20, 6) if options.quick else (CURTAIN, SHOT_FRAMES)
    for name, tears in (("whole", False), ("torn", True)):
        options.tell(f"a curtain of {side * side:,} vertices that is shot, {name}")
        world = shot(side, tears)
        seconds = seconds_of(world, frames)
        ledger.add(f"curtain_{name}", f"Curtain of {side * side:,} vertices, shot with {BALLS} balls, {name}, mean "
                   f"of {frames} frames", "ms", [1e3 * sum(seconds) / frames])
    splits = step_frame(world).diagnostics["curtain"]["splits"][0]
    ledger.notes.append(f"The curtain of {side * side:,} vertices split {splits:,.0f} times in {frames} frames.")
    ledger.require(f"A curtain of {CURTAIN**2:,} vertices shot with {BALLS} balls, torn over whole", ASKED_TEARING,
                   ledger.ratio("curtain", "curtain_torn", "curtain_whole"), at_least=False,
                   why="tables of springs and surfaces are built anew in frames with tears", counts=not options.quick)
