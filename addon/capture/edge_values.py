"""Values per edge of a soft body: edge attributes, painted or from geometry nodes."""

from __future__ import annotations

import numpy as np

from ...engine.errors import SpecError
from ...engine.spec import SpringGraphSpec
from ..names import EDGE_ATTRIBUTES
from .errors import CaptureError
from .mesh import MeshArrays


def values_for_spec(name: str, mesh: MeshArrays, graph: str) -> dict[str, np.ndarray]:
    """Values of edges for a specification, by field.

    Raises:
        CaptureError: there is a vertex group of the same name, a value is invalid, or edges are not springs.
    """
    for attribute, values in mesh.edge_values.items():
        if graph == "LATTICE":
            raise CaptureError(
                f'{name} has the edge attribute "{attribute}", but the cells of its lattice carry it; remove the '
                "attribute, or set Springs to Edges."
            )
        if attribute in mesh.weights:
            raise CaptureError(
                f'{name} has both an edge attribute and a vertex group named "{attribute}", which contradict; '
                "remove one of them."
            )
        bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0.0)))
        if len(bad):
            raise CaptureError(
                f'{name} has {values[bad[0]]:g} as "{attribute}" of edge {bad[0]}; give it a number from 0 up.'
            )
    return {EDGE_ATTRIBUTES[attribute]: values for attribute, values in mesh.edge_values.items()}


def graph_warnings(name: str, mesh: MeshArrays, spec: SpringGraphSpec, pins: np.ndarray) -> list[str]:
    """Warnings about a body whose graph or pins may not behave as intended; pins: vertices pinned in all frames.

    Which springs *Keep Inside* keeps is known only after the build, see `solver.lone_vertices`.
    """
    graph = spec.graph
    found = [
        f'{name}: its attribute "{attribute}" is no number on edges, so it is not read; store it as Float on Edge, or '
        "use a vertex group."
        for attribute in mesh.unread
    ]
    if len(pins) == len(mesh.vertices):
        found.append(f"{name}: all its vertices are pinned, so nothing of it moves; take some from the pin group.")
    if graph != "LATTICE" and not (graph == "RADIUS" and spec.keep_inside):
        linked, way_out = (
            (_linked_by_distance(mesh, spec), "give them a longer Reach or more Most Links, or remove them")
            if graph == "RADIUS" else (mesh.edges, "Delete Loose removes them")
        )
        has_spring = np.zeros(len(mesh.vertices), dtype=bool)
        has_spring[linked] = True
        unlinked = np.flatnonzero(~has_spring)
        if len(unlinked):
            found.append(
                f"{name}: {len(unlinked)} of its vertices, the first is {unlinked[0]}, have no spring and fall by "
                f"themselves; {way_out}."
            )
    if graph == "EDGES" and len(mesh.edges):
        ends = mesh.vertices[mesh.edges]
        short = np.flatnonzero(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1) == 0.0)
        if len(short) and "rest_length" not in mesh.edge_values:
            found.append(f"{name}: edge {short[0]} has no length; Merge by Distance removes it.")
        pieces = _pieces(mesh)
        if pieces > 1:
            found.append(
                f"{name}: its edges form {pieces} pieces that nothing holds together; join them, or attach them."
            )
    return found


def _linked_by_distance(mesh: MeshArrays, spec: SpringGraphSpec) -> np.ndarray:
    """Pairs of vertices that the RADIUS graph links, (s, 2).

    All vertices if no springs can be built, because then the build reports the error.
    """
    from ...engine.mesh.graph.links import links_by_distance

    try:
        return links_by_distance(spec, mesh.vertices, mesh.triangles)
    except SpecError:
        return np.arange(len(mesh.vertices))


def _pieces(mesh: MeshArrays) -> int:
    """Number of connected pieces of the vertices with edges, by label propagation."""
    lowest = np.arange(len(mesh.vertices))
    a, b = mesh.edges[:, 0], mesh.edges[:, 1]
    while True:
        least = np.minimum(lowest[a], lowest[b])
        before = lowest.copy()
        np.minimum.at(lowest, lowest[a], least)
        np.minimum.at(lowest, lowest[b], least)
        lowest = lowest[lowest]
        if np.array_equal(lowest, before):
            break
    used = np.unique(mesh.edges)
    return len(np.unique(lowest[used]))
