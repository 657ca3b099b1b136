"""Whole frames: a pressurized torus falls on a plane, in Flotsam and as Blender's Cloth and Soft Body, on one mesh.

Flotsam and Cloth have the same mesh, mass and pressure. Cloth keeps its default stiffness. Our material stretches less
than required when fully converged, so the measured stretch is the residual of the solver. Flotsam uses the combination
of substeps and inner steps with the fastest frame that meets the required stretch at rest. Soft Body has no pressure;
its bending stiffness makes it stand as high as ours, with edges that meet the same stretch.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import bpy
import numpy as np
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World

from . import peers
from .measure import Ledger
from .options import Options
from .roofline import of_frame
from .torus import SIZES, Torus, stretch, torus

HEIGHT = 0.35
MASS, PRESSURE = 10.0, 5.0
# Fully converged, this stiffness gives a fifth of the allowed stretch; softer materials need more steps.
STIFFNESS, AIR_DRAG = 16000.0, 1.0
# Springs per vertex: edges and both diagonals of every quad.
LINKS = 4
# Frames to fall and settle; the stretch is the worst of the last frames.
SETTLE_FRAMES, LAST_FRAMES = 60, 6
# An attempt is given up if half-way, on the ground, its strain exceeds the allowed strain by this factor.
GIVE_UP_FACTOR = 2.0
# Fraction of our height by which a Soft Body may stand lower.
SAG_TOLERANCE = 0.03
MEAN_ASKED, LARGEST_ASKED = 1.005, 1.03
# Numbers of substeps and inner steps to try, in ascending order of work.
SUBSTEPS = (1, 2, 3, 4, 5, 6, 8, 10)
SPRING_STEPS = tuple(range(1, 65))
# Required and desired speed relative to Cloth, by size.
ASKED = {"2k": (10.0, 20.0), "8k": (18.0, 30.0), "32k": (24.0, 40.0)}
SOFT_BODY_ASKED = 100.0
NOT_FOUND = "None of the settings tried holds the stretch that is asked."
NOT_SEARCHED = "A quick run does not search for settings that hold the stretch."


@dataclass
class Settled:
    """A torus at rest: seconds of each frame, mean and largest stretch, height of its top [m]."""

    seconds: list[float]
    mean: float
    largest: float
    top: float

    def holds(self, mean: float) -> bool:
        """Whether the mean stretch is within `mean` and the largest within its limit."""
        return self.mean <= mean and self.largest <= LARGEST_ASKED


class Stretches:
    """The largest mean stretch and edge stretch over the last frames, and the height of the top."""

    def __init__(self, mesh: Torus) -> None:
        """Args: mesh: defines the rest lengths."""
        self._mesh = mesh
        self.mean = self.largest = self.top = 0.0

    def update(self, x: np.ndarray) -> None:
        """Evaluate a frame's positions; values that are not finite count as torn."""
        seen = stretch(x, self._mesh)
        self.mean = max(self.mean, float(np.nan_to_num(seen.mean(), nan=np.inf)))
        self.largest = max(self.largest, float(np.nan_to_num(seen.max(), nan=np.inf)))
        self.top = float(np.nan_to_num(x[:, 2].max(), nan=0.0))

    def settled(self, seconds: list[float]) -> Settled:
        """The result, with the time of the frames."""
        return Settled(seconds, self.mean, self.largest, self.top)


def run(ledger: Ledger, options: Options) -> None:
    """Every size against Cloth; Soft Body up to 8k."""
    frames = 12 if options.quick else SETTLE_FRAMES
    for size in ("2k",) if options.quick else tuple(ASKED):
        mesh = torus(*SIZES[size], HEIGHT)
        options.tell(f"Blender Cloth, {size} vertices")
        cloth = _peer(mesh, frames, lambda obj: peers.cloth(obj, MASS, PRESSURE, frames))
        _note(ledger, f"cloth_{size}", f"Blender Cloth with pressure, quality 5, {size}", cloth)
        options.tell(f"Flotsam, {size} vertices, searching substeps")
        substeps, steps, mine = _fastest(mesh, max(MEAN_ASKED, cloth.mean), frames, options.quick)
        held = mine.holds(max(MEAN_ASKED, cloth.mean))
        ledger.notes.append(
            f"Torus on the ground, {size}: {substeps} substeps of {steps} inner step(s), edges at rest "
            f"{mine.mean:.4f} mean, {mine.largest:.4f} at most; Cloth {cloth.mean:.4f} and {cloth.largest:.4f}."
            + ("" if held else f" {NOT_SEARCHED if options.quick else NOT_FOUND}")
        )
        ledger.add(f"substeps_{size}", f"Substeps chosen, {size}", "substeps", [float(substeps)])
        ledger.add(f"spring_steps_{size}", f"Inner steps a substep chosen, {size}", "steps", [float(steps)])
        _note(ledger, f"flotsam_{size}", f"Flotsam, torus on the ground, {size}", mine)
        faster = ledger.ratio(f"cloth_to_flotsam_{size}", f"frame_cloth_{size}", f"frame_flotsam_{size}")
        asked, goal = ASKED[size]
        why = of_frame(ledger, size, LINKS * len(mesh.vertices), substeps * steps,
                       ledger.figures[f"frame_flotsam_{size}"].median)
        ledger.require(f"Torus on the ground, {size} vertices, against Cloth (goal {goal:.0f}×)", asked, faster,
                       why=why if held else f"the stretch asked is not reached; {why}", counts=held)
        if size in ("2k", "8k"):
            _against_soft_body(ledger, options, size, mesh, mine.top)


