"""Springs alone: passes of the solver over a torus with 25 links per vertex, against the seed's tick in C.

A tick solves each spring once. A forward and backward pass of the Gauss-Seidel solver counts as two solves.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from flotsam.engine import SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.compiler import kernels as jit
from flotsam.engine.mesh.graph.links import build_links
from flotsam.engine.solver.constraints import distance
from flotsam.engine.solver.vector import distance as vector
from flotsam.engine.solver.vector import span as vector_span
from flotsam.engine.world.world import World

from . import seed_tick
from .measure import Ledger, in_turn
from .options import Options
from .roofline import PASS_BYTES, gather_bytes, of_springs
from .row_limit import gather_rows, touch_rows
from .torus import SIZES, torus

# By kernel: its label, required speed relative to the seed's tick, and the figure that is its upper bound.
COMPARED = {"xpbd_single": ("XPBD", 1.5, "touch"), "symplectic": ("Symplectic", 5.0, "look")}
BUSY = "other work kept the tick from its second core, so the ratio is none"
# Enough substeps to make other costs of a frame negligible.
SYMPLECTIC_SUBSTEPS = 100
# Consecutive passes, as in a frame.
PASSES = 10


def spec_of(size: str, precision: str = "AUTO") -> WorldSpec:
    """A torus with two rings of neighbours and struts, 25 links per vertex, without gravity."""
    mesh = torus(*SIZES[size])
    body = SpringGraphSpec("torus", mesh.vertices, mesh.triangles, mesh.edges, rings=2, struts=1, stiffness=1e4)
    return WorldSpec(systems=(body,), gravity=(0.0, 0.0, 0.0), precision=precision, spring_steps=1)


def run(ledger: Ledger, options: Options) -> None:
    """All sizes, one and two threads, single and double precision."""
    sizes = ("2k",) if options.quick else tuple(SIZES)
    with tempfile.TemporaryDirectory(prefix="flotsam_bench_") as folder:
        try:
            libraries = seed_tick.build(Path(folder))
        except seed_tick.NoCompilerError as error:
            libraries = {}
            ledger.notes.append(str(error))
        gathered = {}
        for size in sizes:
            options.tell(f"springs of {size} vertices")
            gathered[size] = _measure(ledger, size, libraries, options)
    if libraries:
        _compare(ledger, gathered, options.threads)


def _measure(ledger: Ledger, size: str, libraries: dict, options: Options) -> float:
    """Measure all figures of a size; returns the bytes per solve of symplectic springs."""
    worlds = {precision: build_world(spec_of(size, precision)) for precision in ("SINGLE", "DOUBLE")}
    body = spec_of(size).systems[0]
    pairs, rest = build_links(body, body.vertices, body.triangles, body.edges)
    count = len(rest)
    explicit = build_world(symplectic_spec(size))
    works: dict[str, Callable[[], object]] = {}
    solves: dict[str, tuple[str, float]] = {}
    for threads in options.threads:
        for precision, world in worlds.items():
            name = f"xpbd_{precision.lower()}_{size}_{threads}"
            works[name] = _pass(world, threads)
            solves[name] = (f"Gauss-Seidel XPBD, {precision.lower()}", 2.0 * count * PASSES)
        for real, library in libraries.items():
            name = f"seed_{real}_{size}_{threads}"
            works[name] = seed_tick.Ticker(library, real, body.vertices, pairs, rest, threads)
            solves[name] = (f"the seed's tick in C, {real}", float(count))
        if has_symplectic():
            name = f"symplectic_{size}_{threads}"
            works[name], substeps = _symplectic(size, threads)
            solves[name] = ("symplectic, single", count * substeps)
        for name, (work, solved) in _rows_alone(worlds["SINGLE"], explicit, threads).items():
            works[f"{name}_{size}_{threads}"] = work
            solves[f"{name}_{size}_{threads}"] = (f"nothing but moving rows ({name})", solved * count)
    for name, seconds in in_turn(works, options.rounds).items():
        what, solved = solves[name]
        ledger.add(f"springs_{name}", f"{what}, {size} vertices, {count:,} springs, {name[-1]} thread(s)",
                   "M springs/s", [solved / s / 1e6 for s in seconds])
    return gather_bytes(explicit.systems[0].explicit.springs.table, count)


def _pass(world: World, threads: int) -> Callable[[], None]:
    """Forward and backward passes over a slightly perturbed torus, in the state at the start of a substep."""
    graphs = world.systems[0]
    rows, table = graphs.rows, graphs.springs
    rows.read_positions(world.state)
    rows.moved[:-1, :3] = np.random.default_rng(0).standard_normal((len(rows.ids), 3)) * 1e-4
    columns, single = table.columns, rows.moved.dtype == np.float32
    (vector_span if single else distance).span(rows.at, columns, 0)
    law = vector if single else distance

    def solve() -> None:
        with jit.threads(threads):
            for _ in range(PASSES):
                law.relax(rows.moved, columns, 0)

    return solve


def has_symplectic() -> bool:
    """Whether this version of the solver has the symplectic integrator."""
    field = WorldSpec.__dataclass_fields__["integrator"]
    return any(choice[0] == "SYMPLECTIC" for choice in field.metadata["param"].choices)


def _rows_alone(world: World, explicit: World, threads: int) -> dict[str, tuple[Callable[[], None], float]]:
    """By bound: a function that only moves rows like passes or substeps do, and how often it visits each spring."""
    graphs, table = world.systems[0], explicit.systems[0].explicit.springs.table
    spring = graphs.springs.columns
    rows = np.zeros((len(table.particle), 4), dtype=np.float32)
    new, touched = rows.copy(), np.zeros_like(graphs.rows.moved)

    def touch() -> None:
        with jit.threads(threads):
            for _ in range(PASSES):
                touch_rows(touched, spring.i, spring.j, spring.task_start, spring.run_stop, spring.stage_start)

    def gather() -> None:
        with jit.threads(threads):
            for _ in range(PASSES):
                gather_rows(rows, new, table.neighbour, table.slot_start)

    return {"touch": (touch, 2.0 * PASSES), "look": (gather, 1.0 * PASSES)}


def symplectic_spec(size: str, threads: int = 0) -> WorldSpec:
    """Springs soft enough to be stable at the requested substeps; if the solver takes more, those are counted."""
    spec = spec_of(size, "SINGLE")
    body = replace(spec.systems[0], stiffness=1.0, mass=float(len(spec.systems[0].vertices)))
    return replace(spec, systems=(body,), integrator="SYMPLECTIC", substeps=SYMPLECTIC_SUBSTEPS, threads=threads)


def _symplectic(size: str, threads: int) -> tuple[Callable[[], object], float]:
    """A function that steps a frame of many substeps, and the number of its substeps."""
    world = build_world(symplectic_spec(size, threads))
    return lambda: step_frame(world), step_frame(world).diagnostics["world"]["substeps"][0]


def _compare(ledger: Ledger, gathered: dict[str, float], threads: tuple[int, ...]) -> None:
    """Ratios to the C tick in single precision, each on its best number of threads.

    On a busy machine two synchronized threads can be slower than one, so a ratio at equal threads would be random.
    A row does not count if the tick itself is not fastest with the most threads. Args: gathered: bytes per solve by
    size.
    """
    for size, gather_size in gathered.items():
        reference = _best(ledger, f"springs_seed_float_{size}", threads)
        is_quiet = reference.endswith(f"_{threads[-1]}")
        for kind, (label, asked, bound) in COMPARED.items():
            # The requirement for the symplectic integrator starts at 8k.
            if f"springs_{kind}_{size}_1" not in ledger.figures or (kind == "symplectic" and size == "2k"):
                continue
            mine = _best(ledger, f"springs_{kind}_{size}", threads)
            around, across = SIZES[size]
            count = 12.5 * around * across
            size_of_solve = gather_size if kind == "symplectic" else PASS_BYTES
            ratio = ledger.ratio(f"{kind}_to_seed_{size}", mine, reference)
            why = of_springs(ledger, ledger.figures[mine].median * 1e6, size_of_solve, count * size_of_solve,
                             _best(ledger, f"springs_{bound}_{size}", threads))
            ledger.require(f"{label}, springs/s, {size} vertices, against the seed's C tick", asked, ratio,
                           why=why if is_quiet else f"{BUSY}; {why}", counts=is_quiet)
    if not has_symplectic():
        ledger.notes.append("The symplectic integrator is not in this solver yet; its row appears when it is.")


def _best(ledger: Ledger, name: str, threads: tuple[int, ...]) -> str:
    """The figure with the most springs per second over all thread counts."""
    return max((f"{name}_{count}" for count in threads), key=lambda figure: ledger.figures[figure].median)
