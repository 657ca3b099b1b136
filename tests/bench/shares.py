"""Fractions of a frame's time by stage: springs, search, narrow phase, response, forces and the rest.

The methods of these stages are timed while frames run. Time in a nested stage counts for that stage only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from flotsam.engine import SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.fields.water.system import Waters
from flotsam.engine.interactions.contact.rigid_contact import RigidContacts
from flotsam.engine.interactions.contact.system import Contacts
from flotsam.engine.solver.collide.broad_phase.broad_phase import BroadPhase
from flotsam.engine.solver.rigid.hulls.contacts import HullContacts
from flotsam.engine.systems.spring_graph.system import SpringGraphs
from flotsam.engine.world.world import World

from . import heap, jostling
from .measure import Ledger
from .options import Options
from .ring_on_floor import AIR_DRAG, HEIGHT, MASS, PRESSURE, STIFFNESS, floor
from .torus import SIZES, torus

# Methods of each stage.
STAGES: dict[str, tuple[tuple[type, str], ...]] = {
    "springs": ((SpringGraphs, "_solve"),),
    "search": ((BroadPhase, "look"), (BroadPhase, "look_back")),
    "narrow phase": ((Contacts, "find"), (HullContacts, "find"), (HullContacts, "find_pressed")),
    "response": (
        (Contacts, "solve"), (RigidContacts, "solve"), (RigidContacts, "hold_walls"), (RigidContacts, "bounce"),
    ),
    "forces": ((Waters, "push"),),
}
REST = "rest"
# Untimed frames first, then timed frames.
WARM_UP, FRAMES = 20, 12


class Stopwatch:
    """Seconds by stage; time counts for the innermost running stage."""

    def __init__(self) -> None:
        """Nothing has been timed yet."""
        self.seconds = dict.fromkeys(STAGES, 0.0)
        self._running: list[str] = []
        self._since = 0.0

    def timed(self, stage: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """A wrapper that counts the method's time for that stage."""
        def call(*arguments: Any, **named: Any) -> Any:
            self._switch()
            self._running.append(stage)
            try:
                return method(*arguments, **named)
            finally:
                self._switch()
                self._running.pop()
        return call

    def _switch(self) -> None:
        """Add the time since the last switch to the stage that was running."""
        now = time.perf_counter()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now


@contextmanager
def timed_stages() -> Iterator[Stopwatch]:
    """Wrap the methods of all stages in timers; restore them at the end."""
    watch, originals = Stopwatch(), []
    for stage, methods in STAGES.items():
        for owner, name in methods:
            originals.append((owner, name, getattr(owner, name)))
            setattr(owner, name, watch.timed(stage, getattr(owner, name)))
    try:
        yield watch
    finally:
        for owner, name, method in originals:
            setattr(owner, name, method)


def stage_fractions(world: World, frames: int) -> dict[str, float]:
    """Fraction of each stage in the time of some frames; the fractions add up to 1."""
    with timed_stages() as watch:
        started = time.perf_counter()
        for _ in range(frames):
            step_frame(world)
        total = time.perf_counter() - started
    found = {stage: seconds / total for stage, seconds in watch.seconds.items()}
    return found | {REST: 1.0 - sum(found.values())}


def run(ledger: Ledger, options: Options) -> None:
    """A ring on the floor, the same with self-collision, rings on water, a ring under a crate, a pile of boxes."""
    size, rings, boxes = ("2k", 4, 20) if options.quick else ("8k", 20, 200)
    warm_up, frames = (2, 2) if options.quick else (WARM_UP, FRAMES)
    scenes = {
        f"a torus of {size} on the ground": lambda: _torus(size),
        f"a torus of {size} that meets itself": lambda: _torus(size, self_collision=True),
        f"{rings} rings on water": lambda: jostling.build(rings, "surface", substeps=10),
        f"a torus of {size} under a crate": lambda: _torus(size, crate=True),
        f"a heap of {boxes} boxes": lambda: heap.build(heap.drop(boxes), heap.CUTS),
    }
    for what, build in scenes.items():
        options.tell(f"where the time goes in {what}")
        world = build()
        for _ in range(warm_up):
            step_frame(world)
        found = stage_fractions(world, frames)
        ledger.notes.append(
            f"A frame of {what}: "
            + ", ".join(f"{stage} {100.0 * fraction:.0f} %" for stage, fraction in found.items()) + "."
        )


def _torus(size: str, self_collision: bool = False, crate: bool = False) -> World:
    """A torus just above the ground, with a crate above it if `crate`."""
    mesh = torus(*SIZES[size], HEIGHT)
    body = SpringGraphSpec(
        "torus", mesh.vertices, mesh.triangles, mesh.edges, mass=MASS, stiffness=STIFFNESS, pressure=PRESSURE,
        air_drag=AIR_DRAG, self_collision=self_collision,
    )
    vertices, triangles = heap.box(1)
    box = VoxelBodySpec("crate", vertices + [0.0, 0.0, 2.0], triangles, voxel_size=0.1, density=20.0)
    return build_world(WorldSpec((body, floor(), *((box,) if crate else ())), substeps=10))
