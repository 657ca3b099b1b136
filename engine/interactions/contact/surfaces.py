"""Collision surfaces of bodies, and the search margins of their particles."""

from __future__ import annotations

import numpy as np

from ...mesh.graph.components import members
from ...mesh.graph.links import lengths
from ...solver.collide.broad_phase.bends import are_fine
from ...solver.collide.broad_phase.body_pairs import Meeting
from ...solver.collide.broad_phase.elements import Elements, Skin, build_elements
from ...solver.collide.narrow_phase.columns import FacesAndEdges
from ...solver.collide.narrow_phase.grazing import SAMPLES
from ...solver.rigid.hulls.hull import Hull
from ...world.builder import Builder, Surface
from ...world.world import Body, Model
from .pairs import Pairs, close_ties

# Margin of a particle as a fraction of its body's mean edge: how far it may deviate before the search is repeated.
MARGIN_FRACTION = 0.2
# Margin of spheres, as a fraction of their mean radius.
SPHERE_MARGIN = 0.05
# Margin of particles of fluids [m].
POINT_MARGIN = 0.01
# Margin of agents, as a fraction of their radius and at least [m]: they leave a straight line by a centimetre or two
# within a frame, and with less the search for all of them is repeated twice a frame.
AGENT_MARGIN, LEAST_AGENT_MARGIN = 0.5, 0.01
# Margin of rigid bodies as a fraction of half their longest side. They move steadily, and searching twice as often
# costs less than testing the pairs that a larger margin finds: with the margin of a soft body of the same mesh, piles
# of 50 barrels and of 30 tori took 12 and 3 times as long.
RIGID_MARGIN = 0.02
# Beside soft bodies it is this multiple of the smallest margin of a soft body, up to that fraction of half the longest
# side: displacements by springs within a substep need margin on both sides. With less, limp rings under barrels were
# pressed through the barrels.
BESIDE_SOFT, MOST_BESIDE_SOFT = 2.5, 0.4


