"""Flocks: cost of decisions and frames of 100,000 agents among towers, and of 10,000 fish in a fluid."""

from __future__ import annotations

import time

import numpy as np
from flotsam.engine import ColliderSpec, FlockSpec, FluidSpec, WorldSpec, build_world, prepare, step_frame
from flotsam.engine.systems.flock.member import Flock
from flotsam.engine.world.world import World

from .heap import box
from .measure import Ledger
from .options import Options

# Agents, one per cubic metre, and the distance between towers [m].
MANY, FEW, TOWER_SPACING = 100_000, 2_000, 11.0
# Untimed frames, and frames in a round: agents search for their neighbours in every third frame.
FIRST, ROUND = 6, 3
ASKED_RATE, ASKED_FRAME, ASKED_MORE, ASKED_THREADS = 3.0, 30.0, 1.15, 1.6


def run(ledger: Ledger, options: Options) -> None:
    """Agents among towers on all threads and on one, a tenth of the agents, and fish in a dam break."""
    prepare(options.tell, kernels=("XPBD", "FLOCKS", "FLUIDS"))
    many = FEW if options.quick else MANY
    name = f"{many / 1000:.0f}k"
    for threads, suffix in ((0, ""), (1, "_1")):
        options.tell(f"{many} agents among towers")
        frames, decisions = _frames(among_towers(many, threads), options.rounds)
        on_threads = "" if threads == 0 else " on one thread"
        ledger.add(f"flock_frame{suffix}", f"{name} agents among towers, a frame{on_threads}", "ms", frames)
        ledger.add(f"flock_decisions{suffix}", f"{name} agents among towers, sight and decisions{on_threads}", "ms",
                   decisions)
    rates = {
        suffix: [many / ms / 1e3 for ms in ledger.figures[suffix].runs] for suffix in ("flock_frame", "flock_decisions")
    }
    ledger.add("flock_rate", f"{name} agents among towers, decisions", "million boid updates/s",
               rates["flock_decisions"])
    ledger.add("flock_whole", f"{name} agents among towers, whole frames", "million agents/s", rates["flock_frame"])
    options.tell("ten thousand agents")
    tenth, _ = _frames(among_towers(max(many // 10, 500), 0), options.rounds)
    ledger.add("flock_live", "A tenth of them, frames solved", "frames/s", [1e3 / ms for ms in tenth])
    _fish(ledger, options)
    ledger.require("Million boid updates a second, seven neighbours, among obstacles (goal 8)", ASKED_RATE,
                   ledger.figures["flock_rate"].median, unit="M/s", why="half of the agents have a wall within reach")
    ledger.require("A tenth of the agents, frames solved a second", ASKED_FRAME, ledger.figures["flock_live"].median,
                   unit="frames/s", why="the machine is busy")
    ledger.require("10,000 fish in 100k fluid particles, frame over the fluid's alone", ASKED_MORE,
                   ledger.figures["flock_in_fluid"].median, at_least=False,
                   why="twice a frame all particles are sorted, and each fish meets some thirty of them")
    ledger.require("A flock on all threads over one (two on the reference)", ASKED_THREADS,
                   ledger.ratio("flock_threads", "flock_frame_1", "flock_frame"), why="cores that others use")


def among_towers(count: int, threads: int) -> World:
    """Agents that fly along +Y between towers two metres wide, above the ground."""
    side = count ** (1.0 / 3.0)
    towers_a_side = max(1, round(side / TOWER_SPACING))
    positions = side * np.random.default_rng(0).random((2 * count, 3)) + [0.0, 0.0, 5.0]
    towers = []
    for k in range(towers_a_side**2):
        centre = (np.array([k % towers_a_side, k // towers_a_side]) + 0.5) * side / towers_a_side
        positions = positions[(np.abs(positions[:, :2] - centre) > 1.3).any(axis=1)]
        towers.append(_block(f"tower {k}", (*centre, 0.5 * side), (2.0, 2.0, side + 10.0)))
    flock = FlockSpec("flock", positions[:count], goal_path=[[0.5 * side, side + 300.0, 0.5 * side + 5.0]])
    ground = _block("ground", (0.5 * side, 0.5 * side, -1.0), (40.0 * side, 40.0 * side, 2.0))
    return build_world(WorldSpec(systems=(flock, ground, *towers), threads=threads))


def dam(side: int, fish: int) -> World:
    """A cube of fluid of 1 m at one end of an open tank, with fish in it."""
    vertices, triangles = box(1)
    unit = vertices / np.ptp(vertices, axis=0) + 0.5
    top = (unit[triangles][:, :, 2] > 0.999).all(axis=1)
    systems = [
        FluidSpec("water", unit, triangles, spacing=1.0 / side),
        ColliderSpec("tank", unit * [3.0, 1.0, 3.0], triangles[~top]),
    ]
    if fish:
        systems.append(FlockSpec(
            "fish", 0.05 + 0.9 * np.random.default_rng(0).random((fish, 3)), motion="SWIM", speed=0.5,
            sight_radius=0.5, distance=0.05, radius=0.005, mass=0.001, foresight=0.3,
        ))
    return build_world(WorldSpec(systems=tuple(systems)))


def _block(name: str, centre: tuple[float, ...], size: tuple[float, ...]) -> ColliderSpec:
    vertices, triangles = box(1)
    return ColliderSpec(name, vertices / np.ptp(vertices, axis=0) * np.array(size) + np.array(centre), triangles)


def _frames(world: World, rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds of a frame, and of the agents' sight and decisions in it, in each round."""
    (flock,) = (flock for system in world.systems for flock in getattr(system, "flocks", ()))
    spent = 0.0

    def decide(world: World) -> None:
        nonlocal spent
        started = time.perf_counter()
        Flock.decide(flock, world)
        spent += time.perf_counter() - started

    flock.decide = decide
    frames, decisions = [], []
    for number in range(FIRST // ROUND + rounds):
        spent, started = 0.0, time.perf_counter()
        for _ in range(ROUND):
            step_frame(world)
        if number >= FIRST // ROUND:
            frames.append(1e3 * (time.perf_counter() - started) / ROUND)
            decisions.append(1e3 * spent / ROUND)
    return frames, decisions


def _fish(ledger: Ledger, options: Options) -> None:
    """Frames of a fluid with and without fish, in turn, and their ratio frame by frame.

    Some frames of a dam break take half as long again, so the medians of both could be of different frames.
    """
    side, fish = (10, 100) if options.quick else (46, 10_000)
    options.tell("fish in a fluid")
    worlds = {"without": dam(side, 0), "with": dam(side, fish)}
    found: dict[str, list[float]] = {name: [] for name in worlds}
    for number in range(2 + options.rounds):
        for name, world in worlds.items():
            started = time.perf_counter()
            step_frame(world)
            if number >= 2:
                found[name].append(1e3 * (time.perf_counter() - started))
    for name, runs in found.items():
        ledger.add(f"fluid_{name}_fish", f"Dam break of {side**3 / 1000:.0f}k particles {name} {fish} fish, a frame",
                   "ms", runs)
    ledger.add("flock_in_fluid", f"Dam break with {fish} fish over without, each frame", "×",
               [more / less for less, more in zip(found["without"], found["with"], strict=True)])
