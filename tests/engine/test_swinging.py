"""Vertices that oscillate within a substep touch at their actual positions, not where their last velocity points."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from flotsam.engine import ColliderSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.interactions.contact.system import Contacts
from flotsam.engine.step.behaviour import Behaviour
from flotsam.engine.step.stage import Stage
from flotsam.engine.world.world import World
from shapes import box, sheet

# Starts over which the number of flickering vertices is averaged.
STARTS = 10
FLOOR = ColliderSpec("floor", [[-6, -6, 0], [6, -6, 0], [6, 6, 0], [-6, 6, 0]], [[0, 1, 2], [0, 2, 3]])


@dataclass(eq=False)
class Touched(Behaviour):
    """Runs as the last interaction of a world and records which particles touch rigid bodies in each substep."""

    own: slice
    seen: list[np.ndarray] = field(default_factory=list)

    def apply(self, stage: Stage, world: World, h: float) -> None:
        if stage is Stage.VELOCITY:
            rigid = next(one for one in world.interactions if isinstance(one, Contacts)).rigid
            touched = np.zeros(len(world.state.x), dtype=bool)
            touched[rigid.columns.contact[: rigid.solved]] = True
            self.seen.append(touched[self.own])


def below_a_stone(aside: float) -> tuple[World, Touched]:
    """A stone of 70 kg on a cloth of 1 m that hangs by two sides, on a floor, and its contacts in half a second."""
    vertices, triangles, edges = sheet((1.0, 1.0), (20, 20))
    vertices = vertices + [-0.5, -0.5, 0.6]
    held = np.flatnonzero(np.abs(vertices[:, 0]) > 0.49)
    cloth = SpringGraphSpec(
        "cloth", vertices, triangles, edges, pins=held, stiffness=471.0, thickness=0.005, friction=0.5,
        mass_by="AREA_DENSITY", area_density=0.2, air_drag=0.5, bending=1.6e-4,
    )
    corners, faces = box(0.3, 1)
    (c, e), (s, t) = np.cos([0.5, 0.3]), np.sin([0.5, 0.3])
    rotation = np.array([[e, 0, t], [0, 1, 0], [-t, 0, e]]) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    stone = VoxelBodySpec(
        "stone", corners @ rotation.T + [0.03 + aside, 0.02, 1.0], faces, density=2600.0, friction=0.7, restitution=0.1
    )
    world = build_world(WorldSpec(systems=(cloth, stone, FLOOR)))
    for _ in range(40):
        step_frame(world)
    body = world.body("cloth")
    world.interactions.append(touched := Touched(slice(body.start, body.stop)))
    for _ in range(12):
        step_frame(world)
    return world, touched


def test_contacts_of_what_swings_do_not_flicker() -> None:
    """On average over ten starts fewer than 0.35 contacts a substep flicker, of 60 to 90 vertices that touch.

    A vertex flickers if it touches in a substep but not in the ones before and after it, or the reverse. Edges of the
    cloth between the stone and the pins are stretched and oscillate several times in a substep. Contacts were found at
    x + h v, with the v that the last inner step had left, and an overlap at x - h v, where no vertex had been, was
    recovered with a lever of six: one vertex a substep flickered then, and vertices moved back and forth by millimetres
    without end. With only the overlap measured where the substep began, it is 0.4 on average. Now it is 0.1 to 0.2.
    Most starts have next to none and one in ten has one a substep, so the test takes ten starts. In a quarter of the
    starts, different ones on each processor, the stone has rolled off its edge and the cloth by then; these do not
    count.
    """
    flickers: list[float] = []
    for aside in (*np.arange(-0.02, 0.035, 0.01), -0.03, -0.025, -0.015, 0.005, -0.005, 0.015, 0.025, 0.012, -0.012):
        _world, touched = below_a_stone(aside)
        seen = np.array(touched.seen)
        if seen.any(axis=1).all():
            flickers.append(((seen[:-2] == seen[2:]) & (seen[1:-1] != seen[2:])).sum(axis=1).mean())
        if len(flickers) == STARTS:
            break
    assert len(flickers) >= STARTS // 2 and np.mean(flickers) < 0.35


def test_a_snapshot_knows_where_the_last_substep_began() -> None:
    world, _touched = below_a_stone(0.0)
    saved, found = world.snapshot(), []
    for _ in range(2):
        for _ in range(2):
            step_frame(world)
        found.append(world.state.x.copy())
        world.restore(saved)
    assert np.array_equal(*found)
