"""T23: rigid bodies on pinned cloth, compared with statics and with the period of a mass on a membrane."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import (
    Controls,
    ForceFieldSpec,
    SpringGraphSpec,
    VoxelBodySpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.world.world import World
from shapes import box, sheet

# A strip of cloth of 2 m by 0.6 m along X, and a crate that lies across its middle, 0.1 m wide.
LENGTH, WIDTH, CRATE = 2.0, 0.6, 0.1
G = 9.81


def strip(mass: float, ends: int, **settings: object) -> SpringGraphSpec:
    """Pinned at one end or at both."""
    vertices, triangles, edges = sheet((LENGTH, WIDTH), (20, 6))
    vertices = vertices - [0.5 * LENGTH, 0.5 * WIDTH, 0.0]
    far = np.abs(vertices[:, 0]) if ends == 2 else -vertices[:, 0]
    pins = np.flatnonzero(far > 0.5 * LENGTH - 1e-6)
    return SpringGraphSpec(
        "soft", vertices, triangles, edges, stiffness=2000.0, bending=0.0, mass=mass, pins=pins, **settings
    )


def crate(mass: float, size: tuple[float, float, float], low: float) -> VoxelBodySpec:
    """Its underside at the height `low` [m]."""
    vertices, triangles = box(1.0, 1)
    return VoxelBodySpec(
        "crate", vertices * size + [0.0, 0.0, low + 0.5 * size[2]], triangles, mass=mass, voxel_size=0.05,
        thickness=0.002, friction=0.5,
    )


# A drag field as in Blender is 2/s at most, so there are several.
BRAKES = tuple(ForceFieldSpec(f"brake {k}", np.eye(4), type="DRAG", linear_drag=2.0) for k in range(8))


@pytest.fixture(scope="module")
def tension() -> float:
    """EA of the strip [N]: hanging from one end, it gets longer by M g L / (2 EA)."""
    hung = strip(20.0, 1, damping=5.0, air_drag=3.0)
    world = build_world(WorldSpec(systems=(hung,), gravity=(G, 0.0, 0.0)))
    for _ in range(96):
        step_frame(world)
    return 20.0 * G * LENGTH / (2.0 * (world.positions("soft")[:, 0].max() - 0.5 * LENGTH))


def pull(sag: float, tension: float) -> float:
    """Force on a crate that hangs `sag` below the pins [N]: both halves of the strip pull with EA times its strain."""
    half = np.hypot(0.5 * (LENGTH - CRATE), sag)
    return 2.0 * tension * (2.0 * half + CRATE - LENGTH) / LENGTH * sag / half


def sag_of(mass: float, tension: float) -> float:
    """The sag at which a crate of this mass hangs [m]."""
    low, high = 0.0, 1.0
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if pull(middle, tension) < mass * G else (low, middle)
    return low


def heights(world: World, frames: int, controls: Controls | None = None) -> np.ndarray:
    """Heights of the crate's underside after each frame [m]."""
    found = []
    for _ in range(frames):
        step_frame(world, controls)
        found.append(world.positions("crate")[:, 2].min())
    return np.array(found)


@pytest.mark.parametrize("mass", [2.0, 10.0])
def test_t23_a_crate_on_pinned_cloth_sags_and_swings_as_a_membrane_says(
    mass: float, tension: float, truth: Truth
) -> None:
    """The sag s at which `pull` is m g, and the period 2 pi sqrt(m / k) with k its slope there.

    The crate has 20 and 100 times the mass of the cloth, which `pull` neglects; its weight adds less than 1 % to the
    sag. The crate rests on the cloth's thickness of 12 mm, and its oscillation has 10 % of the sag: tolerance 5 %.
    """
    sag = sag_of(mass, tension)
    slope = (pull(sag + 1e-4, tension) - pull(sag - 1e-4, tension)) / 2e-4
    period = 24.0 * 2.0 * np.pi * np.sqrt(mass / slope)
    world = build_world(WorldSpec(systems=(strip(0.1, 2), crate(mass, (CRATE, 0.5, 0.1), 0.01), *BRAKES)))
    low = heights(world, 60)[-12:].mean()
    thickness = 2.0 * float(world.model.radius[0])
    truth("T23", f"sag of cloth under a crate of {mass:.0f} kg", thickness - low, sag + 0.5 * thickness, 0.05)
    free = Controls(gravity=(0.0, 0.0, -0.9 * G), values={each.name: {"linear_drag": 0.0} for each in BRAKES})
    swing = heights(world, round(4.5 * period), free)
    swing = swing - swing.mean()
    up = np.flatnonzero((swing[:-1] < 0.0) & (swing[1:] >= 0.0))
    crossing = up + swing[up] / (swing[up] - swing[up + 1])
    assert len(crossing) > 2
    truth("T23", f"period of a crate of {mass:.0f} kg on cloth", np.diff(crossing).mean(), period, 0.05)
