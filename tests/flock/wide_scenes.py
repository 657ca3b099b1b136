"""Random scenes of the wider kind: those of `test_mixed_scenes` with ropes, cloth, fluids and rules between kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from flotsam.engine import Adhesion, Attachment, Charge, Drag, Flee, FlockSpec, FluidSpec, SpringGraphSpec, WorldSpec
from test_flock import CORNERS, SIDES


def rope(rng: np.random.Generator, flock: FlockSpec) -> SpringGraphSpec:
    """Three to seven vertices from near the first agent of a flock towards the middle of the room."""
    first = flock.positions[0]
    step = -0.12 * first / np.linalg.norm(first)
    count = int(rng.integers(3, 8))
    edges = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    return SpringGraphSpec(
        "rope", first + step * np.arange(1, count + 1)[:, None], edges=edges, graph="EDGES",
        mass=10.0 ** rng.uniform(-1.5, 0.5), stiffness=10.0 ** rng.uniform(2.5, 4.5),
    )


def cloth(rng: np.random.Generator) -> SpringGraphSpec:
    """A level sheet of 1.2 m, mostly free."""
    count = int(rng.integers(4, 9))
    across = np.linspace(-0.6, 0.6, count)
    vertices = np.stack([*np.meshgrid(across, across, indexing="ij"), np.zeros((count, count))], axis=2).reshape(-1, 3)
    number = np.arange(count * count).reshape(count, count)
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[:-1, 1:], number[1:, 1:]
    triangles = np.concatenate([np.stack(one, axis=2).reshape(-1, 3) for one in ((a, b, c), (b, d, c))])
    place = [*rng.uniform(-0.5, 0.5, 2), rng.uniform(-1.2, 1.4)]
    pins = np.array([0, count - 1] if rng.random() < 0.4 else [], dtype=np.int64)
    return SpringGraphSpec(
        "cloth", vertices + place, triangles, stiffness=10.0 ** rng.uniform(2.0, 4.5),
        mass=10.0 ** rng.uniform(-1.7, 0.5), pins=pins,
    )


def rule(rng: np.random.Generator, flock: str, names: list[str]) -> object:
    """One rule between two bodies, or of a flock and another body."""
    one, other = (str(name) for name in rng.choice(names, 2, replace=False))
    size = rng.random()
    rules: tuple[Callable[[], object], ...] = (
        lambda: Flee(flock, other if other != flock else one),
        lambda: Adhesion(one, other, reach=0.3, strength=10.0 ** (3.0 * size - 2.0)),
        lambda: Drag(one, other, reach=0.5, strength=10.0 ** (4.0 * size - 2.0)),
        lambda: Charge(one, other, strength=10.0 ** (3.0 * size - 4.0)),
    )
    return rules[int(rng.integers(4))]()


def wider(base: WorldSpec, seed: int) -> WorldSpec:
    """A scene of `test_mixed_scenes.scene` with more systems; a quarter of those that may be explicit are."""
    rng = np.random.default_rng(seed + 1_000_000)
    systems: list[Any] = list(base.systems)
    flock = next(one for one in systems if one.kind == "FLOCK")
    crates = [one.name for one in systems if one.kind == "VOXEL_BODY"]
    ties, may_be_explicit = [], True
    if rng.random() < 0.5:
        systems.append(rope(rng, flock))
        ties.append(Attachment(flock.name, "rope", [0], [0]))
        if crates and rng.random() < 0.5:
            ties.append(Attachment("rope", crates[0], [len(systems[-1].vertices) - 1], [0]))
            may_be_explicit = False
    if rng.random() < 0.5:
        systems.append(cloth(rng))
    if rng.random() < 0.35:
        place = rng.uniform(-1.0, 1.0, 3) * [1.0, 1.0, 0.7]
        systems.append(FluidSpec(
            "fluid", 0.35 * CORNERS + place, SIDES, spacing=rng.uniform(0.09, 0.14),
            density=10.0 ** rng.uniform(2.0, 3.3),
        ))
        may_be_explicit = False
    names = [one.name for one in systems if one.kind in ("FLOCK", "SPRING_GRAPH", "VOXEL_BODY")]
    rules = (rule(rng, flock.name, names),) if len(names) > 1 and rng.random() < 0.4 else ()
    is_explicit = rng.random() < 0.25 and may_be_explicit
    return replace(
        base, systems=tuple(systems), interactions=rules, attachments=tuple(ties),
        integrator="SYMPLECTIC" if is_explicit else "XPBD",
    )
