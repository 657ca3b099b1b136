"""Costs of the solver other than speed: time to the first frame, memory, and growth with mesh size."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
import tracemalloc
from dataclasses import replace

import numpy as np
from flotsam.engine import SpringGraphSpec, WorldSpec, build_world, step_frame

from .measure import Ledger, in_turn
from .options import Options
from .springs import spec_of
from .torus import torus

FIRST_FRAME = """
import json, sys, time
started = time.perf_counter()
from flotsam.engine import prepare, build_world, step_frame, SpringGraphSpec, WorldSpec
prepare()
import numpy as np
corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
step_frame(build_world(WorldSpec(systems=(SpringGraphSpec("body", corners, faces, pressure=10.0),))))
print(json.dumps(time.perf_counter() - started))
"""
COMPILE_ASKED, LOAD_ASKED = 25.0, 1.5
BYTES_ASKED = 1024.0
EXPONENT_ASKED = 1.1
# Segments around and across: from 1,200 to 1,020,000 springs.
GROWTH = ((12, 8), (24, 12), (48, 24), (96, 48), (192, 96), (320, 256))
# Smallest number of springs in the fit: below it, constant costs per frame would make the exponent look too good.
FITTED_FROM = 10_000


def first_frame(ledger: Ledger, options: Options) -> None:
    """Seconds from the start of Python to the first stepped frame, with an empty and with a warm kernel cache."""
    rounds = 1 if options.quick else 5
    with tempfile.TemporaryDirectory(prefix="flotsam_kernels_") as folder:
        if options.quick:
            # The cache folder in use is warm already.
            warm = [_first_frame(None) for _ in range(rounds)]
        else:
            empty = []
            for number in range(rounds):
                options.tell(f"compiling from an empty cache, {number + 1} of {rounds}")
                empty.append(_first_frame(f"{folder}/{number}"))
            ledger.add("compile", "First frame, kernels compiled", "s", empty)
            ledger.require("First frame from an empty kernel cache", COMPILE_ASKED, ledger.figures["compile"].median,
                           at_least=False, unit="s", why="compiles on as many cores as there are; others were busy")
            warm = [_first_frame(f"{folder}/0") for _ in range(rounds)]
    ledger.add("load", "First frame, kernels from the cache", "s", warm)
    ledger.require("First frame from a warm kernel cache", LOAD_ASKED, ledger.figures["load"].median, at_least=False,
                   unit="s", why="half of it is importing numba and numpy")


def _first_frame(kernels: str | None) -> float:
    env = dict(os.environ) if kernels is None else {**os.environ, "FLOTSAM_KERNEL_CACHE": kernels}
    done = subprocess.run([sys.executable, "-c", FIRST_FRAME], env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def memory(ledger: Ledger, options: Options) -> None:
    """Memory of a built and stepped world, with 25 links per vertex [B]."""
    options.tell("memory")
    size = "2k" if options.quick else "32k"
    spec = spec_of(size)
    step_frame(build_world(spec))
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    world = build_world(spec)
    step_frame(world)
    gc.collect()
    held_bytes, peak = (count - before for count in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    vertices, springs = len(world.state.x), world.systems[0].springs.count
    for name, what, count, unit in (
        ("vertex", "Memory a vertex, 25 links each", vertices, "bytes"),
        ("spring", "Memory a spring", springs, "bytes"),
    ):
        ledger.add(f"memory_{name}", f"{what}, {size}", unit, [held_bytes / count])
    ledger.add("memory_peak", f"Memory a vertex at most, while it is built, {size}", "bytes", [peak / vertices])
    ledger.require("Memory a vertex at 25 links each", BYTES_ASKED, held_bytes / vertices, at_least=False, unit="bytes",
                   why=f"{held_bytes / springs:.0f} bytes a spring")


def growth(ledger: Ledger, options: Options) -> None:
    """Time of a frame of 10 substeps, from a thousand springs to a million, and the fitted exponent."""
    springs, medians = [], []
    for around, across in GROWTH[:4] if options.quick else GROWTH:
        mesh = torus(around, across)
        body = SpringGraphSpec("torus", mesh.vertices, mesh.triangles, mesh.edges, rings=2, struts=1, stiffness=1e4)
        world = build_world(replace(WorldSpec(systems=(body,)), spring_steps=1))
        count = world.systems[0].springs.count
        options.tell(f"a frame of {count:,} springs")
        for _ in range(4):
            step_frame(world)
        seconds = in_turn({"frame": lambda world=world: step_frame(world)}, options.rounds)["frame"]
        name = f"growth_{count}"
        figure = ledger.add(name, f"A frame of 10 substeps, {count:,} springs", "ms", [s * 1e3 for s in seconds])
        springs.append(count)
        medians.append(figure.median)
    count, cost = np.array(springs), np.array(medians)
    fitted = count >= FITTED_FROM
    exponent = float(np.polyfit(np.log(count[fitted]), np.log(cost[fitted]), 1)[0])
    of_all = float(np.polyfit(np.log(count), np.log(cost), 1)[0])
    ledger.add("growth_exponent", f"Exponent of cost over springs, from {count[fitted][0]:,} up", "", [exponent])
    ledger.add("growth_exponent_all", f"Exponent of cost over springs, from {count[0]:,} up", "", [of_all])
    ledger.require("Exponent of cost over springs", EXPONENT_ASKED, max(exponent, of_all), at_least=False, unit="",
                   why="springs outgrow the caches")
