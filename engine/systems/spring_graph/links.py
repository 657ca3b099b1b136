"""Links of a spring graph with their stiffness, also for previews of a body without a world."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...mesh.graph.edges import pair_keys
from ...mesh.graph.links import build_links, sheet_shares
from ...mesh.graph.parts import find_parts
from ...spec import SpringGraphSpec
from ...spec.check import check_params, indices, points, shares


@dataclass(frozen=True, eq=False)
class BodySprings:
    """All springs of a body, as built.

    Attributes:
        pairs: (s, 2) int32 vertices; rest: (s,) [m]; stiffness: (s,) [N/m].
        strut: (s,) bool, whether the link runs through the body and exists only because of *Struts*.
    """

    pairs: np.ndarray
    rest: np.ndarray
    stiffness: np.ndarray
    strut: np.ndarray


def strengths(
    spec: SpringGraphSpec, links: np.ndarray, rim_edges: np.ndarray, share: dict[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness [N/m] and damping [N·s/m] of links (s, 2), (s,) each.

    Args: rim_edges: (r, 2) edges with one face; share: vertex weights of the weighted fields, (n,) each.
    """
    stiffness, damping = (
        getattr(spec, field) * share[field][links].mean(axis=1) for field in ("stiffness", "damping")
    )
    if spec.graph == "SURFACE" and spec.rings == 1:
        stands_for = sheet_shares(links, rim_edges)
        stiffness, damping = stiffness * stands_for, damping * stands_for
    return stiffness, damping


def springs_of(spec: SpringGraphSpec) -> BodySprings:
    """The springs that a world would give a body; only struts need compiled kernels.

    Raises:
        SpecError: as `build_world`.
    """
    check_params(spec.name, spec)
    vertices = points(spec.name, "vertices", spec.vertices)
    triangles = indices(spec.name, "triangles", spec.triangles, 3, len(vertices))
    edges = indices(spec.name, "edges", spec.edges, 2, len(vertices))
    pairs, rest = build_links(spec, vertices, triangles, edges)
    stiffness, _damping = strengths(
        spec, pairs, find_parts(vertices, triangles).rim_edges, shares(spec.name, spec, len(vertices))
    )
    strut = np.zeros(len(pairs), dtype=bool)
    if spec.graph == "SURFACE" and spec.struts:
        without, _rest = build_links(replace(spec, struts=0, rest_lengths=None), vertices, triangles, edges)
        own, others = np.split(pair_keys(np.concatenate([pairs, without]))[0], [len(pairs)])
        strut = ~np.isin(own, others)
    return BodySprings(pairs, rest, stiffness, strut)
