"""The order in which the solver sorts particles is not visible outside."""

from __future__ import annotations

from typing import Any

import numpy as np
from flotsam.engine import ColliderSpec, FluidSpec, ForceFieldSpec, WorldSpec, build_world, step_frame
from flotsam.engine.step.stage import Stage
from flotsam.engine.world.world import World
from fluid_naive import box, tank

SPACING = 0.03


def test_particles_keep_their_ids_although_they_are_sorted() -> None:
    """Two fluids and a source: in a frame each particle moves about as far as its old and new velocities give."""
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
                displacement = frame.positions[name][alive] - before.positions[name][old[alive]]
                mean_velocity = 0.5 * (frame.velocities[name][alive] + before.velocities[name][old[alive]])
                assert np.linalg.norm(displacement - mean_velocity / 24.0, axis=1).max() < 2.0 * SPACING
        before = frame
    assert not np.array_equal(world.systems[0]._roster.ids, np.sort(world.systems[0]._roster.ids))


def test_a_field_sees_particles_where_they_are_in_each_substep() -> None:
    """Without a field they are written to the world when a frame ends; a field of strength 0 gives the same bits."""
    water = FluidSpec("water", *box((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)), spacing=SPACING)
    tank_spec = ColliderSpec("tank", *tank(0.5, 0.6, 1.0))
    frames, places = [], {}
    for name, fields in (("alone", ()), ("seen", (ForceFieldSpec("wind", np.eye(4), type="WIND", strength=0.0),))):
        world = build_world(WorldSpec(systems=(water, tank_spec, *fields)))
        seen, apply = places.setdefault(name, []), world.systems[0].apply

        def apply_and_look(
            stage: Stage, world: World, h: float, done: float, seen: list = seen, apply: Any = apply
        ) -> None:
            apply(stage, world, h, done)
            if stage is Stage.MOVE:
                own = slice(0, world.integrated)
                seen.append((world.state.x[own].copy(), world.state.v[own].copy()))

        world.systems[0].apply = apply_and_look
        frames.append([step_frame(world) for _ in range(4)])
    for one, other in zip(*frames, strict=True):
        np.testing.assert_array_equal(one.positions["water"], other.positions["water"])
        np.testing.assert_array_equal(one.velocities["water"], other.velocities["water"])
    count = len(places["seen"]) // 4
    assert count > 1
    for number, ((x, v), (later, _v)) in enumerate(zip(places["seen"], places["seen"][1:], strict=False)):
        if (number + 1) % count:
            # The fluid has fallen since, at about the velocity that was recorded.
            np.testing.assert_allclose(later[:, 2].mean() - x[:, 2].mean(), v[:, 2].mean() / 24.0 / count, rtol=0.2)
        np.testing.assert_array_equal(places["alone"][number][0], places["seen"][number // count * count][0])


def test_places_are_fetched_when_a_frame_begins_and_when_particles_are_others() -> None:
    """Not in each substep; and the loop over all particles does not move those of a fluid."""
    tap = FluidSpec(
        "tap", *box((0.0, 0.0, 0.4), (0.12, 0.12, 0.43)), spacing=SPACING, emission="INFLOW",
        velocity=(0.0, 0.0, -2.0), limit=200,
    )
    fetched = []
    for specs in ((FluidSpec("water", *box((0.0, 0.0, 0.0), (0.3, 0.3, 0.3)), spacing=SPACING),), (tap,)):
        world = build_world(WorldSpec(systems=specs))
        fluids = world.systems[0]
        fetch, apply, places = fluids._roster.fetch, fluids.apply, []

        def fetch_and_note(values: np.ndarray, *rest: Any, world: World = world, fetch: Any = fetch) -> np.ndarray:
            fetched.append(values is world.state.x)
            return fetch(values, *rest)

        def apply_and_look(
            stage: Stage, world: World, h: float, done: float, places: list = places, apply: Any = apply
        ) -> None:
            if stage is Stage.FORCE:
                places.append(world.state.x.copy())
            elif stage is Stage.NARROW:
                np.testing.assert_array_equal(world.state.x, places[-1])
            apply(stage, world, h, done)

        fluids._roster.fetch, fluids.apply = fetch_and_note, apply_and_look
        for _ in range(2):
            fetched.clear()
            frame = step_frame(world)
        if specs[0].emission == "FILL":
            assert sum(fetched) == 1 and len(fetched) == 2
        else:
            assert sum(fetched) > 1 and 0.0 < frame.diagnostics["tap"]["particles"][0]


def test_particles_of_a_fill_age_with_the_frames_and_those_of_a_source_from_their_birth() -> None:
    """Each particle has its own age: the first ones started with the world."""
    tap = FluidSpec(
        "tap", *box((0.0, 0.0, 0.9), (0.12, 0.12, 0.93)), spacing=SPACING, emission="INFLOW",
        velocity=(0.0, 0.0, -2.0), limit=200,
    )
    water = FluidSpec("water", *box((0.0, 0.0, 0.0), (0.3, 0.3, 0.3)), spacing=SPACING)
    world = build_world(WorldSpec(systems=(water, tap)))
    for number in range(1, 4):
        frame = step_frame(world)
        np.testing.assert_allclose(frame.attributes["water"]["age"], number / 24.0, rtol=1e-6)
        age = frame.attributes["tap"]["age"]
        assert age.max() > (number - 1) / 24.0 and len(np.unique(age.round(6))) > number
