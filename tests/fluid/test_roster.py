"""The order in which the solver has particles does not show outside."""

from __future__ import annotations

import numpy as np
from flotsam.engine import ColliderSpec, FluidSpec, WorldSpec, build_world, step_frame
from fluid_naive import box, tank

SPACING = 0.03


def test_particles_keep_their_ids_although_they_are_sorted() -> None:
    """Two fluids and a source: in a frame each particle goes about as far as its old and new velocities say."""
    water = FluidSpec("water", *box((0.0, 0.0, 0.0), (0.3, 0.3, 0.24)), spacing=SPACING)
    tap = FluidSpec(
        "tap", *box((0.3, 0.3, 0.4), (0.39, 0.39, 0.43)), spacing=SPACING, emission="INFLOW",
        velocity=(0.0, 0.0, -2.0), limit=60,
    )
    oil = FluidSpec("oil", *box((0.0, 0.0, 0.5), (0.3, 0.3, 0.6)), spacing=SPACING, density=800.0)
    world = build_world(WorldSpec(systems=(water, oil, tap, ColliderSpec("tank", *tank(0.4, 0.4, 2.0)))))
    before = None
    for _ in range(3):
        frame = step_frame(world)
        if before is not None:
            for name in ("water", "oil", "tap"):
                old = np.searchsorted(before.attributes[name]["id"], frame.attributes[name]["id"])
                alive = old < len(before.positions[name])
                way = frame.positions[name][alive] - before.positions[name][old[alive]]
                pace = 0.5 * (frame.velocities[name][alive] + before.velocities[name][old[alive]])
                assert np.linalg.norm(way - pace / 24.0, axis=1).max() < 2.0 * SPACING
        before = frame
    assert not np.array_equal(world.systems[0]._roster.ids, np.sort(world.systems[0]._roster.ids))
