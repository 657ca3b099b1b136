"""Colliding rings on water between walls: contact by surfaces, by spheres, and none.

Every ring has 2,048 vertices, and starts pressed against its neighbours with a random velocity. Frames of the worlds
are timed in turn, so that other load affects all of them. The cost of contact is the difference to a frame without
contact; it includes indirect costs, such as solving the springs that contacts have deformed.
"""

from __future__ import annotations

import numpy as np
from flotsam.engine import ColliderSpec, Ignore, SpringGraphSpec, WaterSpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World

from .measure import Ledger, in_turn
from .options import Options
from .torus import SIZES, torus

# Scale of the torus, which gives an outer diameter of 1.3 m, and distance between ring centres [m].
SCALE, SPACING = 0.5, 1.27
MASS, STIFFNESS, PRESSURE = 10.0, 5000.0, 500.0
FEW, MANY = 10, 100
# Untimed frames first.
WARM_UP = 3
KINDS = {"spheres": "spheres", "surface": "surfaces", "none": "nobody meets"}
ASKED_GROWTH, ASKED_RATE, ASKED_FASTER = 1.2, 5.0, 5.0


def run(ledger: Ledger, options: Options) -> None:
    """Few and many rings at 10 substeps; then many at 4, as coarse as floating rings allow."""
    few, many = (2, 4) if options.quick else (FEW, MANY)
    rounds = min(options.rounds, 7)
    _measure(ledger, options, (few, many), "", rounds, substeps=10)
    fast = f"rings_{many}_coarse"
    _measure(ledger, options, (many,), "_coarse", rounds, substeps=4)
    growth, alone = (
        ledger.ratio(f"rings_growth_{kind}", f"rings_{many}_{kind}", f"rings_{few}_{kind}") * few / many
        for kind in ("spheres", "none")
    )
    ledger.require(f"Rings on water touched by spheres, cost of one among {many} over one among {few}", ASKED_GROWTH,
                   growth, at_least=False, why=f"without any contact it is {alone:.2f}")
    rate = 1e3 / ledger.figures[f"{fast}_spheres"].median
    ledger.require(f"{many} rings on water touched by spheres, 4 substeps", ASKED_RATE, rate,
                   unit="frames/s", why="springs, air and water take as long without any contact: see the figures")
    for name in ("", "_coarse"):
        _compare(ledger, many, name)


def _compare(ledger: Ledger, count: int, name: str) -> None:
    """Sphere contacts against surface contacts: whole frames, and the cost of contact."""
    spheres, surface, none = (ledger.figures[f"rings_{count}{name}_{kind}"].median for kind in KINDS)
    substeps = "4 substeps" if name else "10 substeps"
    ledger.require(f"{count} rings on water, {substeps}, whole frames, spheres against surfaces", ASKED_FASTER,
                   surface / spheres,
                   why=f"without any contact a frame takes {none:.0f} ms, with surfaces {surface:.0f} ms")
    ledger.require(f"{count} rings on water, {substeps}, what contact adds, spheres against surfaces", ASKED_FASTER,
                   (surface - none) / max(spheres - none, 1e-6),
                   why=f"spheres add {spheres - none:.0f} ms to a frame, surfaces {surface - none:.0f} ms")


def _measure(
    ledger: Ledger, options: Options, counts: tuple[int, ...], name: str, rounds: int, **steps: int
) -> None:
    """Time frames of worlds with `counts` rings, each variant in turn."""
    options.tell(f"{' and '.join(map(str, counts))} rings on water, {steps['substeps']} substeps")
    worlds = {(count, kind): build(count, kind, **steps) for count in counts for kind in KINDS}
    for world in worlds.values():
        for _ in range(WARM_UP):
            step_frame(world)
    frames = in_turn({key: lambda world=world: step_frame(world) for key, world in worlds.items()}, rounds)
    for (count, kind), seconds in frames.items():
        ledger.add(
            f"rings_{count}{name}_{kind}",
            f"{count} rings on water, {steps['substeps']} substeps, {KINDS[kind]}, a frame", "ms",
            [s * 1e3 for s in seconds],
        )

def build(count: int, kind: str, **steps: int) -> World:
    """Rings in rows between four walls."""
    mesh = torus(*SIZES["2k"])
    rng = np.random.default_rng(1)
    side = int(np.ceil(np.sqrt(count)))
    rings = tuple(
        SpringGraphSpec(
            f"ring {k}", SCALE * mesh.vertices + [SPACING * (k // side), SPACING * (k % side), -0.05], mesh.triangles,
            mesh.edges, mass=MASS, stiffness=STIFFNESS, pressure=PRESSURE,
            contact="PROXIES" if kind == "spheres" else "SURFACE", velocity=np.append(rng.uniform(-1.0, 1.0, 2), 0.0),
        )
        for k in range(count)
    )
    rules = (Ignore(),) if kind == "none" else ()
    return build_world(WorldSpec((*rings, *_walls(SPACING * (side - 1)), WaterSpec("water", 0.0)), rules, **steps))


def _walls(width: float) -> list[ColliderSpec]:
    """Four vertical planes around rings whose centres lie in a square of that width [m]."""
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
