"""Bodies embedded in a lattice: nodes as extra particles, cells or springs between them, and the embedding weights.

The mesh remains a body of particles, to which contacts, pins, attachments and forces apply. It takes part of the mass
of the nodes around it. A second body with the same name contains the nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...errors import SpecError
from ...mesh.graph.edges import unique_pairs
from ...mesh.graph.links import lengths
from ...mesh.lattice.cells import Lattice, build_lattice
from ...mesh.lattice.pieces import build_pieces
from ...mesh.lattice.refine import Refinement
from ...mesh.lattice.ride import Embedding, embed
from ...spec import SpringGraphSpec
from ...spec.check import points
from ...spec.traits import Traits
from ...world.builder import Builder

# Largest fraction of a node's mass that the vertices around it may take together.
VERTEX_SHARE = 0.5


@dataclass(frozen=True)
class NodeSpec:
    """Spec of a body's nodes. It has the name of that body, so that interaction rules apply to both."""

    kind: ClassVar[str] = "NODES"
    traits: ClassVar[Traits] = Traits(moves=True)

    name: str
    keyed: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Cells:
    """A lattice among the particles.

    Attributes:
        body: index of the embedded body; start: first particle of the mesh; first: first node.
        lattice, ride: see `mesh.lattice`; hidden: vertices added to the mesh, or None.
        cuts: (m, 2) int32, nodes of springs across cuts.
        shear, bulk: (c,) Lamé's mu and lambda times the volume of each cell [J], 0 for springs.
        inertia: (c,) mass of each cell [kg].
    """

    body: int
    start: int
    first: int
    lattice: Lattice
    ride: Embedding
    hidden: Refinement | None
    cuts: np.ndarray
    shear: np.ndarray
    bulk: np.ndarray
    inertia: np.ndarray


def lattice_of(
    spec: SpringGraphSpec, vertices: np.ndarray, triangles: np.ndarray
) -> tuple[Lattice, Embedding, np.ndarray]:
    """Cells of a body, the embedding weights of its vertices, and springs across cuts as pairs of nodes, (m, 2).

    Raises:
        SpecError: the mesh has no faces, or cells are too large or too many.
    """
    if len(triangles) == 0:
        raise SpecError(spec.name, "graph", spec.graph, 'a mesh with faces, or the graph "EDGES" for loose edges')
    if spec.pieces:
        return build_pieces(spec.name, vertices, triangles, float(spec.voxel_size))
    lattice = build_lattice(spec.name, vertices, triangles, float(spec.voxel_size))
    return lattice, embed(lattice, vertices, triangles), np.zeros((0, 2), dtype=np.int32)


def shared_mass(
    total: float, lattice: Lattice, ride: Embedding, count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Masses of vertices (n,), nodes (k,) and cells (c,) of a body with the total mass `total` [kg].

    The mass of a vertex is taken from its nodes by its weights, so the total and the centre of mass are those of cells.
    """
    cell = total * lattice.share / lattice.share.sum()
    nodes = np.bincount(lattice.corners.reshape(-1), np.repeat(cell / 8.0, 8), len(lattice.nodes))
    row = np.repeat(np.arange(count), np.diff(ride.start))
    carried = np.bincount(ride.node, np.abs(ride.weight), len(nodes))
    allowed = VERTEX_SHARE * nodes[ride.node] / np.maximum(carried[ride.node], 1e-300)
    some = np.abs(ride.weight) > 0.05
    mass = np.full(count, np.inf)
    np.minimum.at(mass, row[some], allowed[some])
    nodes = nodes - np.bincount(ride.node, ride.weight * mass[row], len(nodes))
    return mass, nodes, cell


def place_nodes(
    spec: SpringGraphSpec, builder: Builder, start: int, made: tuple[Lattice, Embedding, Refinement | None, np.ndarray],
    mass: np.ndarray, inertia: np.ndarray, vertex_weights: np.ndarray,
) -> Cells:
    """Reserve particles for the nodes of a body.

    Args:
        start: its first particle; made: its lattice, the embedding of its mesh, hidden vertices, and `Cells.cuts`.
        mass: of the nodes (k,) [kg]; inertia: of the cells (c,) [kg].
        vertex_weights: (n,) weights of Young's modulus.
    """
    body, (lattice, ride, hidden, cuts) = len(builder.bodies) - 1, made
    x = np.asarray(spec.vertices, dtype=np.float64)
    place, velocity = lattice.nodes, np.asarray(spec.velocity, dtype=np.float64)
    if spec.start is not None:
        place = carried_along(x, points(spec.name, "start", spec.start), place)
    if velocity.ndim == 2:
        velocity = carried_along(x, velocity, lattice.nodes)
    inv_mass = np.zeros_like(mass) if spec.animated and not spec.may_release else 1.0 / mass
    first = builder.add(NodeSpec(spec.name, spec.keyed), place, velocity, mass, inv_mass, 0.0, spec.air_drag, None)
    stiff = np.zeros(len(lattice.corners))
    if spec.material == "SOLID":
        stiff = spec.young * lattice.share * lattice.size**3 * of_cells(vertex_weights, lattice, ride)
    shear = stiff / (2.0 * (1.0 + spec.poisson))
    bulk = stiff * spec.poisson / ((1.0 + spec.poisson) * (1.0 - 2.0 * spec.poisson))
    return Cells(body, start, first, lattice, ride, hidden, cuts, shear, bulk, inertia)


def carried_along(x: np.ndarray, values: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """Extrapolate values (n, 3) of vertices x (n, 3) to nodes (k, 3) by their best linear fit."""
    middle = x.mean(axis=0)
    matrix = np.linalg.lstsq(x - middle, values - values.mean(axis=0), rcond=None)[0]
    return values.mean(axis=0) + (nodes - middle) @ matrix


def of_cells(vertex_weights: np.ndarray, lattice: Lattice, ride: Embedding) -> np.ndarray:
    """Mean vertex weight in each cell, (c,), from weights (n,); the overall mean in cells without vertices."""
    if np.all(vertex_weights == vertex_weights[0]):
        return np.full(len(lattice.corners), vertex_weights[0])
    return of_nodes(vertex_weights, lattice, ride)[lattice.corners].mean(axis=1)


def of_nodes(vertex_weights: np.ndarray, lattice: Lattice, ride: Embedding) -> np.ndarray:
    """Vertex weights (n,) at each node, (k,); the overall mean at nodes without vertices."""
    row = np.repeat(np.arange(len(vertex_weights)), np.diff(ride.start))
    size = np.abs(ride.weight)
    total = np.bincount(ride.node, size, len(lattice.nodes))
    return np.divide(
        np.bincount(ride.node, size * vertex_weights[row], len(lattice.nodes)), total,
        out=np.full(len(total), float(vertex_weights.mean())), where=total > 1e-9,
    )


def node_links(lattice: Lattice) -> tuple[np.ndarray, np.ndarray]:
    """Springs of the material SPRINGS: edges and diagonals of faces and cells, (s, 2), and rest lengths (s,) [m]."""
    corner_pairs = [(a, b) for a in range(8) for b in range(a + 1, 8)]
    pairs = unique_pairs(np.concatenate([lattice.corners[:, [a, b]] for a, b in corner_pairs]))
    return pairs, lengths(lattice.nodes, pairs)


