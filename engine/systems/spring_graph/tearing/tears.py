"""Tears of all bodies of a world, and the state that is carried over when tables are rebuilt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....mesh.graph.edges import match_pairs
from ....spec import SpringGraphSpec
from ....world.frame import Frame
from ....world.world import World
from .tearing import Tearing

if TYPE_CHECKING:
    from ..placing import Placed
    from ..system import SpringGraphs


class Tears:
    """Tears of all bodies.

    Attributes:
        bodies: by name, those that may tear.
    """

    def __init__(
        self, specs: Sequence[SpringGraphSpec], placed: Mapping[str, Placed], tied: np.ndarray, counts: Sequence[int],
    ) -> None:
        """Args: specs: of whole meshes; placed: the bodies; tied: (m, 2) particles; counts: links of each body."""
        self.bodies: dict[str, Tearing] = {}
        self._links: dict[str, slice] = {}
        for spec, own, stop in zip(specs, placed.values(), np.cumsum(counts).tolist(), strict=True):
            if own.torn is None:
                continue
            is_held = np.zeros(own.torn.vertex_count, dtype=bool)
            ends = np.concatenate([own.pins, tied.reshape(-1)]) - own.start
            is_held[own.torn.parent[ends[(ends >= 0) & (ends < own.count)]]] = True
            links = own.links.pairs - np.int32(own.start)
            self.bodies[spec.name] = Tearing(spec, own.torn, own.start, links, own.breaks, is_held, own.strength)
            self._links[spec.name] = slice(stop - len(links), stop)

    def tear(self, world: World, rest: np.ndarray) -> dict[str, np.ndarray] | None:
        """Split particles that tear at the end of a frame; rest: (s,) of all links [m]; see `System.tear`."""
        h, pierced = 1.0 / float(world.spec.frame_rate), _pierced(world)
        some = [
            body.tear(world.state, rest[self._links[name]].astype(np.float64), h, pierced)
            for name, body in self.bodies.items()
        ]
        return self.particles() if any(some) else None

    def unstitch(self, name: str, value: float) -> None:
        """Set the value up to which seams of a body open; no effect on a body that does not tear."""
        if name in self.bodies:
            self.bodies[name].set_unstitch(value)

    def particles(self) -> dict[str, np.ndarray]:
        """Particle of each face corner, (c,) by name."""
        return {name: body.torn.particle for name, body in self.bodies.items()}

    def continue_torn(self, graphs: SpringGraphs, other: SpringGraphs) -> None:
        """Continue air, steps and yielded links from spring graphs whose bodies have fewer tears."""
        own, old = graphs.gas, other.gas
        own.active[:], own.amount[:] = False, 0.0
        for body in np.unique(old.body[old.active]):
            mine, theirs = own.body == body, (old.body == body) & old.active
            volume = own.rest_volume[mine]
            if len(volume):
                own.active[mine] = True
                own.amount[mine] = old.amount[theirs].sum() * volume / volume.sum()
        own.breathes = bool(own.active.any())
        graphs.go_on_with_steps(other)
        graphs.cells.rides.held[:] = other.cells.rides.held
        if graphs.plasticity is not None and other.plasticity is not None:
            self._take_over_links(graphs, other)
        for name, body in self.bodies.items():
            body.recall({key: value.copy() for key, value in other.tears.bodies[name].memory().items()})

    def _take_over_links(self, graphs: SpringGraphs, other: SpringGraphs) -> None:
        """Copy the plastic state of links; a new link takes that of the first link between the same two vertices."""
        parent = np.arange(len(graphs.rows.row))
        for body in self.bodies.values():
            own = slice(body.start, body.start + body.torn.used)
            parent[own] = body.start + body.torn.parent[: body.torn.used]
        old, new = other.pairs.astype(np.int64), graphs.pairs.astype(np.int64)
        exact, by_vertex = (match_pairs(of[old], of[new]) for of in (np.arange(len(parent)), parent))
        found = np.where(exact >= 0, exact, by_vertex)
        for name in ("rest", "alive"):
            values = graphs.springs.by_link(getattr(graphs.plasticity, name))
            before = other.springs.by_link(getattr(other.plasticity, name))
            values = np.where(found >= 0, before[found], values)
            setattr(graphs.plasticity, name, graphs.springs.packed(values, values.dtype.type(name == "alive")))
        graphs.plasticity.update_tables()

    def report(self, world: World, frame: Frame, stress: np.ndarray) -> None:
        """Add corners, and the number of vertices that were split."""
        for name, body in self.bodies.items():
            frame.corners[name] = body.report(world.state, stress)
            frame.diagnostics[name]["splits"] = (float(body.torn.used - body.torn.vertex_count),)

    def memory(self) -> dict[str, Any]:
        """State that a snapshot must keep."""
        return {name: body.memory() for name, body in self.bodies.items()}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore a snapshot's state."""
        for name, body in self.bodies.items():
            body.recall(memory[name])


def _pierced(world: World) -> np.ndarray:
    """Particles that press on sharp colliders, ascending."""
    sharp = {spec.name for spec in world.spec.systems if getattr(spec, "sharp", False)}
    if not sharp or not world.contact_buffer.count:
        return np.zeros(0, dtype=np.int64)
    is_sharp = np.array([body.name in sharp for body in world.model.bodies])
    count, buffer = world.contact_buffer.count, world.contact_buffer
    ends = buffer.contact[:count]
    touches = (buffer.held[:count] > 0.0) & is_sharp[world.model.body[ends]].any(axis=1)
    some = (buffer.weight[:count] != 0.0) & touches[:, None]
    return np.unique(ends[some])
