"""A world with other settings that goes on from where another one stands: what live settings need."""

from __future__ import annotations

from ..spec import WorldSpec
from ..world.world import World
from .build import build


def transfer_state(old: World, spec: WorldSpec) -> World:
    """Build a spec and let everything that is still there go on as it stands and moves.

    Soft bodies with as many vertices as before keep positions, velocities and what their links have become. Rigid
    bodies keep poses and momenta, and sleep on as long as all bodies are the same. Colliders and water are where the
    spec says; what is new, or has another number of vertices, starts as the spec says.

    Raises:
        SpecError: as `build`; the old world is untouched.
    """
    new = build(spec)
    new.state.frame = old.state.frame
    before = {type(behaviour): behaviour for behaviour in old.behaviours()}
    for behaviour in new.behaviours():
        if type(behaviour) in before:
            behaviour.go_on_from(new, before[type(behaviour)], old)
    return new
