"""Keyed values of spring graphs: passes each to the table that uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import SpecError
from ...world.world import World
from .held import OF_HELD
from .keyed_links import KeyedLinks

if TYPE_CHECKING:
    from .system import SpringGraphs

# Spec fields that determine links.
OF_LINKS = ("stiffness", "damping", "rest_scale")


class KeyedValues:
    """Sets keyed values of a spec's fields."""

    def __init__(self, graphs: SpringGraphs, links: KeyedLinks) -> None:
        """Args: graphs: whose tables are changed; links: links and hinges with the current values."""
        self._graphs, self.links = graphs, links

    def set_value(self, world: World, name: str, field: str, value: float) -> None:
        """Set a field of a body.

        Raises:
            SpecError: the body was not built for keyed values of this field.
        """
        graphs = self._graphs
        if field == "unstitch":
            graphs.tears.unstitch(name, value)
        elif field in OF_LINKS:
            self.links.set_links(name, field, value)
            self._apply_links(world, field)
        elif field in OF_HELD:
            graphs.held.set_value(name, field, value)
            self.apply_held(world)
            if field == "release_pins":
                self.links.release_pins(name, bool(value))
                self._apply_links(world, "stiffness")
        elif field == "bending":
            if graphs.explicit is not None:
                raise SpecError(name, field, value, "0 with the integrator SYMPLECTIC, or any with XPBD")
            self.links.set_bending(name, value)
            graphs.hinges.set_stiffness(self.links.bending)
        else:
            self._fill(world, name, value)

    def apply_held(self, world: World) -> None:
        """Update all tables that read inverse masses, if the held particles have changed."""
        graphs = self._graphs
        if not graphs.held.apply(world, graphs.rows):
            return
        if graphs.explicit is not None:
            graphs.explicit.take_links(self.links.links, graphs.rows, world)
        else:
            graphs.cells.update_gain()

    def _apply_links(self, world: World, field: str) -> None:
        """Pass changed links to the tables that use `field`."""
        graphs, links = self._graphs, self.links.links
        if graphs.explicit is not None:
            graphs.explicit.take_links(links, graphs.rows, world)
            graphs.convergence.take_rest(links.rest)
        elif field != "rest_scale":
            graphs.springs.set_stiffness(links)
            graphs.forget_encounters()
        elif graphs.plasticity is not None:
            graphs.plasticity.set_rest_lengths(links.rest)
        else:
            graphs.springs.set_rest_lengths(links.rest)

    def _fill(self, world: World, name: str, pressure: float) -> None:
        """Set the pressure of a body, according to its pressure law."""
        graphs, body = self._graphs, world.model.bodies.index(world.body(name))
        if next(spec for spec in graphs.specs if spec.name == name).pressure_law == "SEGMENT":
            graphs.segment_air.fill(body, pressure)
        else:
            graphs.gas.fill(graphs.gas.body == body, pressure)

    def note(self, world: World, name: str, field: str) -> None:
        """Wake all resting pieces; rebuild explicit springs when their air drag has changed."""
        graphs = self._graphs
        if graphs.explicit is None:
            graphs.rest.still[:] = 0.0
        elif field == "air_drag" and name in graphs.start:
            graphs.explicit.take_links(self.links.links, graphs.rows, world)
