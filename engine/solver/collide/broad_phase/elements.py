"""Collision elements: triangles, edges and vertices of all bodies, in bounding volume trees and in patches.

An element is a triangle, a loose edge (a, b, b) or a loose vertex (a, a, a). Each body has a tree over its elements; a
patch is a leaf of it, a few dozen elements. Every vertex and every edge belongs to the patch of its first element,
so a loop over patches visits each of them once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ....compiler.kernels import kernel
from ....mesh.graph.edges import neighbour_lists, triangle_edges, unique_pairs
from ....mesh.graph.tree import PATCH, Tree, build_tree
from .boxes import LANES


@dataclass(frozen=True, eq=False)
class Skin:
    """Collision geometry of one body, in its own vertex indices.

    Attributes:
        count: vertices; triangles: (t, 3); closed: (t,) bool, triangle of a piece that has an inside.
        edges: (e, 2), edges of the mesh; edges without a triangle are loose.
        is_whole: whether vertices without triangle or edge lie within other triangles, and are not loose.
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
        beside_start, beside: patches that share a particle with each; is_connected: (p,) bool, of each patch.
        face_blocks, face_at, edge_blocks, edge_at: see `_blocks`, of the elements and edges of patches.
        is_fine: (e,) bool, see `bends.are_fine`; all False until that is set.
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
    edge_patch: np.ndarray
    first: int = field(init=False)
    particle_start: np.ndarray = field(init=False)
    particle: np.ndarray = field(init=False)
    edge_start: np.ndarray = field(init=False)
    edge_of: np.ndarray = field(init=False)
    particle_patch: np.ndarray = field(init=False)
    patches_start: np.ndarray = field(init=False)
    patches: np.ndarray = field(init=False)
    beside_start: np.ndarray = field(init=False)
    beside: np.ndarray = field(init=False)
    is_connected: np.ndarray = field(init=False)
    face_blocks: np.ndarray = field(init=False)
    face_at: np.ndarray = field(init=False)
    edge_blocks: np.ndarray = field(init=False)
    edge_at: np.ndarray = field(init=False)
    is_fine: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        patches, count = len(self.patch_body), len(self.neighbour_start) - 1
        self.first = int(self.corner.min()) if len(self.corner) else 0
        own = _members(self.patch_of, patches)
        self.face_blocks, self.face_at = _blocks(*own)
        self._find_shared_patches(*own, count, patches)
        self.particle_patch = np.full(count, patches, dtype=np.int64)
        some = np.flatnonzero(np.diff(self.patches_start) > 0)
        self.particle_patch[some] = self.patches[self.patches_start[some]]
        self.particle_start, self.particle = _members(self.particle_patch, patches)
        self.edge_start, self.edge_of = _members(self.edge_patch, patches)
        self.edge_blocks, self.edge_at = _blocks(self.edge_start, self.edge_of)
        self.is_fine = np.zeros(len(self.edge), dtype=bool)

    def _find_shared_patches(self, start: np.ndarray, member: np.ndarray, count: int, patches: int) -> None:
        """Find which patches share a particle, and which are connected."""
        self.is_connected, label = np.zeros(patches, dtype=bool), np.empty(count, dtype=np.int64)
        times, none = np.zeros(count, dtype=np.int64), np.zeros(0, dtype=np.int64)
        _list_patches(
            start, member, self.corner, np.full(count, -1, dtype=np.int64), label, times, none, self.is_connected
        )
        self.patches_start = np.append(0, np.cumsum(times))
        self.patches, place = np.empty(self.patches_start[-1], dtype=np.int64), self.patches_start[:-1].copy()
        if len(self.patches):
            _list_patches(
                start, member, self.corner, np.full(count, -1, dtype=np.int64), label, place, self.patches,
                self.is_connected,
            )
        pairs = np.empty((0, 2), dtype=np.int32)
        pairs = np.empty((_list_adjacent(self.patches_start, self.patches, pairs), 2), dtype=np.int32)
        _list_adjacent(self.patches_start, self.patches, pairs)
        self.beside_start, self.beside = neighbour_lists(unique_pairs(pairs), patches)


