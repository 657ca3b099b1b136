"""A mesh that tears: which particle each face corner belongs to.

At the start all corners of a vertex belong to one particle. Where the mesh tears, a particle splits: some of its
corners get a particle of their own from a pool of spare ones. Faces that still share an edge stay together: the two
ends of the edge are the same particles in both. Parts that touch in one point only are separated there too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .corners import Corners


class TornMesh:
    """Face corners with their particles.

    Attributes:
        corners: of the whole mesh; vertex_count: of the whole mesh.
        particle: (c,) int32, particle of each corner; the first particles are the vertices.
        parent: (capacity,) int32, vertex of each particle; used: number of particles in use.
    """

    def __init__(self, corners: Corners, vertex_count: int, capacity: int, particle: np.ndarray | None = None) -> None:
        """Args: see the attributes; capacity: particles with the spare ones; particle: None for an untorn mesh."""
        self.corners, self.vertex_count = corners, vertex_count
        self.particle = corners.vertex.copy() if particle is None else particle.astype(np.int32)
        self.parent = np.zeros(capacity, dtype=np.int32)
        self.parent[:vertex_count] = np.arange(vertex_count)
        self.parent[self.particle] = corners.vertex
        self.used = max(vertex_count, int(self.particle.max(initial=-1)) + 1)

    def triangles(self) -> np.ndarray:
        """Triangles between particles, (t, 3) int32."""
        return self.particle[self.corners.triangles]

    def split_pairs(self) -> np.ndarray:
        """All pairs of particles that come from the same vertex, (m, 2) int64."""
        parent = self.parent[: self.used]
        order = np.argsort(parent, kind="stable")
        found = [np.zeros((0, 2), dtype=np.int64)]
        for apart in range(1, int(np.bincount(parent).max(initial=1))):
            first, second = order[:-apart], order[apart:]
            found.append(np.stack([first, second], axis=1)[parent[first] == parent[second]])
        return np.concatenate(found)

    def corners_at(self, particle: int) -> list[int]:
        """Corners of a particle, ascending."""
        corners, vertex = self.corners, int(self.parent[particle])
        own = corners.at_vertex[corners.at_vertex_start[vertex] : corners.at_vertex_start[vertex + 1]]
        return own[self.particle[own] == particle].tolist()

    def beside(self, corner: int) -> tuple[int, int]:
        """The particles at the other ends of the two edges of a corner."""
        corners = self.corners
        return int(self.particle[corners.ahead[corner]]), int(self.particle[corners.back[corner]])

    def fans(self, own: Sequence[int], apart: Callable[[int, int, int], bool] | None = None) -> list[list[int]]:
        """Groups of corners (of one particle) whose faces share edges, each ascending, ordered by lowest corner.

        Args: apart: (corner, corner, particle at the other end of their edge) to whether the edge is torn.
        """
        group = {c: c for c in own}

        def first(c: int) -> int:
            while group[c] != c:
                c = group[c]
            return c

        at: dict[int, int] = {}
        # A vertex has few corners; building an array of them would take longer than this loop.
        for c in own:
            for end in self.beside(c):
                if end in at and (apart is None or not apart(at[end], c, end)):
                    low, high = sorted((first(at[end]), first(c)))
                    group[high] = low
                at.setdefault(end, c)
        found: dict[int, list[int]] = {}
        for c in own:
            found.setdefault(first(c), []).append(c)
        return list(found.values())

    def split(self, groups: Sequence[Sequence[int]], smallest: int) -> list[int]:
        """Give each group of a particle's corners, except the first, a spare particle; returns these particles.

        Returns none without enough spare particles, or if a piece of fewer than `smallest` faces would come off.
        """
        if len(groups) < 2 or self.used + len(groups) - 1 > len(self.parent):
            return []
        parent_particle = int(self.particle[groups[0][0]])
        new_particles = list(range(self.used, self.used + len(groups) - 1))
        for new_particle, group in zip(new_particles, groups[1:], strict=True):
            self.particle[list(group)] = new_particle
            self.parent[new_particle] = self.parent[parent_particle]
        if smallest > 1 and any(self._is_small(group[0], smallest) for group in groups):
            for group in groups[1:]:
                self.particle[list(group)] = parent_particle
            return []
        self.used += len(new_particles)
        return new_particles

    def _is_small(self, corner: int, smallest: int) -> bool:
        """Whether the piece that contains a corner has fewer faces than `smallest`."""
        corners = self.corners
        seen, todo = {int(corners.face[corner])}, [int(corners.face[corner])]
        while todo:
            face = todo.pop()
            for c in corners.of_face[corners.of_face_start[face] : corners.of_face_start[face + 1]].tolist():
                for other in self.corners_at(int(self.particle[c])):
                    other_face = int(corners.face[other])
                    if other_face not in seen:
                        seen.add(other_face)
                        todo.append(other_face)
                if len(seen) >= smallest:
                    return False
        return True