class Surfaces:
    """Collision geometry of all bodies.

    Attributes:
        rest: (n, 3) particles as built [m]; piece: (n,), see `columns.SubstepMotion`.
    """

    def __init__(self, builder: Builder, model: Model, pairs: Pairs, x: np.ndarray) -> None:
        """Args: x: (n, 3) particles as built [m]."""
        self.rest, self.piece = x.copy(), _pieces(builder, model)
        self._bodies, self._surfaces = builder.bodies, builder.surfaces
        self._rigid, self._proxies = builder.rigid, builder.proxies
        self._hulls = _hulls_of(builder, pairs)
        self._tied = np.concatenate([close_ties(builder, model.radius), builder.split])

    def elements(self, meets: Meeting, model: Model, count: int) -> tuple[Elements, np.ndarray, np.ndarray]:
        """Elements of bodies that collide, and the margin of each particle [m] for the search and for the narrow phase.

        Args: count: number of particles, or zero.
        """
        collides = meets.asked()
        skins = [
            _skin(body, surface, self._hulls.get(index)) if count and collides[index] else None
            for index, (body, surface) in enumerate(zip(self._bodies, self._surfaces, strict=True))
        ]
        starts = [body.start for body in self._bodies]
        elements = build_elements(skins, starts, self.rest[:count], self._tied if count else self._tied[:0])
        elements.is_fine = are_fine(self.rest, elements, model.radius, model.inv_mass)
        margin = self._margins(elements, model)[:count]
        still = np.array([not body.traits.moves for body in self._bodies])
        return elements, margin, np.where(still[model.body[:count]], 0.0, margin)

    def faces_and_edges(self, elements: Elements) -> FacesAndEdges:
        """Triangles and edges as the narrow phase takes them."""
        closed = elements.closed
        fan_start, fan = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
        if closed.any() and not closed.all():
            first, corners = members(np.where(closed[:, None], elements.corner, -1).ravel())
            rest = np.full(len(self.rest) + 1 - len(first), len(corners))
            fan_start, fan = np.concatenate([first, rest]), (corners // 3).astype(np.int32)
        start, stop = (np.array([getattr(body, name) for body in self._bodies]) for name in ("start", "stop"))
        spread = np.arange(SAMPLES) * (stop - start)[:, None] // SAMPLES
        sample = np.minimum(start[:, None] + spread, len(self.rest) - 1)
        return FacesAndEdges(
            closed=closed, corner=elements.corner, edge=elements.edge, edge_face=elements.edge_face,
            is_fine=elements.is_fine, fan_start=fan_start, fan=fan, sample=sample,
        )

    def _margins(self, elements: Elements, model: Model) -> np.ndarray:
        """Margin of each particle [m], (n,); kinematic bodies have the largest one of all soft and rigid bodies."""
        of = model.body[elements.edge[:, 0]] if len(elements.edge) else np.zeros(0, dtype=np.int32)
        count = len(self._bodies)
        total = np.bincount(of, weights=lengths(self.rest, elements.edge), minlength=count)
        margin = MARGIN_FRACTION * total / np.maximum(np.bincount(of, minlength=count), 1)
        soft = np.array([body.traits.deforms for body in self._bodies]) & (margin > 0.0)
        finest = float(margin[soft].min()) if soft.any() else 0.0
        if self._rigid is not None:
            rigid = self._rigid
            for index, start, stop in zip(rigid.system, rigid.start, rigid.stop, strict=True):
                half = 0.5 * float(np.ptp(rigid.local[start - rigid.first : stop - rigid.first], axis=0).max())
                margin[index] = max(RIGID_MARGIN * half, min(MOST_BESIDE_SOFT * half, BESIDE_SOFT * finest))
                soft[index] = True
        for index, body in enumerate(self._bodies):
            if body.traits.steers:
                radius = float(model.radius[body.start : body.stop].mean())
                margin[index], soft[index] = max(LEAST_AGENT_MARGIN, AGENT_MARGIN * radius), True
        moves = np.array([body.traits.moves for body in self._bodies])
        margin[~soft] = np.where(moves[~soft] | ~soft.any(), POINT_MARGIN, margin[soft].max(initial=0.0))
        for proxies in self._proxies:
            body = self._bodies[proxies.body]
            margin[proxies.body] = SPHERE_MARGIN * float(model.radius[body.start : body.stop].mean())
        return margin[model.body]


def _hulls_of(builder: Builder, pairs: Pairs) -> dict[int, Hull]:
    """Hulls of convex bodies, by system index."""
    if builder.rigid is None:
        return {}
    every = zip(builder.rigid.system.tolist(), builder.rigid.hulls, strict=True)
    return {system: hull for system, hull in every if hull is not None and pairs.hulls[pairs.kind[system]]}


def _pieces(builder: Builder, model: Model) -> np.ndarray:
    """Body of each particle, and further numbers for the pieces of bodies that were cut up, (n,) int32."""
    piece, count = model.body.astype(np.int32), len(builder.bodies)
    for body, surface in zip(builder.bodies, builder.surfaces, strict=True):
        if surface is not None and surface.is_cut:
            piece[surface.triangles + body.start] = count + surface.part[:, None]
            count += len(surface.closed)
    return piece


def _skin(body: Body, surface: Surface | None, hull: Hull | None) -> Skin | None:
    """Collision surface of a body; a convex one without vertices inside its faces."""
    if surface is None or not surface.is_touched:
        return None
    count = body.stop - body.start
    if hull is None or len(hull.corner) == count:
        closed = surface.closed[surface.part]
        return Skin(count, surface.triangles, closed, surface.edges, not surface.has_points, surface.tree)
    triangles = hull.triangles()
    return Skin(count, triangles, np.ones(len(triangles), dtype=bool), surface.edges, is_whole=True)
