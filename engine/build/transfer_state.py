"""Continues a running world with other settings, for live changes."""

from __future__ import annotations

from ..spec import WorldSpec
from ..world.world import World
from .build import build


def transfer_state(old: World, spec: WorldSpec) -> World:
    """Build a spec and continue from the old world's state wherever it still fits.

    Soft bodies with an unchanged vertex count keep positions, velocities and the plastic state of their links. Rigid
    bodies keep poses and momenta, and stay asleep as long as the set of bodies is the same. Colliders and water are
    placed as in the spec. A system that is new, or whose vertex count changed, starts as in the spec.

    Raises:
        SpecError: as `build`; the old world is unchanged.
    """
    new = build(spec)
    new.state.frame = old.state.frame
    before = {type(behaviour): behaviour for behaviour in old.behaviours()}
    for behaviour in new.behaviours():
        if type(behaviour) in before:
            behaviour.go_on_from(new, before[type(behaviour)], old)
    return new
