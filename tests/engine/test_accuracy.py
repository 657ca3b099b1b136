"""Solving error of springs: measured, and limited when `solving_error` is set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flotsam.engine import SpecError, SpringGraphSpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World
from shapes import torus

ALLOWED = 0.002
FRAMES = 24


def hung_ring(**settings: object) -> WorldSpec:
    """A fine inflated ring that hangs from a few pinned vertices; one inner step does not solve it."""
    vertices, triangles, edges = torus(1.0, 0.3, 48, 24)
    ring = SpringGraphSpec(
        "ring", vertices, triangles, edges, mass=5.0, stiffness=4000.0, pressure=20.0, air_drag=2.0,
        pins=np.flatnonzero(vertices[:, 0] > 1.25),
    )
    return WorldSpec(systems=(ring,), **{"spring_steps": 1, "substeps": 5, **settings})


def run(spec: WorldSpec, frames: int = FRAMES) -> tuple[World, list[float], list[float]]:
    """The world, and for each frame the mean residual and the number of inner steps."""
    world = build_world(spec)
    seen = [step_frame(world).diagnostics for _ in range(frames)]
    return world, [d["ring"]["residual"][0] for d in seen], [d["world"]["spring_steps"][0] for d in seen]


def test_frames_hold_the_error_that_is_asked() -> None:
    """Without a limit every frame exceeds the error; with one none does, and 0.6 times its inner steps are too few."""
    _world, free, one = run(hung_ring())
    assert min(free[FRAMES // 2 :]) > 2.0 * ALLOWED
    assert set(one) == {1.0}
    _world, held, steps = run(hung_ring(solving_error=ALLOWED))
    assert max(held) <= ALLOWED
    assert max(steps) > 1.0
    few = int(0.6 * steps[-1])
    assert run(hung_ring(spring_steps=few))[1][-1] > ALLOWED


def test_stretch_comes_as_near_as_the_error_says() -> None:
    """The mean stretch of the ring is within the allowed error of that of a ring solved with 64 inner steps."""
    worlds = [run(hung_ring(**settings))[0] for settings in ({"solving_error": ALLOWED}, {"spring_steps": 64})]
    held, solved = (step_frame(world).diagnostics["ring"]["stretch"][0] for world in worlds)
    assert abs(held - solved) < ALLOWED


@pytest.mark.parametrize("threads", [1, 2])
def test_a_snapshot_keeps_the_steps(threads: int) -> None:
    """After a restore the bits are the same, including the number of steps, for any number of threads."""
    world = build_world(hung_ring(solving_error=ALLOWED, threads=threads))
    step_frame(world)
    saved = world.snapshot()
    after = [step_frame(world) for _ in range(6)]
    assert after[0].diagnostics["world"] != after[-1].diagnostics["world"]
    world.restore(saved)
    again = [step_frame(world) for _ in range(6)]
    for one, other in zip(after, again, strict=True):
        assert np.array_equal(one.positions["ring"], other.positions["ring"])
        assert one.diagnostics["world"] == other.diagnostics["world"]
    alone = build_world(hung_ring(solving_error=ALLOWED, threads=1))
    frames = [step_frame(alone) for _ in range(7)]
    assert np.array_equal(frames[-1].positions["ring"], after[-1].positions["ring"])


def test_what_cannot_be_held_ends() -> None:
    """An error below rounding is given up after some tries; the one that remains is far below that without a limit."""
    spec = hung_ring(substeps=1)
    _world, free, _one = run(spec, 3)
    _world, held, steps = run(replace(spec, solving_error=1e-12), 3)
    assert 1e-12 < max(held) < 0.1 * min(free)
    assert max(steps) <= 1000.0


@pytest.mark.parametrize("wrong", [-0.1, 2.0, float("nan")])
def test_a_wrong_error_is_refused_in_a_sentence(wrong: float) -> None:
    with pytest.raises(SpecError, match="solving_error"):
        build_world(hung_ring(solving_error=wrong))


def test_an_easy_scene_gets_cheaper() -> None:
    """A body that floats freely takes fewer inner steps from frame to frame."""
    vertices, triangles, edges = torus(1.0, 0.3, 16, 8)
    body = SpringGraphSpec("ring", vertices, triangles, edges)
    world = build_world(WorldSpec(systems=(body,), spring_steps=20, solving_error=ALLOWED, gravity=(0.0, 0.0, 0.0)))
    steps = [step_frame(world).diagnostics["world"]["spring_steps"][0] for _ in range(30)]
    assert steps == sorted(steps, reverse=True)
    assert steps[-1] < 5.0
