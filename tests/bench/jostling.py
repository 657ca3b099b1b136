"""Rings that jostle on water between walls: touched by their surface, by spheres, and not at all.

Every ring has 2,048 vertices and begins pressed into its neighbours and thrown about. One world of each kind takes its
frames in turn with the others, so that a busy moment of the machine meets all of them. What contact costs is timed
within the frames.
"""

from __future__ import annotations

import time

import numpy as np
from flotsam.engine import ColliderSpec, Ignore, SpringGraphSpec, WaterSpec, WorldSpec, build_world, step_frame
from flotsam.engine.world import World

from .measure import Ledger, in_turn
from .options import Options
from .torus import SIZES, torus

# Of a torus of one metre; outer diameter 1.3 m, and a ring every 1.27 m.
SCALE, APART = 0.5, 1.27
MASS, STIFFNESS, PRESSURE = 10.0, 5000.0, 500.0
FEW, MANY = 10, 100
# Frames before the first that counts.
WARM_UP = 3
KINDS = {"spheres": "spheres", "surface": "surfaces", "none": "nobody meets"}
ASKED_GROWTH, ASKED_RATE, ASKED_FASTER = 1.2, 5.0, 5.0


def run(ledger: Ledger, options: Options) -> None:
    """Few rings and many of them, as the solver steps by itself; then many as coarsely as floating rings allow."""
    few, many = (2, 4) if options.quick else (FEW, MANY)
    rounds = min(options.rounds, 7)
    _measure(ledger, options, (few, many), "", rounds, substeps=10)
    fast = f"rings_{many}_coarse"
    _measure(ledger, options, (many,), "_coarse", rounds, substeps=4)
    growth, alone = (
        ledger.ratio(f"rings_growth_{kind}", f"rings_{many}_{kind}", f"rings_{few}_{kind}") * few / many
        for kind in ("spheres", "none")
    )
    ledger.hold(f"Rings on water touched by spheres, cost of one among {many} over one among {few}", ASKED_GROWTH,
                growth, at_least=False, why=f"without any contact it is {alone:.2f}")
    rate = 1e3 / ledger.figures[f"{fast}_spheres"].median
    ledger.hold(f"{many} rings on water touched by spheres, 4 substeps", ASKED_RATE, rate,
                unit="frames/s", why="springs, air and water take as long without any contact: see the figures")
    faster = ledger.ratio("rings_faster", f"rings_{many}_surface", f"rings_{many}_spheres")
    surface, none = (ledger.figures[f"rings_{many}_{kind}"].median for kind in ("surface", "none"))
    ledger.hold(f"{many} rings on water, whole frames, spheres against surfaces", ASKED_FASTER, faster,
                why=f"without any contact a frame takes {none:.0f} ms, with surfaces {surface:.0f} ms")
    ledger.hold(f"{many} rings on water, contact alone, spheres against surfaces", ASKED_FASTER,
                ledger.ratio("rings_contact", f"rings_{many}_surface_contact", f"rings_{many}_spheres_contact"),
                why="see the figures of contact")


def _measure(
    ledger: Ledger, options: Options, counts: tuple[int, ...], name: str, rounds: int, **steps: int
) -> None:
    """Frames of worlds of so many rings, of each kind, in turn."""
    options.tell(f"{' and '.join(map(str, counts))} rings on water, {steps['substeps']} substeps")
    worlds = {(count, kind): build(count, kind, **steps) for count in counts for kind in KINDS}
    for world in worlds.values():
        for _ in range(WARM_UP):
            step_frame(world)
    clocks = {key: Clock(world) for key, world in worlds.items() if key[1] != "none"}
    frames = in_turn({key: lambda world=world: step_frame(world) for key, world in worlds.items()}, rounds)
    for (count, kind), seconds in frames.items():
        ledger.add(
            f"rings_{count}{name}_{kind}",
            f"{count} rings on water, {steps['substeps']} substeps, {KINDS[kind]}, a frame", "ms",
            [s * 1e3 for s in seconds],
        )
    for (count, kind), clock in clocks.items():
        ledger.add(
            f"rings_{count}{name}_{kind}_contact",
            f"{count} rings on water, {steps['substeps']} substeps, {KINDS[kind]}, contact in a frame", "ms",
            [clock.a_frame() * 1e3],
        )


class Clock:
    """How long contact takes in the frames of a world from now on."""

    def __init__(self, world: World) -> None:
        """Args: the world, whose one interaction is timed."""
        self._world, self._first, self._seconds = world, world.state.frame, 0.0
        (contact,) = world.interactions
        self._apply, contact.apply = contact.apply, self._timed

    def _timed(self, *arguments: object) -> None:
        started = time.perf_counter()
        self._apply(*arguments)
        self._seconds += time.perf_counter() - started

    def a_frame(self) -> float:
        """Mean of all frames [s]."""
        return self._seconds / (self._world.state.frame - self._first)


def build(count: int, kind: str, **steps: int) -> World:
    """Rings in rows between four walls."""
    mesh = torus(*SIZES["2k"])
    draw = np.random.default_rng(1)
    side = int(np.ceil(np.sqrt(count)))
    rings = tuple(
        SpringGraphSpec(
            f"ring {k}", SCALE * mesh.vertices + [APART * (k // side), APART * (k % side), -0.05], mesh.triangles,
            mesh.edges, mass=MASS, stiffness=STIFFNESS, pressure=PRESSURE,
            contact="PROXIES" if kind == "spheres" else "SURFACE", velocity=np.append(draw.uniform(-1.0, 1.0, 2), 0.0),
        )
        for k in range(count)
    )
    rules = (Ignore(),) if kind == "none" else ()
    return build_world(WorldSpec((*rings, *_walls(APART * (side - 1)), WaterSpec("water", 0.0)), rules, **steps))


def _walls(width: float) -> list[ColliderSpec]:
    """Four upright planes around rings whose middles lie in a square of that width [m]."""
    low, high = -0.66, width + 0.66
    walls = []
    for axis in range(2):
        for place in (low, high):
            corners = np.array([
                [low - 1.0, low - 1.0, -2.0], [high + 1.0, high + 1.0, -2.0], [high + 1.0, high + 1.0, 2.0],
                [low - 1.0, low - 1.0, 2.0],
            ])
            corners[:, axis] = place
            walls.append(ColliderSpec(f"wall {len(walls)}", corners, np.array([[0, 1, 2], [0, 2, 3]])))
    return walls
