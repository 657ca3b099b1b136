"""Collision elements: triangles, edges and vertices of all bodies, in bounding volume trees and in patches.

An element is a triangle, a loose edge (a, b, b) or a loose vertex (a, a, a). Each body has a tree over its elements; a
patch is a leaf of it, a few dozen elements. Every vertex and every edge belongs to the one patch with its first
element, so a loop over patches visits each of them once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ....mesh.graph.components import components
from ....mesh.graph.edges import neighbour_lists, pair_keys, triangle_edges, unique_pairs
from ....mesh.graph.tree import PATCH, Tree, build_tree
from .boxes import LANES


@dataclass(frozen=True, eq=False)
class Skin:
    """Collision geometry of one body, in its own vertex indices.

    Attributes:
        count: vertices; triangles: (t, 3); closed: (t,) bool, triangle of a piece that has an inside.
        edges: (e, 2), edges of the mesh; edges without a triangle are loose.
        is_whole: whether vertices without triangle or edge are not loose, but lie within other triangles.
        tree: over the triangles, of a body without loose parts; None to build one.
    """

    count: int
    triangles: np.ndarray
    closed: np.ndarray
    edges: np.ndarray
    is_whole: bool = False
    tree: Tree | None = None

    def elements(self) -> np.ndarray:
        """Triangles, then loose edges, then loose vertices, (n, 3) int32."""
        if self.is_whole and len(self.edges) == 0:
            return self.triangles.astype(np.int32)
        sides = unique_pairs(triangle_edges(self.triangles)) if len(self.triangles) else np.zeros((0, 2), np.int32)
        span = np.int64(self.count)
        edges = unique_pairs(self.edges)
        keys = [pairs[:, 0].astype(np.int64) * span + pairs[:, 1] for pairs in (edges, sides)]
        loose = edges[~np.isin(keys[0], keys[1])]
        alone = np.ones(self.count, dtype=bool)
        alone[self.triangles.reshape(-1)] = alone[loose.reshape(-1)] = False
        single = np.flatnonzero(alone & (not self.is_whole))
        return np.concatenate([
            self.triangles, loose[:, [0, 1, 1]], np.repeat(single[:, None], 3, axis=1),
        ]).astype(np.int32)


@dataclass(eq=False)
class Elements:
    """Elements of all bodies in particle indices, their trees and patches.

    Attributes:
        corner: (t, 3) int32; closed: (t,) bool; tree_start: (bodies + 1,) ranges of nodes; skip: see `tree.Tree`.
        edge: (e, 2) int32; edge_face: (e, 2) int32, triangles on both sides, -1 for none.
        neighbour_start, neighbour: particles connected to each by an edge or tied to it, ascending.
        is_tied: whether any particles are tied.
        patch_of: (t,) patch of each element; patch_node: (p,) int64, leaf of each patch, ascending; patch_body: (p,).
        top: nodes above patches, children before parents.
        first: the lowest particle of any element; bodies that collide only by spheres lie before it.
        particle_start, particle: particles of each patch; edge_start, edge_of: edges of each patch.
        particle_patch, edge_patch: the patch that owns each; patches_start, patches: all patches that contain it.
        beside_start, beside: patches that share a particle with each; whole: (p,) bool, whether a patch is connected.
        face_blocks, face_at, edge_blocks, edge_at: see `_blocks`, of the elements and edges of patches.
    """

    corner: np.ndarray
    closed: np.ndarray
    tree_start: np.ndarray
    skip: np.ndarray
    edge: np.ndarray
    edge_face: np.ndarray
    neighbour_start: np.ndarray
    neighbour: np.ndarray
    patch_of: np.ndarray
    patch_node: np.ndarray
    patch_body: np.ndarray
    top: np.ndarray
    is_tied: bool
    first: int = field(init=False)
    particle_start: np.ndarray = field(init=False)
    particle: np.ndarray = field(init=False)
    edge_start: np.ndarray = field(init=False)
    edge_of: np.ndarray = field(init=False)
    particle_patch: np.ndarray = field(init=False)
    edge_patch: np.ndarray = field(init=False)
    patches_start: np.ndarray = field(init=False)
    patches: np.ndarray = field(init=False)
    beside_start: np.ndarray = field(init=False)
    beside: np.ndarray = field(init=False)
    whole: np.ndarray = field(init=False)
    face_blocks: np.ndarray = field(init=False)
    face_at: np.ndarray = field(init=False)
    edge_blocks: np.ndarray = field(init=False)
    edge_at: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        patches, count = len(self.patch_body), len(self.neighbour_start) - 1
        self.first = int(self.corner.min()) if len(self.corner) else 0
        self.particle_patch = np.full(count, patches, dtype=np.int64)
        np.minimum.at(self.particle_patch, self.corner.reshape(-1), np.repeat(self.patch_of, 3))
        self.particle_start, self.particle = _members(self.particle_patch, patches)
        self.edge_patch = self._edge_patches(patches)
        self.edge_start, self.edge_of = _members(self.edge_patch, patches)
        self.face_blocks, self.face_at = _blocks(*_members(self.patch_of, patches))
        self.edge_blocks, self.edge_at = _blocks(self.edge_start, self.edge_of)
        self._join(self.patch_of, count, patches)

    def _edge_patches(self, patches: int) -> np.ndarray:
        """Patch of each edge, (e,): the first one with an element that has the edge."""
        ends = self.corner[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        span = np.int64(len(self.neighbour_start))
        keys = ends.min(axis=1) * span + ends.max(axis=1)
        own = self.edge[:, 0] * span + self.edge[:, 1]
        place = np.searchsorted(own, keys)
        there = (place < len(own)) & (own[np.minimum(place, len(own) - 1)] == keys) if len(own) else place < 0
        patch = np.full(len(own), patches, dtype=np.int64)
        np.minimum.at(patch, place[there], np.repeat(self.patch_of, 3)[there])
        return patch

    def _join(self, patch_of: np.ndarray, count: int, patches: int) -> None:
        """Find which patches share a particle, and which are connected."""
        key = np.repeat(patch_of, 3) * np.int64(count + 1) + self.corner.reshape(-1)
        seen, place = np.unique(key, return_inverse=True)
        place = place.reshape(-1, 3)
        label, _rank = components(place[:, [0, 1, 0, 2]].reshape(-1, 2), len(seen))
        patch, particle = seen // (count + 1), seen % (count + 1)
        lowest, highest = np.full(patches, len(seen)), np.full(patches, -1)
        np.minimum.at(lowest, patch, label)
        np.maximum.at(highest, patch, label)
        self.whole = lowest == highest
        order = np.argsort(particle, kind="stable")
        self.patches_start, self.patches = np.searchsorted(particle[order], np.arange(count + 1)), patch[order]
        start = np.flatnonzero(np.diff(particle[order], prepend=-1))
        weight = np.diff(np.append(start, len(order)))
        pairs = [np.zeros((0, 2), dtype=np.int64)]
        for apart in range(1, int(weight.max(initial=1))):
            near = order[:-apart]
            same = particle[near] == particle[order[apart:]]
            pairs.append(np.stack([patch[near[same]], patch[order[apart:][same]]], axis=1))
        self.beside_start, self.beside = neighbour_lists(unique_pairs(np.concatenate(pairs)), patches)


def build_elements(
    skins: Sequence[Skin | None], starts: Sequence[int], x: np.ndarray, tied: np.ndarray | None = None,
) -> Elements:
    """Build trees over all bodies that have a skin.

    Args:
        skins, starts: of each body, its first particle; x: (n, 3) positions of all particles [m].
        tied: (m, 2) particles that do not touch each other, of whatever body; None for none.
    """
    corner, closed, edges = [np.zeros((0, 3), np.int32)], [np.zeros(0, dtype=bool)], [np.zeros((0, 2), np.int32)]
    patch_of, skips = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    tree_start, patch_node, patch_body, top = [0], [], [], []
    nodes = patches = 0
    for body, (skin, start) in enumerate(zip(skins, starts, strict=True)):
        own = skin.elements() + np.int32(start) if skin is not None else corner[0]
        if len(own):
            tree = build_tree(x, own, PATCH) if skin.tree is None else skin.tree
            leaf = np.flatnonzero(tree.last > tree.first)
            patch = np.empty(len(own), dtype=np.int64)
            patch[tree.order] = np.repeat(np.arange(len(leaf)), (tree.last - tree.first)[leaf])
            patch_of.append(patch + patches)
            skips.append(tree.skip + nodes)
            patch_node.append(leaf + nodes)
            patch_body.append(np.full(len(leaf), body))
            top.append(np.flatnonzero(tree.last == tree.first)[::-1] + nodes)
            corner.append(own)
            closed.append(np.concatenate([skin.closed, np.zeros(len(own) - len(skin.closed), dtype=bool)]))
            edges.append(unique_pairs(own[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)))
            nodes += len(tree.skip)
            patches += len(leaf)
        tree_start.append(nodes)
    corners, edge = np.concatenate(corner), np.concatenate(edges)
    none = np.zeros(0, dtype=np.int64)
    is_tied = tied is not None and len(tied) > 0
    joined = unique_pairs(np.concatenate([edge, tied])) if is_tied else edge
    return Elements(
        corners, np.concatenate(closed), np.array(tree_start), np.concatenate(skips), edge, _edge_faces(corners, edge),
        *neighbour_lists(joined, len(x)), np.concatenate(patch_of), np.concatenate([none, *patch_node]),
        np.concatenate([none, *patch_body]), np.concatenate([none, *top]), is_tied,
    )


def _edge_faces(corner: np.ndarray, edge: np.ndarray) -> np.ndarray:
    """The first two triangles of each edge, (e, 2) int32; -1 where there is none."""
    faces = np.full((len(edge), 2), -1, dtype=np.int32)
    triangle = np.flatnonzero((corner[:, 1] != corner[:, 2]) & (corner[:, 0] != corner[:, 1]))
    if len(triangle) == 0:
        return faces
    keys, span = pair_keys(np.concatenate([triangle_edges(corner[triangle]), edge]))
    own, keys = keys[3 * len(triangle):], keys[: 3 * len(triangle)]
    order = np.argsort(keys, kind="stable")
    first = np.searchsorted(keys[order], own)
    for side in range(2):
        place = np.minimum(first + side, len(order) - 1)
        there = keys[order[place]] == own
        faces[there, side] = triangle[order[place[there]] // 3]
    return faces


def _members(owner: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Members of each owner below `count`: ids[start[p] : start[p + 1]], ascending."""
    order = np.argsort(owner, kind="stable")
    start = np.searchsorted(owner[order], np.arange(count + 1))
    return start.astype(np.int64), order[: start[-1]].astype(np.int64)


def _blocks(start: np.ndarray, member: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Members in blocks of LANES, padded with -1 for each owner: ranges (p + 1,), (blocks, LANES) int32."""
    count = np.diff(start)
    first = np.concatenate([[0], np.cumsum((count + LANES - 1) // LANES)])
    at = np.full((int(first[-1]), LANES), -1, dtype=np.int32)
    at.reshape(-1)[np.arange(len(member)) + np.repeat(LANES * first[:-1] - start[:-1], count)] = member
    return first, at
