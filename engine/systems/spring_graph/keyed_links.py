"""Links and hinges of spring graphs whose stiffness, damping, bending or rest length is keyed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...errors import SpecError
from ...mesh.graph.links import build_links
from ...mesh.graph.parts import find_parts
from ...spec import SpringGraphSpec
from ...spec.check import indices, points, shares
from .links import strengths
from .tables.hinges import bending_hinges
from .tables.springs import Links, broadcast_if_uniform


class KeyedLinks:
    """Columns of all links and hinges, in the user's order, with the current keyed values.

    Links are equal to the last bit to those of a body that is built with these values.

    Attributes:
        links: of all bodies and attachments; bending: (s,) stiffness of all hinges [N m/rad].
    """

    def __init__(
        self, specs: Sequence[SpringGraphSpec], first: Mapping[str, int], links: Links, counts: Sequence[int],
        bending: Sequence[np.ndarray], elastic_pins: Mapping[str, np.ndarray],
    ) -> None:
        """Initialize with the values of the specs.

        Args:
            specs: of the bodies; first: first particle of each; links: all links; counts: links of each body.
            bending: of the hinges of each; elastic_pins: by body name, indices among the links of attachments.
        """
        self.links, self.bending = links, np.concatenate(bending)
        self._specs = {spec.name: spec for spec in specs}
        self._first = first
        self._links_of, self._hinges_of = _ranges(specs, counts), _ranges(specs, [len(own) for own in bending])
        self._rest: dict[str, np.ndarray] = {}
        self._pins = {name: sum(counts) + own for name, own in elastic_pins.items()}
        self._pin_stiffness = {name: np.array(links.stiffness[own]) for name, own in self._pins.items()}
        self._built, self._built_nodes = dict(self._specs), dict[tuple[str, str], np.ndarray]()

    def set_links(self, name: str, field: str, value: float) -> None:
        """Set the stiffness, damping or rest scale of a body's links."""
        spec = self._specs[name] = replace(self._specs[name], **{field: value})
        own = self._links_of[name]
        if spec.graph == "LATTICE":
            self._scale_nodes(name, field, value)
            return
        vertices, triangles, edges = _mesh(spec)
        if field == "rest_scale":
            if name not in self._rest:
                self._rest[name] = build_links(spec, vertices, triangles, edges)[1]
            rest = self.links.rest.copy()
            rest[own] = self._rest[name] * value
            self.links = replace(self.links, rest=rest)
            return
        pairs = self.links.pairs[own] - np.int32(self._first[name])
        found = strengths(spec, pairs, find_parts(vertices, triangles).rim_edges, shares(name, spec, len(vertices)))
        columns = {}
        for column, values in zip(("stiffness", "damping"), found, strict=True):
            each = np.array(getattr(self.links, column))
            each[own] = values
            columns[column] = broadcast_if_uniform(each)
        self.links = replace(self.links, **columns)

    def _scale_nodes(self, name: str, field: str, value: float) -> None:
        """Set a value of the springs between the nodes of a lattice, from the values at build time."""
        column = "rest" if field == "rest_scale" else field
        each, own = np.array(getattr(self.links, column)), self._links_of[name]
        built = self._built_nodes.setdefault((name, column), each[own].copy())
        before = getattr(self._built[name], field)
        each[own] = built * (value / before) if before else value
        self.links = replace(self.links, **{column: each if column == "rest" else broadcast_if_uniform(each)})

    def release_pins(self, name: str, is_released: bool) -> None:
        """Release the elastic pins of a body, by a stiffness of 0, or restore them."""
        if len(own := self._pins.get(name, ())):
            each = np.array(self.links.stiffness)
            each[own] = 0.0 if is_released else self._pin_stiffness[name]
            self.links = replace(self.links, stiffness=each)

    def set_bending(self, name: str, value: float) -> None:
        """Set the bending stiffness of a body's hinges [N m].

        Raises:
            SpecError: the body was built without hinges.
        """
        spec = self._specs[name] = replace(self._specs[name], bending=value)
        own = self._hinges_of[name]
        vertices, triangles, edges = _mesh(spec)
        vertex_weights = shares(name, spec, len(vertices))["bending"]
        stiffness = bending_hinges(replace(spec, keyed=("bending",)), vertices, triangles, edges, vertex_weights, 0)[1]
        if len(stiffness) != own.stop - own.start:
            raise SpecError(name, "bending", value, '0, or any with a bending above 0 or "bending" among `keyed`')
        self.bending[own] = stiffness


def _mesh(spec: SpringGraphSpec) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices, triangles and edges of a spec that has passed the check."""
    vertices = points(spec.name, "vertices", spec.vertices)
    triangles = indices(spec.name, "triangles", spec.triangles, 3, len(vertices))
    return vertices, triangles, indices(spec.name, "edges", spec.edges, 2, len(vertices))


def _ranges(specs: Sequence[SpringGraphSpec], sizes: Sequence[int]) -> dict[str, slice]:
    """Range of each body in a column."""
    stops = np.cumsum(sizes).tolist()
    return {
        spec.name: slice(stop - size, stop) for spec, stop, size in zip(specs, stops, sizes, strict=True)
    }
