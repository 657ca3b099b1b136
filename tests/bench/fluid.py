"""A dam break of particles in a tank: frame time, particle-iterations, threads, growth, memory."""

from __future__ import annotations

import gc
import time
import tracemalloc

import numpy as np
from flotsam.engine import ColliderSpec, FluidSpec, WorldSpec, build_world, prepare, step_frame
from flotsam.engine.world.world import World

from .measure import Ledger
from .options import Options

# Particles along each side of the dam, a cube of 1 m; first and last timed frame, while it falls and spreads.
FEW, MANY = 22, 46
FIRST, LAST = 3, 9
TANK = 3.0
ASKED_FRAME, ASKED_RATE, ASKED_COMPRESSION = 250.0, 6.0, 0.01
ASKED_THREADS, ASKED_GROWTH, ASKED_BYTES = 1.7, 1.25, 600.0


def run(ledger: Ledger, options: Options) -> None:
    """Dam breaks of two sizes, the larger one also on one thread."""
    few, many = (8, 12) if options.quick else (FEW, MANY)
    first, last = (1, 4) if options.quick else (FIRST, LAST)
    prepare(options.tell, kernels=("XPBD", "FLUIDS"))
    found = {}
    for side, threads in ((few, 0), (many, 0), (many, 1)):
        options.tell(f"a dam of {side**3} particles")
        found[side, threads] = _frames(dam(side, threads), first, last)
    seconds, iterations, compression = found[many, 0]
    name = f"{many**3 / 1000:.0f}k"
    ledger.add("fluid_frame", f"Dam break of {name} particles, a frame", "ms", [1e3 * s for s in seconds])
    ledger.add("fluid_frame_1", f"Dam break of {name} particles, a frame on one thread", "ms",
               [1e3 * s for s in found[many, 1][0]])
    rates = [many**3 * steps / s / 1e6 for steps, s in zip(iterations, seconds, strict=True)]
    ledger.add("fluid_rate", f"Dam break of {name} particles, search included", "million particle-iterations/s", rates)
    ledger.add("fluid_compression", f"Dam break of {name} particles, mean compression", "", compression)
    each = [s / steps / few**3 for s, steps in zip(found[few, 0][0], found[few, 0][1], strict=True)]
    ledger.add("fluid_small", f"Dam break of {few**3 / 1000:.0f}k particles, a particle-iteration", "ns",
               [1e9 * s for s in each])
    ledger.add("fluid_large", f"Dam break of {name} particles, a particle-iteration", "ns", [1e3 / r for r in rates])
    ledger.require("Dam break of 100k particles, a frame", ASKED_FRAME, ledger.figures["fluid_frame"].median,
                   at_least=False, unit="ms", why="passes over neighbours and new lists take a quarter each",
                   counts=ledger.figures["fluid_compression"].median <= ASKED_COMPRESSION)
    ledger.require("Million particle-iterations a second", ASKED_RATE, ledger.figures["fluid_rate"].median,
                   unit="M/s", why="new lists in every third step")
    ledger.require("A fluid on all threads over one (two on the reference)", ASKED_THREADS,
                   ledger.ratio("fluid_threads", "fluid_frame_1", "fluid_frame"), why="a tenth of a step is serial")
    ledger.require("Cost of a particle-iteration of 100k over 10k", ASKED_GROWTH,
                   ledger.ratio("fluid_growth", "fluid_large", "fluid_small"), at_least=False, why="caches")
    _memory(ledger, options, many)


def dam(side: int, threads: int, bodies: tuple = ()) -> World:
    """A cube of fluid at one end of a tank; args: side: particles per side; bodies: specs of obstacles."""
    unit = np.array([[x, y, z] for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)])
    faces = np.array([
        [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6],
        [1, 3, 5], [3, 7, 5],
    ])
    water = FluidSpec("water", unit, faces, spacing=1.0 / side)
    tank = ColliderSpec("tank", unit * [TANK, 1.0, TANK], np.delete(faces, (2, 3), axis=0))
    return build_world(WorldSpec(systems=(water, tank, *bodies), threads=threads))


def _frames(world: World, first: int, last: int) -> tuple[list[float], list[float], list[float]]:
    """Seconds, solver steps and mean compression of each timed frame."""
    seconds, iterations, compression = [], [], []
    for number in range(1, last + 1):
        started = time.perf_counter()
        frame = step_frame(world)
        if number >= first:
            seconds.append(time.perf_counter() - started)
            diagnostics = frame.diagnostics["water"]
            iterations.append(diagnostics["steps"][1])
            compression.append(diagnostics["compression"][0])
    return seconds, iterations, compression


def _memory(ledger: Ledger, options: Options, side: int) -> None:
    """Memory of a fluid's world per particle [B]."""
    options.tell("memory of a fluid")
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    world = dam(side, 0)
    for _ in range(2):
        step_frame(world)
    gc.collect()
    bytes_each = (tracemalloc.get_traced_memory()[0] - before) / side**3
    tracemalloc.stop()
    ledger.add("fluid_memory", "Memory a particle of a dam break", "bytes", [bytes_each])
    ledger.require("Memory a particle of fluid", ASKED_BYTES, bytes_each, at_least=False, unit="bytes",
                   why="lists 180, columns of the solver 110, of the world 190")
