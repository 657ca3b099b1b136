"""A world with other settings that goes on from where another one stands: what live settings need."""

from __future__ import annotations

import numpy as np

from .build import build
from .spec import WorldSpec
from .systems import SpringGraphs
from .world import World


def carry(old: World, spec: WorldSpec) -> World:
    """Build a spec and let every spring graph that has as many vertices as before go on as it stands and moves.

    Links keep what they have yielded and whether they broke, as long as they are the same links. Colliders and water
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
    return new


def _carry_links(old: World, new: World) -> None:
    graphs = [next((s for s in world.systems if isinstance(s, SpringGraphs)), None) for world in (old, new)]
    was, now = (None if graph is None else graph.plasticity for graph in graphs)
    if was is not None and now is not None and np.array_equal(was.first, now.first):
        now.recall({name: value.copy() for name, value in was.memory().items()})
