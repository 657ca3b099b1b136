"""Builds a `World` from a `WorldSpec`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..compiler.kernels import threads
from ..compiler.threads.thread_tuner import ThreadTuner
from ..errors import SpecError
from ..fields import FIELDS, Hand
from ..interactions import build_interactions
from ..spec import KINDS, Ignore, WorldSpec
from ..spec.check import check_world, points, vector
from ..step.stability import set_stable_substeps
from ..systems import SYSTEMS
from ..world.builder import Builder
from ..world.world import World, substep_length
from .joining import join, tie_soft
from .leashing import leash

# With fewer particles than this, waking worker threads costs more than it saves; the bits are the same.
MIN_PARTICLES_TO_SHARE = 1000


def build(
    spec: WorldSpec, torn: Mapping[str, np.ndarray] | None = None, rooms: Mapping[str, np.ndarray] | None = None,
) -> World:
    """Check a spec, let every system reserve its particles, and lay out the arrays.

    Args: torn, rooms: see `Builder`.

    Raises:
        SpecError: a value, a name or a combination that is not allowed.
    """
    check_world(spec)
    with threads(spec.threads):
        return _lay_out(spec, Builder(torn, rooms=rooms))


def _lay_out(spec: WorldSpec, builder: Builder) -> World:
    kinds = [getattr(system, "kind", None) for system in spec.systems]
    for kind, system in zip(kinds, spec.systems, strict=True):
        if kind not in SYSTEMS and kind not in FIELDS:
            raise SpecError(system.name, "kind", kind, ", ".join((*SYSTEMS, *FIELDS)))
    original = spec
    of_kind = {kind: [s for s, k in zip(spec.systems, kinds, strict=True) if k == kind] for kind in (*SYSTEMS, *FIELDS)}
    if spec.integrator == "XPBD":
        least = [behaviour.least_substeps(of_kind[kind], spec) for kind, behaviour in SYSTEMS.items() if of_kind[kind]]
        spec = replace(spec, substeps=max(int(spec.substeps), *least, 0))
    systems, fields = (
        [
            behaviour(of_kind[kind], builder, spec)
            for kind, behaviour in _as_reserved(registry)
            if behaviour.is_wanted(of_kind[kind], spec)
        ]
        for registry in (SYSTEMS, FIELDS)
    )
    systems.sort(key=lambda system: [*SYSTEMS.values()].index(type(system)))
    fields.sort(key=lambda one: [*FIELDS.values()].index(type(one)))
    fields.append(Hand())
    model = builder.model(vector("world", "gravity", spec.gravity))
    state = builder.state()
    thread_tuner = ThreadTuner(spec.threads, len(state.x) >= MIN_PARTICLES_TO_SHARE)
    drag_factor = np.exp(-model.air_drag * substep_length(spec))
    world = World(
        spec, model, state, drag_factor, thread_tuner, systems, fields, rigid=builder.rigid, rooms=builder.rooms,
    )
    world.build_torn = lambda torn: _lay_out(original, Builder(torn, builder.kept, builder.rooms))
    builder.links = join(spec, builder)
    builder.leashes = leash(spec, builder)
    if builder.rigid is not None:
        builder.rigid.ties = tie_soft(spec, builder)
    ignored = [Ignore(joint.a, joint.b) for joint in spec.joints if joint.b and joint.collide == "NO"]
    world.interactions = build_interactions([*spec.interactions, *ignored], builder, model, state)
    _move_to_starts(world)
    if spec.integrator == "SYMPLECTIC":
        set_stable_substeps(world)
    return world


def _as_reserved(registry: Mapping[str, type]) -> list[tuple[str, type]]:
    """Kinds in the order in which they reserve particles: those that move first, so that `World.moving` is a prefix.

    Of these, particles that do not collide with surfaces come first, so that contacts skip them all.
    """
    def place(item: tuple[str, type]) -> int:
        spec_class = KINDS.get(item[0])
        if spec_class is None:
            return 1
        traits = spec_class.traits
        return 0 if traits.carries or traits.steers else 1 if traits.moves else 2

    return sorted(registry.items(), key=place)


def _move_to_starts(world: World) -> None:
    """Move bodies that have `start` positions to them, after everything that needs rest positions was measured."""
    for system in (spec for owner in world.systems for spec in owner.specs):
        start = getattr(system, "start", None)
        if start is None:
            continue
        body, start = world.body(system.name), points(system.name, "start", start)
        count = len(system.vertices)
        if len(start) != count:
            raise SpecError(system.name, "start", f"{len(start)} positions", f"{count}, one a vertex")
        for array in (world.state.x, world.state.x_prev):
            array[body.start : body.start + count] = start
