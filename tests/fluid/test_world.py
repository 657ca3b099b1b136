"""Fluids with other systems: reaction forces, counts of particles, snapshots, refused values."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import (
    ColliderSpec,
    Controls,
    FluidSpec,
    SpecError,
    SpringGraphSpec,
    VoxelBodySpec,
    WaterSpec,
    WorldSpec,
    build_world,
    step_frame,
)
from fluid_naive import G, box, tank

SPACING = 0.03


def full(name: str = "water", size: tuple[float, ...] = (0.3, 0.3, 0.24), **settings) -> FluidSpec:
    return FluidSpec(name, *box((0.0, 0.0, 0.0), size), spacing=SPACING, **settings)


def basin(side: float = 0.3) -> ColliderSpec:
    return ColliderSpec("tank", *tank(side, side, 2.0))


def momentum(world, names: list[str]) -> np.ndarray:
    """sum m v of systems [kg m/s]."""
    total = np.zeros(3)
    for name in names:
        body = world.body(name)
        own = slice(body.start, body.stop)
        if body.traits.is_rigid:
            total += float(world.rigid.mass[0]) * world.rigid.velocity[0]
        else:
            total += (world.model.mass[own, None] * world.state.v[own]).sum(axis=0)
    return total


def test_t24_a_fluid_and_a_sheet_keep_their_momentum(truth) -> None:
    """A block of fluid flies into a loose sheet without gravity: sum m v is conserved."""
    grid = np.stack(np.meshgrid(np.arange(7), np.arange(7), indexing="ij"), axis=-1).reshape(-1, 2) * 0.06 - 0.03
    corner = np.arange(48).reshape(-1)[(np.arange(48) % 7 < 6) & (np.arange(48) < 42)]
    faces = np.concatenate([
        np.stack([corner, corner + 7, corner + 8], axis=1), np.stack([corner, corner + 8, corner + 1], axis=1),
    ])
    sheet = SpringGraphSpec(
        "sheet", np.column_stack([grid, np.full(len(grid), 0.27)]), faces, mass=5.0, stiffness=2000.0,
    )
    world = build_world(WorldSpec(systems=(full(velocity=(0.0, 0.0, 2.0)), sheet), gravity=(0.0, 0.0, 0.0)))
    size = world.mass("water") * 2.0
    for _ in range(6):
        frame = step_frame(world)
    change = momentum(world, ["water", "sheet"]) - [0.0, 0.0, size]
    assert world.velocities("sheet")[:, 2].mean() > 0.3
    assert np.linalg.norm(world.velocities("sheet"), axis=1).max() < 6.0
    assert np.linalg.norm(frame.velocities["water"], axis=1).max() < 6.0
    truth("T24", "fluid and sheet", change / size, 0.0, 2e-6, relative=False)


def test_t24_a_fluid_and_a_crate_keep_their_momentum(truth) -> None:
    """A block of fluid flies into a loose crate without gravity: sum m v is conserved."""
    crate = VoxelBodySpec("crate", *box((0.08, 0.06, 0.26), (0.26, 0.24, 0.44)), voxel_size=0.03, density=600.0)
    world = build_world(WorldSpec(systems=(full(velocity=(0.0, 0.0, 2.0)), crate), gravity=(0.0, 0.0, 0.0)))
    size = world.mass("water") * 2.0
    for _ in range(6):
        step_frame(world)
    change = momentum(world, ["water", "crate"]) - [0.0, 0.0, size]
    assert world.rigid.velocity[0, 2] > 0.3
    truth("T24", "fluid and crate", change / size, 0.0, 2e-6, relative=False)


def test_a_sheet_holds_a_fluid_on_one_side() -> None:
    """No particle passes a pinned sheet that lies across the tank."""
    grid = np.stack(np.meshgrid([0.0, 0.15, 0.3], [0.0, 0.15, 0.3], indexing="ij"), axis=-1).reshape(-1, 2)
    faces = np.array([[a, a + 3, a + 4] for a in (0, 1, 3, 4)] + [[a, a + 4, a + 1] for a in (0, 1, 3, 4)])
    sheet = SpringGraphSpec("sheet", np.column_stack([grid, np.full(9, -0.01)]), faces, pins=np.arange(9))
    world = build_world(WorldSpec(systems=(full(), sheet, ColliderSpec("tank", *tank(0.3, 0.3, 2.0)))))
    for _ in range(12):
        frame = step_frame(world)
    assert frame.positions["water"][:, 2].min() > -0.01


def test_a_paddle_pushes_a_fluid_and_nobody_passes_it() -> None:
    """A wall that moves through the tank pushes all of the fluid along."""
    corners = np.array([[-0.02, -1.0, -1.0], [-0.02, 2.0, -1.0], [-0.02, 0.5, 3.0]])
    paddle = ColliderSpec("paddle", corners, np.array([[0, 1, 2]]))
    world = build_world(WorldSpec(systems=(full(), ColliderSpec("tank", *tank(1.0, 0.3, 2.0)), paddle)))
    for number in range(12):
        pose = np.eye(4)
        pose[0, 3] = 0.03 * (number + 1)
        frame = step_frame(world, Controls(colliders={"paddle": pose}))
    positions = frame.positions["water"]
    assert positions[:, 0].min() > 0.36 - 0.02
    assert (positions[:, 2] > 0.0).all() and (positions[:, 1] > 0.0).all() and (positions[:, 1] < 0.3).all()


def test_a_source_fills_until_the_limit_and_all_are_accounted_for() -> None:
    """Emitted particles are those alive and those removed; ids increase."""
    source = full("tap", (0.09, 0.09, 0.03), emission="INFLOW", velocity=(0.0, 0.0, -2.0), limit=60, lifetime=0.3)
    world = build_world(WorldSpec(systems=(source,)))
    seen = []
    for _ in range(12):
        frame = step_frame(world)
        born, alive, gone = frame.diagnostics["tap"]["particles"]
        ids = frame.attributes["tap"]["id"]
        assert born == alive + gone and alive == len(ids) == len(frame.positions["tap"])
        assert (np.diff(ids) > 0).all()
        assert (frame.attributes["tap"]["age"] < 0.3).all()
        seen.append((born, gone))
    assert seen[0][0] >= 9 and seen[-1] == (60.0, seen[-1][1]) and seen[-1][1] > 0


def test_a_drain_swallows_and_a_source_can_be_shut() -> None:
    """A stream falls into a drain; a shut source emits nothing. Emitted particles are those alive and those removed."""
    source = full("tap", (0.09, 0.09, 0.03), emission="INFLOW", velocity=(0.0, 0.0, -2.0), limit=500)
    vertices, triangles = box((-0.5, -0.5, -0.6), (0.5, 0.5, -0.3))
    drain = FluidSpec("drain", vertices, triangles, emission="OUTFLOW")
    world = build_world(WorldSpec(systems=(source, drain)))
    for _ in range(10):
        frame = step_frame(world)
    born, alive, gone = frame.diagnostics["tap"]["particles"]
    assert born == alive + gone and gone > 50
    assert frame.positions["tap"][:, 2].min() > -0.4 and len(frame.positions["drain"]) == 0
    for _ in range(5):
        frame = step_frame(world, Controls(values={"tap": {"opening": 0.0}, "drain": {"opening": 0.0}}))
    assert frame.diagnostics["tap"]["particles"][0] == born
    assert frame.positions["tap"][:, 2].min() < -0.4


def test_particles_that_sink_below_water_join_it() -> None:
    water = WaterSpec("lake", height=-0.2)
    world = build_world(WorldSpec(systems=(full(joins_water=True), water)))
    for _ in range(14):
        frame = step_frame(world)
    assert frame.diagnostics["water"]["particles"] == (800.0, 0.0, 800.0)
    assert frame.positions["water"].shape == (0, 3)


def test_particles_that_go_beyond_their_range_are_counted() -> None:
    """Particles that fall farther than their range are counted as far; those that are too old are not."""
    for settings, far in (({"range": 0.1}, 800.0), ({"lifetime": 0.03, "range": 0.1}, 0.0)):
        world = build_world(WorldSpec(systems=(full(velocity=(0.0, 0.0, -2.0), **settings),)))
        for _ in range(3):
            frame = step_frame(world)
        assert frame.diagnostics["water"]["far"][0] == far
        assert frame.diagnostics["water"]["particles"] == (800.0, 0.0, 800.0)


def test_a_drain_alone_is_refused() -> None:
    with pytest.raises(SpecError, match="nothing to drain"):
        build_world(WorldSpec(systems=(full(emission="OUTFLOW"),)))


def test_a_snapshot_goes_on_with_the_same_bits() -> None:
    world = build_world(WorldSpec(systems=(full(), basin(0.36))))
    for _ in range(3):
        step_frame(world)
    saved = world.snapshot()
    ends = []
    for _ in range(2):
        for _frame in range(3):
            frame = step_frame(world)
        ends.append(frame.positions["water"])
        world.restore(saved)
    assert np.array_equal(*ends)


def test_two_fluids_that_overlap_part_before_time_begins() -> None:
    world = build_world(WorldSpec(systems=(full("water"), full("oil", density=800.0), basin())))
    frame = step_frame(world)
    for name in ("water", "oil"):
        assert np.linalg.norm(frame.velocities[name], axis=1).max() < 3.0


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"density": 0.0}, "density"), ({"spacing": 1e-4}, "spacing"), ({"viscosity": -1.0}, "viscosity"),
        ({"triangles": np.zeros((0, 3), int)}, "triangles"), ({"velocity": (0.0, np.nan, 0.0)}, "velocity"),
    ],
)
def test_what_is_wrong_is_named(settings: dict[str, object], field: str) -> None:
    vertices, triangles = box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    spec = FluidSpec("water", vertices, **{"triangles": triangles, **settings})
    with pytest.raises(SpecError, match=field):
        build_world(WorldSpec(systems=(spec,)))


def test_a_fluid_that_is_crushed_stays_finite() -> None:
    """A plate comes down on a full tank until a third of its height is left: no particle is lost."""
    plate, faces = np.array([[-1.0, -1.0, 0.3], [1.0, -1.0, 0.3], [0.0, 2.0, 0.3]]), np.array([[0, 1, 2]])
    world = build_world(WorldSpec(systems=(full(), basin(), ColliderSpec("press", plate, faces))))
    for number in range(20):
        pose = np.eye(4)
        pose[2, 3] = -0.011 * number
        frame = step_frame(world, Controls(colliders={"press": pose}))
    assert frame.diagnostics["water"]["particles"] == (800.0, 800.0, 0.0)
    assert np.isfinite(frame.positions["water"]).all()
    assert np.isfinite(frame.velocities["water"]).all()


def test_a_light_ball_is_not_shot_away(truth) -> None:
    """A block of fluid at 4 m/s hits a crate and a shell of a hundredth of its mass, which then move as fast as it.

    Contact removes the speed at which both approach and adds none. The fluid's front is pressed out by the fluid behind
    it, at 5.4 m/s; elastic bodies would leave at 8.
    """
    speed, motion = 4.0, {"velocity": (0.0, 0.0, 4.0)}
    crate = VoxelBodySpec("crate", *box((0.02, 0.06, 0.26), (0.14, 0.24, 0.44)), voxel_size=0.03, density=20.0)
    shell = SpringGraphSpec("shell", *box((0.16, 0.06, 0.26), (0.28, 0.24, 0.44)), mass=0.1, stiffness=2000.0)
    world = build_world(WorldSpec(systems=(full(**motion), crate, shell), gravity=(0.0, 0.0, 0.0)))
    names = ["water", "crate", "shell"]
    total = world.mass("water") * speed
    for _ in range(4):
        frame = step_frame(world)
    change = momentum(world, names) - [0.0, 0.0, total]
    truth("T24", "fluid, light crate and light shell", change / total, 0.0, 2e-6, relative=False)
    for body in (world.rigid.velocity[0], world.velocities("shell").mean(axis=0)):
        assert speed < body[2] < 1.3 * speed and np.abs(body[:2]).max() < 0.5
    assert np.linalg.norm(frame.velocities["water"], axis=1).max() < 1.5 * speed


def test_fluids_of_far_densities_are_refused() -> None:
    with pytest.raises(SpecError, match="gas.*density"):
        build_world(WorldSpec(systems=(full(), full("gas", density=1.2))))


def test_fluids_of_two_spacings_are_refused() -> None:
    other = FluidSpec("oil", *box((0.0, 0.0, 0.0), (0.3, 0.3, 0.3)), spacing=0.05)
    with pytest.raises(SpecError, match="oil.*spacing"):
        build_world(WorldSpec(systems=(full(), other)))


def test_t16_t25_a_box_floats_at_its_density(truth) -> None:
    """A flat box of half the density of the water is half under it; of 0.9, nine tenths (level from the volume)."""
    for fraction in (0.5, 0.9):
        wide, high, low = 0.24, 0.15, 0.24
        crate = VoxelBodySpec(
            "crate", *box((0.15, 0.15, low + 0.005), (0.15 + wide, 0.15 + wide, low + 0.005 + high)),
            voxel_size=0.03, density=1000.0 * fraction,
        )
        world = build_world(WorldSpec(systems=(full(size=(0.54, 0.54, low)), basin(0.54), crate)))
        under = []
        for number in range(60):
            frame = step_frame(world)
            if number >= 36:
                base = float(frame.positions["crate"][:, 2].mean()) - 0.5 * high
                level = (world.mass("water") / 1000.0 - wide * wide * base) / (0.54**2 - wide * wide)
                under.append((level - base) / high)
        truth("T25", f"box of density {fraction} under water", float(np.mean(under)), fraction, 0.03, relative=False)


def rotated(low: tuple[float, ...], high: tuple[float, ...], degrees: float) -> tuple[np.ndarray, np.ndarray]:
    """A box rotated about the vertical through its centre."""
    vertices, triangles = box(low, high)
    middle, angle = vertices.mean(axis=0), np.radians(degrees)
    rotation = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    return (vertices - middle) @ rotation.T + middle, triangles


def test_a_dam_that_breaks_against_posts_gains_no_energy() -> None:
    """Kinetic and potential energy of the fluid only decrease, although posts stand at an angle to the flow."""
    water = FluidSpec("water", *box((0.0, 0.0, 0.0), (0.8, 1.0, 0.8)), spacing=0.06)
    posts = [
        ColliderSpec(f"post {k}", *rotated((1.4, y, 0.0), (1.62, y + 0.22, 0.6), angle))
        for k, (y, angle) in enumerate(((0.12, 8.0), (0.6, 40.0)))
    ]
    world = build_world(WorldSpec(systems=(water, ColliderSpec("tank", *tank(2.4, 1.0, 3.0)), *posts)))
    energies = []
    for _ in range(20):
        frame = step_frame(world)
        x, v = frame.positions["water"].astype(float), frame.velocities["water"].astype(float)
        energies.append(G * x[:, 2].mean() + 0.5 * (v**2).sum(axis=1).mean())
    rise = np.array(energies) - np.minimum.accumulate(energies)
    # The centre starts at 0.4 m: a fluid that is too dense at the start rises first.
    assert energies[0] < G * 0.405
    assert rise.max() < 0.009 * G * 0.4


def test_a_heavy_crate_presses_nobody_through_the_floor() -> None:
    """A crate of steel thrown into shallow fluid: all stay in the tank, whose floor has no thickness."""
    crate = VoxelBodySpec(
        "crate", *rotated((0.06, 0.06, 0.5), (0.24, 0.24, 0.68), 45.0), voxel_size=0.03, density=8000.0,
        velocity=(0.0, 0.0, -8.0),
    )
    world = build_world(WorldSpec(systems=(full(size=(0.3, 0.3, 0.12)), crate, basin())))
    for _ in range(6):
        frame = step_frame(world)
        assert frame.positions["water"][:, 2].min() > 0.0
    assert world.rigid.position[0, 2] < 0.12
