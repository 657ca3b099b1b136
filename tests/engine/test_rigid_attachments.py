"""Attachments of rigid bodies to each other and to colliders: springs and rigid links."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import (
    Attachment,
    ColliderSpec,
    Controls,
    Ignore,
    SpecError,
    SpringGraphSpec,
    VoxelBodySpec,
    WorldSpec,
    build_world,
    step_frame,
)
from shapes import box
from test_joints import energy, momenta

CUBE, SIDES = box(0.4, 1)
TOP = np.flatnonzero(CUBE[:, 2] > 0.0)
DOCK = ColliderSpec("dock", CUBE + (0.0, 0.0, 1.0), SIDES)
# Corner of the dock above each corner of the lid.
UNDER = [int(np.argmin(np.linalg.norm(DOCK.vertices - (*CUBE[k, :2], 0.8), axis=1))) for k in TOP]
FREE = {"gravity": (0.0, 0.0, 0.0)}


def crate(name: str = "crate", place: tuple[float, float, float] = (0.0, 0.0, 0.0), **fields: object) -> VoxelBodySpec:
    return VoxelBodySpec(name, CUBE + place, SIDES, voxel_size=0.05, mass=32.0, **fields)


@pytest.mark.parametrize("integrator", ["XPBD", "SYMPLECTIC"])
@pytest.mark.parametrize("stiffness", [2000.0, 1e6])
def test_t4_a_crate_hangs_from_springs(stiffness: float, integrator: str, truth: Truth) -> None:
    """Four vertical springs of k each: extension m g / (4 k); damping reduces the oscillation by e^-20."""
    damping = 0.5 * math.sqrt(stiffness * 32.0)
    tied = Attachment("crate", "dock", TOP, UNDER, stiffness=stiffness, damping=damping)
    world = build_world(WorldSpec((crate(), DOCK), attachments=(tied,), integrator=integrator))
    for _ in range(120):
        step_frame(world)
    truth("T4", f"crate on four springs of {stiffness:.0f} N/m, {integrator}", -world.rigid.position[0, 2],
          32.0 * 9.81 / (4.0 * stiffness), 1e-6)


@pytest.mark.parametrize("period", [0.25, 1.0])
def test_t2_a_crate_on_a_spring_swings(period: float, truth: Truth) -> None:
    """Released with springs at rest: z = -(1 - cos w t) m g / k with w = sqrt(k / m), undamped within 1 %."""
    stiffness = 32.0 * (2.0 * math.pi / period) ** 2
    tied = Attachment("crate", "dock", TOP, UNDER, stiffness=0.25 * stiffness)
    world = build_world(WorldSpec((crate(), DOCK), (Ignore(),), attachments=(tied,), frame_rate=60.0))
    heights = []
    for _ in range(int(10.0 * period * 60.0)):
        step_frame(world)
        heights.append(world.rigid.position[0, 2])
    sag = 32.0 * 9.81 / stiffness
    z = np.array(heights) + sag
    rising = np.flatnonzero((z[:-1] < 0.0) & (z[1:] >= 0.0))
    crossing = rising + z[rising] / (z[rising] - z[rising + 1])
    measured = (crossing[-1] - crossing[0]) / (len(crossing) - 1) / 60.0
    truth("T2", f"crate on springs, period {period} s", measured, period, 0.01)
    last = z[-int(period * 60.0):]
    assert np.ptp(last) == pytest.approx(2.0 * sag, rel=0.02)


def test_fixed_links_carry_a_crate_under_a_moving_dock() -> None:
    """Four rigid links keep their length while the dock rises and rotates.

    Three would determine the crate's pose, and the fourth is almost redundant, so it may be off by a micrometre.
    """
    world = build_world(WorldSpec((crate(), DOCK), attachments=(Attachment("crate", "dock", TOP, UNDER),)))
    for frame in range(1, 73):
        pose, angle = np.eye(4), 0.3 * math.sin(0.1 * frame)
        pose[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
        pose[:3, 3] = 0.2 * math.sin(0.2 * frame), 0.0, 0.1 * math.sin(0.1 * frame)
        step_frame(world, Controls(colliders={"dock": pose}))
        apart = np.linalg.norm(world.positions("crate")[TOP] - world.positions("dock")[UNDER], axis=1)
        assert np.abs(apart - 0.6).max() < 1e-6


@pytest.mark.parametrize("stiffness", [None, 500.0, 1e7])
@pytest.mark.parametrize("apart", [0.0, 0.5])
def test_t11_crates_tied_to_each_other_keep_their_momenta(apart: float, stiffness: float | None, truth: Truth) -> None:
    """Without external forces both momenta are conserved within 1e-12, and energy grows by at most 1 %."""
    corner, other = int(np.argmax(CUBE.sum(axis=1))), int(np.argmin(CUBE.sum(axis=1)))
    place = tuple(CUBE[corner] - CUBE[other] + apart)
    systems = (
        crate("one", angular_velocity=(1.0, 3.0, -2.0), velocity=(0.2, 0.0, 0.4)),
        crate("two", place, velocity=(0.0, -0.5, 0.1)),
    )
    tied = Attachment("one", "two", [corner], [other], stiffness=stiffness)
    world = build_world(WorldSpec(systems, (Ignore(),), attachments=(tied,), **FREE))
    before, energy_before = momenta(world), energy(world, 0.0)
    for _ in range(96):
        step_frame(world)
        assert energy(world, 0.0) < 1.01 * energy_before
    for what, part in (("momentum", slice(0, 3)), ("angular momentum", slice(3, 6))):
        size = np.linalg.norm(before[part])
        truth("T11", f"{what} of tied crates, {stiffness}, {apart} m", momenta(world)[part] / size,
              before[part] / size, 1e-12, relative=False)


def test_what_cannot_be_tied_is_refused() -> None:
    one, two = crate("one"), crate("two", (1.0, 0.0, 0.0))
    with pytest.raises(SpecError, match="another body"):
        build_world(WorldSpec((one,), attachments=(Attachment("one", "one", [0], [1]),)))
    with pytest.raises(SpecError, match="up to 64"):
        build_world(WorldSpec((one, two), attachments=(Attachment("one", "two", [0] * 65, [1] * 65),)))
    with pytest.raises(SpecError, match="vertex indices"):
        build_world(WorldSpec((one, two), attachments=(Attachment("one", "two", [99], [1]),)))
    sheet = SpringGraphSpec("sheet", CUBE, SIDES)
    tie = Attachment("one", "sheet", [0], [1], stiffness=100.0)
    with pytest.raises(SpecError, match="with XPBD only"):
        build_world(WorldSpec((one, sheet), attachments=(tie,), integrator="SYMPLECTIC"))
    with pytest.raises(SpecError, match="no collider"):
        build_world(WorldSpec((one, DOCK), attachments=(Attachment("dock", "dock", [0], [1]),)))
