"""A world with other settings that goes on from where another one stands: what live settings need."""

from __future__ import annotations

import numpy as np

from .build import build
from .interactions.contact import Contacts
from .rigid.motion import give_velocities, place_particles
from .spec import WorldSpec
from .systems import SpringGraphs, VoxelBodies
from .world import World


def carry(old: World, spec: WorldSpec) -> World:
    """Build a spec and let every body that has as many vertices as before go on as it stands and moves.

    Links keep what they have yielded and whether they broke, as long as they are the same links. Rigid bodies that
    sleep go on sleeping, by what their contacts bore, as long as all bodies are the same. Colliders and water
    are where the spec says; bodies that are new or have another number of vertices start as the spec says.

    Raises:
        SpecError: as `build`; the old world is untouched.
    """
    new = build(spec)
    new.state.frame = old.state.frame
    before = {body.name: body for body in old.model.bodies}
    for body in new.model.bodies:
        was = before.get(body.name)
        same = was is not None and was.kind == body.kind == "SPRING_GRAPH"
        if not same or was.stop - was.start != body.stop - body.start:
            continue
        for name in ("x", "x_prev", "v"):
            getattr(new.state, name)[body.start : body.stop] = getattr(old.state, name)[was.start : was.stop]
        # Who is pinned since then has no speed of its own any more.
        new.state.v[body.start : body.stop][new.model.inv_mass[body.start : body.stop] == 0.0] = 0.0
    _carry_links(old, new)
    _carry_rigid(old, new)
    return new


def _carry_rigid(old: World, new: World) -> None:
    was, now = (next((s for s in world.systems if isinstance(s, VoxelBodies)), None) for world in (old, new))
    if was is None or now is None:
        return
    before = {spec.name: number for number, spec in enumerate(was.specs)}
    for number, spec in enumerate(now.specs):
        if spec.name in before:
            now.go_on_from(number, was, before[spec.name])
    rigid, state = now.rigid, new.state
    place_particles(rigid.first, rigid.start, rigid.stop, rigid.local, rigid.position, rigid.rotation, state.x)
    state.x_prev[rigid.own] = state.x[rigid.own]
    give_velocities(
        rigid.start, rigid.stop, rigid.inertia, rigid.position, rigid.rotation, rigid.velocity, rigid.spin, state.x,
        state.v,
    )
    # What contacts bore is known by particles' places, and means nothing where others have these.
    same = old.model.bodies == new.model.bodies
    for one, other in zip(old.interactions, new.interactions, strict=False):
        if same and isinstance(one, Contacts) and isinstance(other, Contacts) and one.rigid and other.rigid:
            other.rigid.recall(one.rigid.memory())


def _carry_links(old: World, new: World) -> None:
    graphs = [next((s for s in world.systems if isinstance(s, SpringGraphs)), None) for world in (old, new)]
    was, now = (None if graph is None else graph.plasticity for graph in graphs)
    if was is not None and now is not None and np.array_equal(was.first, now.first):
        now.recall({name: value.copy() for name, value in was.memory().items()})
