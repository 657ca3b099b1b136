"""Keyed values of spring graphs: each goes to the table that it is a value of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import SpecError
from ...world.world import World
from .keyed_links import KeyedLinks

if TYPE_CHECKING:
    from .system import SpringGraphs

# Fields of a spec that links are made of.
OF_LINKS = ("stiffness", "damping", "rest_scale")


class KeyedValues:
    """Takes keyed values of a spec's fields."""

    def __init__(self, graphs: SpringGraphs, links: KeyedLinks) -> None:
        """Args: whose tables it writes to; the links and hinges as values have them."""
        self._graphs, self.links = graphs, links

    def take(self, world: World, name: str, field: str, value: float) -> None:
        """Take a value of a body.

        Raises:
            SpecError: the body was not built for it.
        """
        graphs = self._graphs
        if field in OF_LINKS:
            self.links.set_links(name, field, value)
            self._tell_links(world, field)
        elif field == "bending":
            if graphs.explicit is not None:
                raise SpecError(name, field, value, "0 with the integrator SYMPLECTIC, or any with XPBD")
            self.links.set_bending(name, value)
            graphs.hinges.strengthen(self.links.bending)
        else:
            self._fill(world, name, value)

    def _tell_links(self, world: World, field: str) -> None:
        """Links have other values of a field."""
        graphs, links = self._graphs, self.links.links
        if graphs.explicit is not None:
            graphs.explicit.take_links(links, graphs.rows, world)
            graphs.convergence.take_rest(links.rest)
        elif field != "rest_scale":
            graphs.springs.strengthen(links)
            graphs.forget_encounters()
        elif graphs.plasticity is not None:
            graphs.plasticity.lengthen(links.rest)
        else:
            graphs.springs.lengthen(links.rest)

    def _fill(self, world: World, name: str, pressure: float) -> None:
        """Take a pressure, by the body's own law."""
        graphs, body = self._graphs, world.model.bodies.index(world.body(name))
        if next(spec for spec in graphs.specs if spec.name == name).pressure_law == "SEGMENT":
            graphs.segment_air.fill(body, pressure)
        else:
            graphs.gas.fill(graphs.gas.body == body, pressure)

    def note(self, world: World, name: str, field: str) -> None:
        """What rests may not rest any more; drag of the air is part of an explicit move."""
        graphs = self._graphs
        if graphs.explicit is None:
            graphs.rest.still[:] = 0.0
        elif field == "air_drag" and name in graphs.start:
            graphs.explicit.take_links(self.links.links, graphs.rows, world)
