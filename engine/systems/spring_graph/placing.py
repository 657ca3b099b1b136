"""Builds the particles, links, hinges and surface parts of a `SpringGraphSpec`."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...errors import SpecError
from ...mesh.graph.edges import triangle_edges, unique_pairs
from ...mesh.graph.links import build_links, lengths
from ...mesh.graph.parts import Parts, closed_parts, find_parts
from ...mesh.graph.tree import Tree
from ...mesh.tear.torn_mesh import TornMesh
from ...spec import SpringGraphSpec
from ...spec.check import check_params, indices, points, shares
from ...world.builder import Builder, Surface
from ...world.segments import read_segments
from .hidden import loose_edges, with_hidden
from .lattice import Cells, lattice_of, node_links, of_nodes, place_nodes, shared_mass
from .links import strengths
from .mass import total_mass, vertex_masses
from .plasticity import Limits, limits_of, no_limits
from .tables.hinges import bending_hinges
from .tables.springs import Links
from .tearing.sides import torn_sides
from .tearing.torn_spec import (
    THICKNESS_SHARE,
    torn_links,
    torn_masses,
    torn_mesh,
    torn_parts,
    torn_spec,
    whole_mesh,
)


class Placed(NamedTuple):
    """A body that has been placed among the particles.

    Attributes:
        start: its first particle; pins: (p,) particles that are pinned or led by animation, at least in some frames.
        links: its springs; hinges: (h, 4) particles and (h,) stiffness [N m/rad]; parts: pieces of its surface.
        limits: strain limits of its springs; cells: of the lattice that carries it, or None.
        edges: (e, 2) of its mesh, in its own vertex indices.
        spec: of the torn or refined body; torn: its mesh, None for a body that does not tear; breaks: (s,) strain at
            which links tear; strength: of its vertices, see `WholeMesh`.
    """

    start: int
    pins: np.ndarray
    links: Links
    hinges: tuple[np.ndarray, np.ndarray]
    parts: Parts
    limits: Limits
    cells: Cells | None
    edges: np.ndarray
    spec: SpringGraphSpec
    torn: TornMesh | None = None
    breaks: np.ndarray | None = None
    strength: np.ndarray | None = None

    @property
    def count(self) -> int:
        """Particles in use."""
        return len(self.spec.vertices)


def place(spec: SpringGraphSpec, builder: Builder) -> Placed:
    """Check a spec, find its links, hinges and parts, and reserve its particles; raises SpecError."""
    whole, torn, sides, tree, hidden = None, None, None, None, None
    if ("whole", spec.name) not in builder.kept:
        check_params(spec.name, spec)
    if spec.tear:
        whole = builder.kept.get(("whole", spec.name)) or whole_mesh(spec)
        builder.kept["whole", spec.name] = whole
        torn = torn_mesh(whole, builder.torn.get(spec.name))
        sides = torn_sides(whole.sides, torn)
        spec = torn_spec(spec, whole, torn, sides)
    vertices = points(spec.name, "vertices", spec.vertices)
    triangles = indices(spec.name, "triangles", spec.triangles, 3, len(vertices))
    edges = indices(spec.name, "edges", spec.edges, 2, len(vertices))
    pins = np.unique(indices(spec.name, "pins", spec.pins, 1, len(vertices)))
    if len(vertices) < 2:
        raise SpecError(spec.name, "vertices", f"{len(vertices)} vertex", "two or more, a spring needs two ends")
    edge_pairs = edges if len(edges) else unique_pairs(triangle_edges(triangles))
    mesh_count, loose = len(vertices), edges
    if spec.graph == "LATTICE":
        spec, hidden = with_hidden(spec, vertices, triangles, pins)
    if hidden is not None:
        loose = loose_edges(edges, triangles)
        vertices, triangles, pins = spec.vertices, spec.triangles, spec.pins
    if spec.is_led:
        pins = np.arange(len(vertices), dtype=pins.dtype)
    if torn is None:
        parts = find_parts(vertices, triangles)
    else:
        parts, tree = torn_parts(vertices, whole, torn, sides)
    vertex_weights = shares(spec.name, spec, len(vertices))
    is_carried = spec.graph == "LATTICE"
    if is_carried:
        lattice, ride, cuts = lattice_of(spec, vertices, triangles)
        mass, nodes, inertia = shared_mass(total_mass(spec, vertices, parts), lattice, ride, len(vertices))
        as_touched = edge_pairs if hidden is None else unique_pairs(triangle_edges(triangles))
        mean_edge = float(lengths(vertices, as_touched).mean())
    else:
        is_whole = torn is None
        links, rest = (
            build_links(spec, vertices, triangles, edges) if is_whole else torn_links(spec, whole, torn, sides)
        )
        if len(links) == 0:
            raise SpecError(spec.name, "edges", "no edge", "a mesh with edges or faces to make springs of")
        mass = vertex_masses(spec, vertices, triangles, links, parts) if is_whole else torn_masses(whole, torn)
        mean_edge = float(lengths(vertices, edge_pairs).mean() if len(edge_pairs) and is_whole else rest.mean())
    capacity = len(vertices) if torn is None else len(torn.parent)
    # A mesh that tears has no loose edges, which would collide too.
    loose = loose if torn is None else edges[:0]
    start = _reserve(spec, builder, mass, pins, mean_edge, (parts, tree), loose, capacity)
    if torn is not None:
        builder.bodies[-1].spare = capacity - torn.vertex_count
        builder.split = np.concatenate([builder.split, torn.split_pairs() + start])
    if not is_carried:
        own = Links(
            links + np.int32(start), rest * spec.rest_scale, *strengths(spec, links, parts.rim_edges, vertex_weights)
        )
        hinges = bending_hinges(spec, vertices, triangles, edges, vertex_weights["bending"], start)
        limits, breaks = limits_of(spec, links, vertex_weights["break_strain"]), None
        if torn is not None:
            limits, breaks = replace(limits, break_strain=no_limits(len(links)).break_strain), limits.break_strain
        strength = None if whole is None else whole.strength
        return Placed(start, pins + start, own, hinges, parts, limits, None, edge_pairs, spec, torn, breaks, strength)
    builder.bodies[-1].spare = len(vertices) - mesh_count
    cells = place_nodes(spec, builder, start, (lattice, ride, hidden, cuts), nodes, inertia, vertex_weights["young"])
    none = np.zeros((0, 4), dtype=np.int32), np.zeros(0)
    own = _node_springs(spec, cells, vertex_weights)
    limits = limits_of(spec, own.pairs - cells.first, of_nodes(vertex_weights["break_strain"], lattice, ride))
    limits.break_strain[len(own.rest) - len(cuts) :] *= float(spec.cut_strength)
    pins = pins + start
    if spec.is_led:
        pins = np.concatenate([pins, cells.first + np.arange(len(nodes), dtype=pins.dtype)])
    return Placed(start, pins, own, none, parts, limits, cells, edge_pairs, spec)


def _reserve(
    spec: SpringGraphSpec, builder: Builder, mass: np.ndarray, pins: np.ndarray, mean_edge: float,
    surface_of: tuple[Parts, Tree | None], edges: np.ndarray, capacity: int,
) -> int:
    """Reserve the particles of a mesh with its surface, and spare ones up to the capacity; returns the first."""
    parts, tree = surface_of
    vertices = np.asarray(spec.vertices, dtype=np.float64)
    inv_mass = 1.0 / mass
    # Particles that may be released are built as free ones; `held` sets their inverse mass to 0 while they are held.
    if not spec.may_release:
        inv_mass[pins] = 0.0
    thickness = spec.thickness or THICKNESS_SHARE * mean_edge
    velocity = np.asarray(spec.velocity, dtype=np.float64)
    if velocity.shape not in ((3,), vertices.shape):
        raise SpecError(spec.name, "velocity", f"shape {velocity.shape}", f"(3,) or {vertices.shape}")
    closed = closed_parts(parts)
    surface = Surface(
        parts.triangles, parts.hollow[parts.part], parts.part, closed, edges, spec.self_collision,
        spec.graph == "LATTICE" and spec.pieces, spec.contact == "SURFACE", has_points=not spec.tear, tree=tree,
        has_spheres=spec.has_own_spheres,
    )
    segments = read_segments(spec, vertices, mass, parts.triangles[closed[parts.part]])
    spare = capacity - len(vertices)
    if spare:
        vertices = np.concatenate([vertices, np.repeat(vertices[:1], spare, axis=0)])
        mass, inv_mass = (np.concatenate([values, np.zeros(spare)]) for values in (mass, inv_mass))
        velocity = np.concatenate([velocity, np.zeros((spare, 3))]) if velocity.ndim == 2 else velocity
    return builder.add(spec, vertices, velocity, mass, inv_mass, 0.5 * thickness, spec.air_drag, surface, segments)


def _node_springs(spec: SpringGraphSpec, cells: Cells, vertex_weights: dict[str, np.ndarray]) -> Links:
    """Springs between the nodes of a lattice, those across cuts last; a solid has only springs across cuts.

    A cut through a solid is as stiff as a layer of cells: two parallel springs for each node.
    """
    lattice, is_solid = cells.lattice, spec.material == "SOLID"
    pairs, rest = (cells.cuts[:0], np.zeros(0)) if is_solid else node_links(lattice)
    pairs = np.concatenate([pairs, cells.cuts])
    rest = np.append(rest, np.full(len(cells.cuts), lattice.size))
    if len(pairs) == 0:
        return Links(pairs, rest, np.zeros(0), np.zeros(0))
    stiffness, damping = (
        value * of_nodes(vertex_weights[field], lattice, cells.ride)[pairs].mean(axis=1) for field, value in (
            ("young", 0.5 * spec.young * lattice.size) if is_solid else ("stiffness", spec.stiffness),
            ("damping", 0.0 if is_solid else spec.damping),
        )
    )
    return Links(pairs + np.int32(cells.first), rest * spec.rest_scale, stiffness, damping)