def _note(ledger: Ledger, name: str, what: str, settled: Settled) -> None:
    ledger.add(f"frame_{name}", f"{what} vertices, a frame", "ms", [s * 1e3 for s in settled.seconds])
    ledger.add(f"stretch_mean_{name}", f"{what} vertices, mean stretch at rest", "l/l0", [settled.mean])
    ledger.add(f"stretch_max_{name}", f"{what} vertices, largest stretch at rest", "l/l0", [settled.largest])


def _peer(mesh: Torus, frames: int, add_simulation: Callable[[bpy.types.Object], None]) -> Settled:
    """Play one of Blender's simulations until it rests on the floor."""
    seen = Stretches(mesh)
    with peers.on_stage(mesh, frames, floor=True) as obj:
        add_simulation(obj)
        seconds, x = peers.play(obj, frames)
    seen.update(x)
    return seen.settled(seconds)


def _against_soft_body(ledger: Ledger, options: Options, size: str, mesh: Torus, top: float) -> None:
    options.tell(f"Blender Soft Body, {size} vertices")
    frames = 12 if options.quick else SETTLE_FRAMES
    soft = _peer(mesh, frames, lambda obj: peers.soft_body(obj, MASS, frames))
    _note(ledger, f"soft_body_{size}", f"Blender Soft Body, {size}", soft)
    ledger.notes.append(f"Torus on the ground, {size}: its top comes to rest at {top:.3f} m, that of Soft Body at "
                        f"{soft.top:.3f}; edges of Soft Body {soft.mean:.4f} mean, {soft.largest:.4f} at most.")
    faster = ledger.ratio(f"soft_body_to_flotsam_{size}", f"frame_soft_body_{size}", f"frame_flotsam_{size}")
    if size == "8k":
        stands = soft.holds(MEAN_ASKED) and soft.top > (1.0 - SAG_TOLERANCE) * top
        ledger.require("Torus on the ground, 8k vertices, against a Soft Body that stands as high", SOFT_BODY_ASKED,
                       faster, counts=stands,
                       why="ours is the frame of the line against Cloth" if stands else "Soft Body does not stand up")


def build(mesh: Torus, substeps: int, steps: int) -> World:
    """The torus above the floor, ready to fall."""
    body = SpringGraphSpec(
        "torus", mesh.vertices, mesh.triangles, mesh.edges, mass=MASS, pressure=PRESSURE, stiffness=STIFFNESS,
        air_drag=AIR_DRAG,
    )
    return build_world(WorldSpec(systems=(body, floor()), substeps=substeps, spring_steps=steps))


def floor() -> ColliderSpec:
    """The floor, as large as in Blender."""
    return ColliderSpec("floor", np.array(peers.FLOOR), np.array([[0, 1, 2], [0, 2, 3]]))


def settle(mesh: Torus, substeps: int, steps: int, frames: int, mean: float = np.inf) -> Settled:
    """Let the torus fall and come to rest; stops early when it is far from the allowed mean stretch."""
    world = build(mesh, substeps, steps)
    seen, seconds = Stretches(mesh), []
    for frame in range(frames):
        started = time.perf_counter()
        positions = step_frame(world).positions["torus"]
        seconds.append(time.perf_counter() - started)
        if frame == frames // 2 and mean < np.inf:
            halfway = stretch(positions.astype(np.float64), mesh)
            if not (
                halfway.mean() - 1.0 < GIVE_UP_FACTOR * (mean - 1.0)
                and halfway.max() - 1.0 < GIVE_UP_FACTOR * (LARGEST_ASKED - 1.0)
            ):
                return Settled(seconds, np.inf, np.inf, 0.0)
        if frame >= frames - LAST_FRAMES:
            seen.update(positions.astype(np.float64))
            if seen.mean > mean or (mean < np.inf and seen.largest > LARGEST_ASKED):
                break
    return seen.settled(seconds)


def _fastest(mesh: Torus, mean: float, frames: int, quick: bool) -> tuple[int, int, Settled]:
    """Fastest numbers of substeps and inner steps that meet the mean stretch; the largest numbers if none does."""
    if quick:
        return 10, 1, settle(mesh, 10, 1, frames)
    best: tuple[int, int, Settled] | None = None
    for substeps in SUBSTEPS:
        low = 0
        # More than twice as many spring solves as the best so far cannot be faster.
        high = sum(best is None or substeps * tried <= 2 * best[0] * best[1] for tried in SPRING_STEPS)
        found: Settled | None = None
        while low < high:
            middle = (low + high) // 2
            tried = settle(mesh, substeps, SPRING_STEPS[middle], frames, mean)
            if tried.holds(mean):
                high, found = middle, tried
            else:
                low = middle + 1
        if found is None:
            continue
        if best is None or np.median(found.seconds) < np.median(best[2].seconds):
            best = substeps, SPRING_STEPS[high], found
    if best is None:
        return SUBSTEPS[-1], SPRING_STEPS[-1], settle(mesh, SUBSTEPS[-1], SPRING_STEPS[-1], frames)
    # Time it again, so that the figure is not the luckiest of the search.
    substeps, steps, _found = best
    return substeps, steps, settle(mesh, substeps, steps, frames)