def build_elements(
    skins: Sequence[Skin | None], starts: Sequence[int], x: np.ndarray, tied: np.ndarray | None = None,
) -> Elements:
    """Build trees over all bodies that have a skin.

    Args:
        skins, starts: of each body, its first particle; x: (n, 3) positions of all particles [m].
        tied: (m, 2) particles of any bodies that do not touch each other; None for none.
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
    edge_face, edge_patch = np.full((len(edge), 2), -1, dtype=np.int32), np.full(len(edge), patches, dtype=np.int64)
    row = np.searchsorted(edge[:, 0], np.arange(len(x) + 1))
    of_element = np.concatenate(patch_of)
    _link_edges(corners, of_element, edge, row, edge_face, edge_patch)
    is_tied = tied is not None and len(tied) > 0
    joined = unique_pairs(np.concatenate([edge, tied])) if is_tied else edge
    return Elements(
        corners, np.concatenate(closed), np.array(tree_start), np.concatenate(skips), edge, edge_face,
        *neighbour_lists(joined, len(x)), of_element, np.concatenate([none, *patch_node]),
        np.concatenate([none, *patch_body]), np.concatenate([none, *top]), is_tied, edge_patch,
    )


@kernel
def _link_edges(corner, patch_of, edge, row, edge_face, edge_patch):
    """Find the first two triangles of each edge (e, 2), -1 for none, and the first patch with an element at it.

    Args: edge: (e, 2) ascending; row: (n + 1,) ranges of edges with each lower vertex.
    """
    for t in range(corner.shape[0]):
        is_face = corner[t, 0] != corner[t, 1] and corner[t, 1] != corner[t, 2]
        for k in range(3):
            low = min(corner[t, k], corner[t, (k + 1) % 3])
            high = max(corner[t, k], corner[t, (k + 1) % 3])
            if low == high:
                continue
            e = row[low]
            stop = row[low + 1]
            while stop - e > 1:
                middle = (e + stop) // 2
                if edge[middle, 1] <= high:
                    e = middle
                else:
                    stop = middle
            edge_patch[e] = min(edge_patch[e], patch_of[t])
            if is_face and edge_face[e, 0] < 0:
                edge_face[e, 0] = t
            elif is_face and edge_face[e, 1] < 0:
                edge_face[e, 1] = t


@kernel
def _list_patches(start, member, corner, last, label, patches_start, patches, is_connected):
    """List the patches of each particle, ascending, and find whether each patch is connected.

    Called twice: with `patches` empty it counts the patches of each particle into `patches_start`; then it fills each
    row from its start, so that a start becomes the end of its row.

    Args: start, member: elements of each patch; corner: (t, 3); last: (n,), -1; label: scratch (n,).
    """
    fills = patches.shape[0] > 0
    for patch in range(start.shape[0] - 1):
        pieces = 0
        for place in range(start[patch], start[patch + 1]):
            t = member[place]
            for k in range(3):
                i = corner[t, k]
                if last[i] != patch:
                    last[i] = patch
                    label[i] = i
                    pieces += 1
                    if fills:
                        patches[patches_start[i]] = patch
                    patches_start[i] += 1
            for k in range(1, 3):
                a = corner[t, 0]
                b = corner[t, k]
                while label[a] != a:
                    a = label[a]
                while label[b] != b:
                    b = label[b]
                if a != b:
                    label[max(a, b)] = min(a, b)
                    pieces -= 1
        is_connected[patch] = pieces == 1


@kernel
def _list_adjacent(patches_start, patches, pairs):
    """List pairs of patches that share a particle, some several times; only counts them if `pairs` is empty."""
    count = 0
    for i in range(patches_start.shape[0] - 1):
        for a in range(patches_start[i], patches_start[i + 1]):
            for b in range(a + 1, patches_start[i + 1]):
                if pairs.shape[0] > 0:
                    pairs[count, 0] = patches[a]
                    pairs[count, 1] = patches[b]
                count += 1
    return count


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
