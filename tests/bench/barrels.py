"""A pile of barrels of 32 sides in a bin: convex bodies that are too round to collide as hulls."""

from __future__ import annotations

import time

import numpy as np
from flotsam.engine import ColliderSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World

from .measure import Ledger
from .options import Options

COUNT, SIDES, RADIUS, LENGTH, DENSITY = 50, 32, 0.3, 0.8, 300.0
# Barrels per layer and their distance [m]; half the width of the bin and its height [m].
PER_LAYER, SPACING, HALF_WIDTH, HEIGHT = 9, 1.1, 2.0, 8.0
# First and last timed frame: barrels hit each other and come to rest.
FIRST, LAST = 12, 60
ASKED = 60.0


def run(ledger: Ledger, options: Options) -> None:
    """Time frames while the barrels pile up."""
    options.tell(f"a heap of {COUNT} barrels")
    count, first, last = (9, 2, 8) if options.quick else (COUNT, FIRST, LAST)
    world = build(count)
    seconds = []
    for frame in range(last):
        started = time.perf_counter()
        step_frame(world)
        if frame >= first:
            seconds.append(time.perf_counter() - started)
    figure = ledger.add(f"barrels_{count}", f"A heap of {count} barrels of {SIDES} sides, a frame", "ms",
                        [s * 1e3 for s in seconds])
    ledger.require(f"A heap of {count} barrels of {SIDES} sides", ASKED, figure.median, at_least=False, unit="ms",
                   why="pairs of vertices and faces are tested one by one")


def build(count: int) -> World:
    """Randomly rotated barrels in layers above a bin."""
    rng = np.random.default_rng(1)
    vertices, triangles = barrel()
    barrels = []
    for k in range(count):
        rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        centre = SPACING * np.array([k % 3 - 1, k // 3 % 3 - 1, 0.75 + k // PER_LAYER])
        placed = vertices @ (rotation * np.linalg.det(rotation)).T + centre
        barrels.append(VoxelBodySpec(f"barrel {k}", placed, triangles, voxel_size=0.2, density=DENSITY))
    return build_world(WorldSpec((*barrels, *_bin())))


def barrel() -> tuple[np.ndarray, np.ndarray]:
    """A closed cylinder around the origin with a vertex in the middle of each end: vertices, outward triangles."""
    angle = np.arange(SIDES) * 2.0 * np.pi / SIDES
    rim = np.stack([RADIUS * np.cos(angle), RADIUS * np.sin(angle)], axis=1)
    vertices = np.zeros((2 * SIDES + 2, 3))
    vertices[:SIDES, :2], vertices[SIDES:-2, :2] = rim, rim
    vertices[:SIDES, 2], vertices[SIDES:-2, 2] = -0.5 * LENGTH, 0.5 * LENGTH
    vertices[-2:, 2] = -0.5 * LENGTH, 0.5 * LENGTH
    one = np.arange(SIDES)
    two = np.roll(one, -1)
    low, high = np.full(SIDES, 2 * SIDES), np.full(SIDES, 2 * SIDES + 1)
    corners = [
        (one, two, SIDES + two), (one, SIDES + two, SIDES + one), (low, two, one), (high, SIDES + one, SIDES + two),
    ]
    return vertices, np.concatenate([np.stack(three, axis=1) for three in corners])


def _bin() -> list[ColliderSpec]:
    wide = HALF_WIDTH + 2.0
    sheets = [np.array([[-wide, -wide, 0.0], [wide, -wide, 0.0], [wide, wide, 0.0], [-wide, wide, 0.0]])]
    for axis in range(2):
        for place in (-HALF_WIDTH, HALF_WIDTH):
            wall = np.array([[-wide, -wide, -1.0], [wide, wide, -1.0], [wide, wide, HEIGHT], [-wide, -wide, HEIGHT]])
            wall[:, axis] = place
            sheets.append(wall)
    return [ColliderSpec(f"side {k}", sheet, np.array([[0, 1, 2], [0, 2, 3]])) for k, sheet in enumerate(sheets)]
