"""No tunnelling: random shots at plates of zero thickness, solids, moving plates and pinned sheets.

`python -m pytest tests/engine/test_tunnelling.py --shots 10000` is the long run. The shots are the same in every run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, Controls, Ignore, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.rotation import rotation_of
from shapes import box, chain, sheet, sphere, torus

# Shots in one world, each at its own target, too far apart to reach another's.
TOGETHER = 20
APART = 200.0
FRAMES = 4
KINDS = ("plate", "solid", "moving plate", "turning plate", "sheet")


@dataclass
class Shot:
    """A body on its way to a target.

    Attributes:
        body, target: specs; normal: (3,) of the target, along the shot; middle: (3,) point of the target [m].
        motion: (3,) velocity of the target [m/s]; turn_rate: (3,) its angular velocity about its middle [rad/s].
        size: of the body [m].
    """

    kind: str
    body: SpringGraphSpec
    target: ColliderSpec | SpringGraphSpec
    normal: np.ndarray
    middle: np.ndarray
    motion: np.ndarray
    turn_rate: np.ndarray
    size: float

    def pose(self, frame: int) -> np.ndarray:
        """Pose of the target after `frame` frames, (4, 4)."""
        pose, time = np.eye(4), frame / 24.0
        pose[:3, :3] = rotation_of(self.turn_rate * time)
        pose[:3, 3] = self.middle - pose[:3, :3] @ self.middle + self.motion * time
        return pose

    def through(self, x: np.ndarray, target: np.ndarray, frame: int) -> int:
        """Number of particles on the far side."""
        if self.kind == "solid":
            return int((np.linalg.norm(x - self.middle - 20.0 * self.normal, axis=1) < 19.0).sum())
        if self.kind == "sheet":
            return int((x @ self.normal > (target @ self.normal).max() + 0.1 * self.size).sum())
        pose = self.pose(frame)
        normal = pose[:3, :3] @ self.normal
        return int(((x - pose[:3, :3] @ self.middle - pose[:3, 3]) @ normal > 1e-4).sum())


def draw_shot(number: int) -> Shot:
    """The shot of that number: a ball, box, ring or chain of 3 cm to 1 m, at 1 to 200 m/s, 1 g to 10 kg."""
    rng = np.random.default_rng(number)
    kind = KINDS[rng.integers(len(KINDS))]
    middle = APART * (number % TOGETHER) * np.array([1.0, 0.0, 0.0])
    speed, size = 10.0 ** rng.uniform(0.0, np.log10(200.0)), 10.0 ** rng.uniform(-1.5, 0.0)
    tilt = rotation_of(rng.normal(size=3))
    normal = tilt[:, 2]
    direction = normal + 0.6 * rng.uniform(-1.0, 1.0) * tilt[:, 0]
    direction /= np.linalg.norm(direction)
    vertices, triangles, edges = draw_body(rng, size)
    vertices = vertices @ rotation_of(rng.normal(size=3)).T
    # Moved back along its path until its foremost vertex has the given distance to the target's plane.
    ahead = (vertices @ normal).max() + 0.05 + rng.uniform(0.0, 1.0) * speed / 24.0
    vertices = vertices + middle - direction * ahead / (direction @ normal)
    body = SpringGraphSpec(
        f"shot {number}", vertices, triangles, edges, graph="EDGES" if triangles is None else "SURFACE",
        stiffness=10.0 ** rng.uniform(1.0, 5.0), mass=10.0 ** rng.uniform(-3.0, 1.0), velocity=direction * speed,
    )
    target, size = draw_target(kind, number, rng, size, middle, tilt)
    motion = -normal * speed * rng.uniform(0.0, 1.0) if kind == "moving plate" else np.zeros(3)
    turn_rate = tilt[:, 1] * rng.uniform(-2.0, 2.0) if kind == "turning plate" else np.zeros(3)
    return Shot(kind, body, target, normal, middle, motion, turn_rate, size)


def draw_body(rng: np.random.Generator, size: float) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Vertices, triangles, edges."""
    shape = rng.integers(4)
    if shape == 0:
        return *sphere(size, int(rng.integers(3))), None
    if shape == 1:
        return *box(2.0 * size, int(rng.integers(1, 4))), None
    if shape == 2:
        return torus(0.7 * size, 0.3 * size, 12, 6)
    vertices, edges = chain(6, 2.0 * size, (1.0, 0.0, 0.0))
    return vertices, None, edges


def draw_target(
    kind: str, number: int, rng: np.random.Generator, size: float, middle: np.ndarray, tilt: np.ndarray,
) -> tuple[ColliderSpec | SpringGraphSpec, float]:
    """The target, and the size that defines its far side."""
    half = 40.0
    if kind == "solid":
        vertices, triangles = sphere(20.0, 3)
        vertices = vertices @ tilt.T
        return ColliderSpec(f"target {number}", vertices + middle + 20.0 * tilt[:, 2], triangles), 20.0
    if kind == "sheet":
        half = 2.0 + 2.0 * size
        vertices, triangles, edges = sheet((2.0 * half, 2.0 * half), (10, 10))
        rim = np.flatnonzero((np.abs(vertices[:, :2] - half) > 0.999 * half).any(axis=1))
        vertices = (vertices - [half, half, 0.0]) @ tilt.T + middle
        target = SpringGraphSpec(
            f"target {number}", vertices, triangles, edges, stiffness=1e5, mass=20.0, pins=rim, mass_by="AREA"
        )
        return target, size
    cuts = int(rng.integers(1, 6))
    vertices, triangles, _edges = sheet((2.0 * half, 2.0 * half), (cuts, cuts))
    return ColliderSpec(f"target {number}", (vertices - [half, half, 0.0]) @ tilt.T + middle, triangles), half


def fire(first: int, substeps: int) -> dict[int, int]:
    """Fire the shots first : first + TOGETHER in one world; for each that tunnelled, the number of its particles."""
    shots = [draw_shot(number) for number in range(first, first + TOGETHER)]
    systems = [spec for shot in shots for spec in (shot.body, shot.target)]
    ignore = tuple(Ignore(a.body.name, b.body.name) for a in shots for b in shots if a is not b)
    world = build_world(WorldSpec(tuple(systems), ignore, gravity=(0.0, 0.0, 0.0), substeps=substeps))
    worst = dict.fromkeys(range(first, first + TOGETHER), 0)
    for frame in range(1, FRAMES + 1):
        moving = {s.target.name: s.pose(frame) for s in shots if s.kind in ("moving plate", "turning plate")}
        step_frame(world, Controls(colliders=moving))
        for number, shot in zip(worst, shots, strict=True):
            x, target = world.positions(shot.body.name), world.positions(shot.target.name)
            worst[number] = max(worst[number], shot.through(x, target, frame))
    return {number: count for number, count in worst.items() if count}


def test_no_shot_gets_through(pytestconfig: pytest.Config) -> None:
    count = pytestconfig.getoption("shots")
    through: dict[int, int] = {}
    for first in range(0, count, TOGETHER):
        through |= fire(first, 4 + first // TOGETHER % 17)
    assert through == {}


def test_nobody_gets_round_the_edge_of_two_faces() -> None:
    """Shot 875 once passed through one face of a sheet, over its edge, and back through its plane beside it."""
    assert fire(860, 13) == {}
