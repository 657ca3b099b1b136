"""Soft bodies and pins that animation leads and then releases: they keep the velocity of the last led frame."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import (
    Attachment,
    ColliderSpec,
    Controls,
    Ignore,
    SpringGraphSpec,
    WorldSpec,
    build_world,
    cache,
    step_frame,
)
from flotsam.engine.world.world import World
from shapes import sheet, sphere

RATE, TURNS, LED = 24.0, 1.0, 12
BALL, FACES = sphere(0.2, 2)
KINDS: dict[str, dict[str, Any]] = {
    "springs": {"struts": 1, "stiffness": 2000.0},
    "air": {"pressure": 500.0, "stiffness": 500.0},
    "lattice": {"graph": "LATTICE", "young": 3e4, "voxel_size": 0.1},
    "spheres": {"stiffness": 500.0, "contact": "PROXIES"},
}
KINDS["explicit"] = KINDS["springs"]


def on_the_circle(frame: float) -> np.ndarray:
    """Animated position of the centre: once a second around a circle of 1 m."""
    angle = 2.0 * math.pi * TURNS * frame / RATE
    return np.array([math.cos(angle), math.sin(angle), 0.0])


def swung(kind: str) -> World:
    ball = SpringGraphSpec("ball", BALL + on_the_circle(0), FACES, animated=True, keyed=("animated",), **KINDS[kind])
    integrator = "SYMPLECTIC" if kind == "explicit" else "XPBD"
    return build_world(WorldSpec((ball,), gravity=(0.0, 0.0, 0.0), frame_rate=RATE, integrator=integrator))


def lead(frame: int) -> Controls:
    """Targets of all vertices, and whether animation leads them."""
    return Controls(pins={"ball": BALL + on_the_circle(frame)}, values={"ball": {"animated": float(frame <= LED)}})


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_released_from_a_circle_flies_off_on_the_tangent(kind: str, truth: Truth) -> None:
    """At the middle of the last led frame the chord of the path is the tangent; the speed is that of the chord."""
    world = swung(kind)
    for frame in range(1, LED + 1):
        step_frame(world, lead(frame))
        assert np.abs(world.positions("ball") - BALL - on_the_circle(frame)).max() < 1e-9
    start = world.positions("ball").mean(axis=0)
    for frame in range(LED + 1, LED + 25):
        step_frame(world, lead(frame))
    flown = world.positions("ball").mean(axis=0) - start
    chord = RATE * (on_the_circle(LED) - on_the_circle(LED - 1))
    truth("T1", f"a body of {kind} released from a circle", flown, chord, 1e-3, relative=False)
    tangent = on_the_circle(LED - 0.5)[[1, 0, 2]] * (-1.0, 1.0, 1.0)
    assert flown @ tangent / np.linalg.norm(flown) > 1.0 - 1e-6
    assert np.allclose(np.ptp(world.positions("ball"), axis=0), 0.4, atol=0.01)


def carpet(**fields: Any) -> SpringGraphSpec:
    vertices, triangles, edges = sheet((1.0, 1.0), (6, 6))
    return SpringGraphSpec("carpet", vertices, triangles, edges, stiffness=500.0, pins=np.arange(49), **fields)


@pytest.mark.parametrize("integrator", ["XPBD", "SYMPLECTIC"])
def test_released_pins_fly_on_and_are_caught_again(integrator: str) -> None:
    spec = carpet(keyed=("release_pins",))
    world = build_world(WorldSpec((spec,), gravity=(0.0, 0.0, 0.0), integrator=integrator))
    rest = np.asarray(spec.vertices)
    for frame in range(1, 7):
        step_frame(world, Controls(pins={"carpet": rest + (0.05 * frame, 0.0, 0.0)}))
    for _ in range(6):
        step_frame(world, Controls(values={"carpet": {"release_pins": 1.0}}))
    assert np.allclose(world.positions("carpet"), rest + (0.6, 0.0, 0.0), atol=1e-6)
    step_frame(world, Controls(pins={"carpet": rest}, values={"carpet": {"release_pins": 0.0}}))
    assert np.allclose(world.positions("carpet"), rest, atol=1e-9)
    step_frame(world)
    assert np.allclose(world.positions("carpet"), rest, atol=1e-9), "held, without a target"


def test_bodies_always_led_or_with_released_pins_are_as_if_held_or_free() -> None:
    gravity = {"gravity": (0.0, 0.0, -9.81)}
    led = build_world(WorldSpec((replace(carpet(animated=True), pins=()),), **gravity))
    free = build_world(WorldSpec((carpet(release_pins=True),), **gravity))
    plain = build_world(WorldSpec((replace(carpet(), pins=()),), **gravity))
    rest = led.positions("carpet")
    for world in (led, free, plain):
        for _ in range(6):
            step_frame(world)
    assert np.array_equal(led.positions("carpet"), rest)
    assert np.array_equal(free.positions("carpet"), plain.positions("carpet"))


def test_elastic_pins_are_released_and_pull_again() -> None:
    spec = replace(carpet(keyed=("release_pins",)), pins=())
    holder = ColliderSpec("holder", np.asarray(spec.vertices)[:3] + (0.0, 0.0, 1.0), np.array([[0, 1, 2]]))
    pins = Attachment("carpet", "holder", [0, 1, 2], [0, 1, 2], stiffness=20.0, rest_length=0.0, is_pin=True)
    alone = (Ignore("holder", "*"),)
    world = build_world(WorldSpec((spec, holder), alone, attachments=(pins,), gravity=(0.0, 0.0, 0.0)))
    step_frame(world, Controls(values={"carpet": {"release_pins": 1.0}}))
    assert np.allclose(world.positions("carpet"), spec.vertices, atol=1e-6), "nothing pulls"
    for _ in range(4):
        step_frame(world, Controls(values={"carpet": {"release_pins": 0.0}}))
    assert world.positions("carpet")[:, 2].mean() > 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_a_released_body_goes_on_from_its_file(kind: str, tmp_path: Path) -> None:
    """Restored before or after the release, the next frames have the same bits."""
    world, saved = swung(kind), {}
    for frame in range(1, LED + 6):
        if frame in (LED - 1, LED + 3):
            cache.save_state(tmp_path / f"{frame}", world.snapshot())
            saved[frame] = True
        step_frame(world, lead(frame))
    for first in saved:
        fresh = swung(kind)
        fresh.restore(cache.load_state(tmp_path / f"{first}", swung(kind).snapshot()))
        for frame in range(first, LED + 6):
            step_frame(fresh, lead(frame))
        assert np.array_equal(fresh.state.x, world.state.x), first


def test_a_led_ball_pushes_a_free_one_by_spheres() -> None:
    """Spheres of a led body push others, and nothing pushes them."""
    soft = {"stiffness": 500.0, "contact": "PROXIES", "keyed": ("animated",)}
    led = SpringGraphSpec("ball", BALL, FACES, animated=True, **soft)
    free = SpringGraphSpec("other", BALL + (0.5, 0.0, 0.0), FACES, **soft)
    world = build_world(WorldSpec((led, free), gravity=(0.0, 0.0, 0.0)))
    for frame in range(1, 13):
        step_frame(world, Controls(pins={"ball": BALL + (0.05 * frame, 0.0, 0.0)}))
    assert np.abs(world.positions("ball") - BALL - (0.6, 0.0, 0.0)).max() < 1e-9
    assert world.positions("other")[:, 0].mean() > 0.9
