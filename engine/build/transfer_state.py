"""Continues a running world with other settings, for live edits."""

from __future__ import annotations

import numpy as np

from ..spec import WorldSpec
from ..world.world import World
from .build import build


def transfer_state(old: World, spec: WorldSpec) -> World:
    """Build a spec and continue from the old world's state wherever it still fits.

    Soft bodies with an unchanged vertex count keep positions, velocities and the plastic state of their links. Rigid
    bodies keep poses and momenta, and stay asleep as long as the set of bodies is the same. Colliders and water are
    placed as in the spec; pieces that were rooms stay rooms. A system that is new, or whose vertex count changed,
    starts as in the spec.

    Raises:
        SpecError: as `build`; the old world is unchanged.
    """
    new = build(spec, _still_torn(old, spec), old.rooms)
    new.state.frame = old.state.frame
    before = {type(behaviour): behaviour for behaviour in old.behaviours()}
    for behaviour in new.behaviours():
        if type(behaviour) in before:
            behaviour.continue_from(new, before[type(behaviour)], old)
    return new


def _still_torn(old: World, spec: WorldSpec) -> dict[str, np.ndarray]:
    """The torn bodies whose mesh is the same in the new spec, see `Builder.torn`."""
    before = {system.name: system for system in old.spec.systems}
    now = {system.name: system for system in spec.systems if getattr(system, "tear", False)}
    return {
        name: torn for name, torn in old.torn().items()
        if name in now and all(
            np.array_equal(getattr(now[name], field), getattr(before[name], field))
            for field in ("triangles", "corners", "triangle_corners")
        )
    }
