"""A ring on a rigid crate, against a ring on a collider of the same shape: the cost of contact with rigid bodies."""

from __future__ import annotations

import time

from flotsam.engine import ColliderSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, prepare, step_frame
from flotsam.engine.world.world import World

from .heap import box
from .measure import Ledger
from .options import Options
from .ring_on_floor import floor
from .torus import SIZES, torus

ASKED = 1.3
# Frames to come to rest, and timed frames.
SETTLE, FRAMES = 24, 48


def run(ledger: Ledger, options: Options) -> None:
    """Processor time on one thread, frame by frame in turn, as the machine may be busy."""
    prepare(options.tell, kernels=("XPBD", "RIGID"))
    options.tell("a ring on a crate and on a collider")
    worlds = build()
    seconds: tuple[list[float], list[float]] = ([], [])
    settle, frames = (2, 4) if options.quick else (SETTLE, FRAMES)
    for number in range(settle + frames):
        for world, own in zip(worlds, seconds, strict=True):
            started = time.process_time()
            step_frame(world)
            if number >= settle:
                own.append(1e3 * (time.process_time() - started))
    ledger.add("ring_on_crate", "A ring of 2k vertices on a crate of 500 kg, a frame on one thread", "ms", seconds[0])
    ledger.add("ring_on_collider", "… on a collider of its shape", "ms", seconds[1])
    ledger.require("A ring on a crate, over a ring on a collider", ASKED,
                   ledger.ratio("ring_on_crate_ratio", "ring_on_crate", "ring_on_collider"), at_least=False,
                   why="contacts of rigid bodies are solved one after another, in inner steps and at the end")


def build() -> list[World]:
    """A ring of half a kilogram and 0.8 m just above a crate of 1 m, and above a collider; both on a floor."""
    ring, (vertices, triangles) = torus(*SIZES["2k"]), box(1)
    soft = SpringGraphSpec(
        "ring", 0.3 * ring.vertices + [0.0, 0.0, 1.13], ring.triangles, ring.edges, mass=0.5, pressure=400.0
    )
    vertices = vertices + [0.0, 0.0, 0.502]
    crate, block = VoxelBodySpec("crate", vertices, triangles, mass=500.0), ColliderSpec("block", vertices, triangles)
    return [build_world(WorldSpec((soft, under, floor()), threads=1)) for under in (crate, block)]
