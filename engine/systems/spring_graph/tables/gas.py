"""The air in hollow pieces of all spring graphs, in one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....compiler import aligned
from ....mesh.graph.components import members
from ....mesh.graph.parts import Parts
from ....solver.collide.broad_phase.pooled_lists import spread
from ....solver.constraints import stored_energy as stored
from ....solver.constraints.gas import caps
from ....solver.constraints.gas import volume as law
from ....solver.constraints.gas.columns import SPEED_SUMS, AirAround, AirParts, AirRows, AirSurface, Rims
from ....solver.vector import air as vector
from .islands import by_island, ranges
from .rows import Rows

TRIANGLES_IN_BLOCK = 1024
VERTICES_IN_BLOCK = 512


@dataclass
class GasTable:
    """Hollow pieces and the air in them.

    Attributes:
        body: (parts,) int32, body of each hollow piece.
        rest_volume: (parts,) [m³]; amount: (parts,) N [Pa m³]; active: (parts,) bool, whether it contains air.
        origin: (parts,) int32, a row of the piece.
        triangles: (t, 3) int32 rows; tri_block, tri_block_part, tri_block_origin: blocks of triangles.
        ids: (q,) int32 rows; corner_start, corners: the triangles at each row; id_block, id_block_part: blocks of rows.
        place: (r + 1,) int64, position of each row in `ids`, -1 for rows without air.
        rims: open rims, see `gas.columns`; others: (k, 2) ranges of rows without air, see `gas.columns.AirRows`.
        piece: (parts,) connected piece of each part; other_piece: (k,) of each range in `others`.
        number: precision of the inner steps; parts_of: parts by the index of their body.
        breathes: whether any piece contains air.
        pressure, volume, weight: (parts,) of the running solve; last: (parts, 2), see `gas.columns.AirParts`.
        every: all blocks of triangles, all blocks of rows and all rims.
        rows: the rows that air pushes, and surface: the triangles around it, as kernels take them.
    """

    body: np.ndarray
    rest_volume: np.ndarray
    amount: np.ndarray
    active: np.ndarray
    origin: np.ndarray
    triangles: np.ndarray
    tri_block: np.ndarray
    tri_block_part: np.ndarray
    tri_block_origin: np.ndarray
    ids: np.ndarray
    place: np.ndarray
    corner_start: np.ndarray
    corners: np.ndarray
    id_block: np.ndarray
    id_block_part: np.ndarray
    rims: Rims
    others: np.ndarray
    piece: np.ndarray
    other_piece: np.ndarray
    number: type

    def __post_init__(self) -> None:
        parts = len(self.body)
        self.parts_of: dict[int, list[int]] = {}
        for part, body in enumerate(self.body.tolist()):
            self.parts_of.setdefault(body, []).append(part)
        self.breathes = bool(self.active.any())
        self.pressure = np.zeros(parts)
        self.volume = np.zeros(parts)
        self.weight = np.zeros(parts)
        self._push, self._still = np.zeros(parts), np.zeros(parts)
        self._now, self._ended = np.zeros(parts), np.zeros(parts)
        self.last, self._none = np.zeros((parts, 2)), np.zeros((parts, 2))
        self._normal = aligned.zeros((len(self.triangles), 4))
        self._law = vector if self.number is np.float32 else law
        # Four columns, like the rows that the gradients displace.
        self._gradient = aligned.zeros((len(self.ids), 4), self.number)
        self._tri_value = np.zeros(len(self.tri_block_part))
        self._id_value = np.zeros(len(self.id_block_part))
        self._id_change = np.zeros((len(self.id_block_part), 2))
        none = np.zeros(0, dtype=np.int64)
        self.rows = AirRows(
            self.ids, self.id_block, self.id_block_part, self._gradient, self._id_change,
            np.zeros((len(self.id_block_part), SPEED_SUMS)), self.others, none, none, none, none,
        )
        self.surface = AirSurface(
            self.triangles, self.tri_block, self.tri_block_part, self.tri_block_origin, self._normal, self._tri_value,
            self.corner_start, self.corners, self._id_value, np.zeros((len(self.place), 4)), none, none, none, none,
        )
        self.every = [np.arange(len(of)) for of in (self.tri_block_part, self.id_block_part, self.rims.part)]
        pieces = int(max(self.piece.max(initial=-1), self.other_piece.max(initial=-1))) + 1
        self.take_islands(np.arange(pieces), pieces)
        self._part_change = np.zeros(parts)
        self._block_of_tri, self._block_of_id = (
            np.repeat(np.arange(len(starts) - 1), np.diff(starts)) for starts in (self.tri_block, self.id_block)
        )

    def take_islands(self, island: np.ndarray, count: int) -> None:
        """List parts and blocks by island; island: (pieces,) of each piece; count: number of islands."""
        self._of_part = of_part = island[self.piece]
        blocks, triangles, rims, parts, others = (
            by_island(of, count) for of in (
                of_part[self.id_block_part], of_part[self.tri_block_part], of_part[self.rims.part], of_part,
                island[self.other_piece],
            )
        )
        self.rows = self.rows._replace(
            of_blocks=blocks.start, block=blocks.item, of_others=others.start, other=others.item
        )
        self.surface = self.surface._replace(
            of_blocks=triangles.start, block=triangles.item, of_rims=rims.start, rim=rims.item
        )
        self._listed = parts

    def breathing(self, count: int) -> np.ndarray:
        """Islands in which any piece contains air, (count,) bool."""
        found = np.zeros(count, dtype=bool)
        found[self._of_part[self.active]] = True
        return found

    def fill(self, part_mask: np.ndarray, over_pressure: float) -> None:
        """Fill the pieces in the mask with air of that over-pressure [Pa] at their rest volume."""
        self.active[part_mask] = True
        self.breathes = bool(self.active.any())
        self.amount[part_mask] = (law.AMBIENT + over_pressure) * self.rest_volume[part_mask]

    def measure(self, rows: np.ndarray) -> None:
        """Compute `volume` of each piece, caps included, (parts,) [m³]; rows: (r, 4) positions."""
        triangles, _vertices, rims = self.every
        self.volume[:] = 0.0
        self._law.triangle_normals(
            rows, triangles, self.triangles, self.tri_block, self.tri_block_origin, self._normal, self._tri_value
        )
        law.sum_blocks(triangles, self.tri_block_part, self._tri_value, self.volume)
        if len(rims):
            caps.cap_volumes(rows, rims, self.rims, self.volume)

    def around(self, loose: np.ndarray) -> tuple[bool, AirAround, AirSurface, AirRows, AirParts, Rims]:
        """The air when only some rows (m,) move, for `inner_steps.straighten`, and whether it pushes any of them.

        All blocks of their pieces are measured once, and after that only the blocks around these rows. Open pieces are
        measured as a whole each time, because their caps depend on the whole rim.
        """
        place = self.place[loose]
        part = self.id_block_part[self._block_of_id[place]] if len(self.ids) else np.zeros(len(loose), dtype=np.int32)
        place = np.where((place >= 0) & self.active[part], place, -1) if len(self.ids) else place
        pushed = place[place >= 0]
        concerned = np.zeros(len(self.body), dtype=bool)
        concerned[part[place >= 0]] = True
        every = [
            np.flatnonzero(concerned[parts]) for parts in (self.tri_block_part, self.id_block_part, self.rims.part)
        ]
        some = every[:2]
        if len(every[2]) == 0:
            first, last = self.corner_start[pushed], self.corner_start[pushed + 1]
            near = self.corners[spread(first, last - first)]
            corners = self.place[self.triangles[near].reshape(-1)]
            some = [np.unique(self._block_of_tri[near]), np.unique(self._block_of_id[corners])]
        around = AirAround(place, part, *every, *some)
        chosen = np.flatnonzero(concerned)
        parts = self.parts._replace(last=self._none, of_parts=np.array([0, len(chosen)]), part=chosen)
        return len(pushed) > 0, around, self.surface, self.rows, parts, self.rims

    @property
    def parts(self) -> AirParts:
        """The pieces and their air, for `solver.inner_steps.solve_islands`; `recall` replaces arrays."""
        return AirParts(
            self.rest_volume, self.amount, self.active, self.volume, self.weight, self._now, self._ended,
            self.pressure, self._push, self._still, self.last, *self._listed,
        )

    def add_some(
        self, x: np.ndarray, noted: np.ndarray, row_ids: np.ndarray, is_moved: np.ndarray, piece: np.ndarray,
        held: np.ndarray,
    ) -> None:
        """Add the estimated energy increase of each piece's air since the recorded positions to `held`.

        Args: x, noted: (n, 3) [m]; row_ids, is_moved: (r,); piece: (parts,) of each; held: in and out (pieces,) [J].
        """
        stored.volume_changes(x, noted, self.ids, row_ids, is_moved, self.id_block, self._gradient, self._id_value)
        stored.add_some_air(
            self._id_value, self.id_block_part, self._part_change, self._now, self.rest_volume, self.amount,
            self.active, piece, held,
        )

    def memory(self) -> dict[str, Any]:
        """State that a snapshot must keep."""
        return {"amount": self.amount, "active": self.active, "pressure": self.pressure, "last": self.last}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore a snapshot's state."""
        for name, value in memory.items():
            setattr(self, name, value)
        self.breathes = bool(self.active.any())


def _blocks(start: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Cut each part's range into blocks: (blocks + 1,) starts and (blocks,) parts."""
    starts: list[int] = []
    parts: list[int] = []
    for part in range(len(start) - 1):
        for first in range(int(start[part]), int(start[part + 1]), size):
            starts.append(first)
            parts.append(part)
    return np.array([*starts, int(start[-1])], dtype=np.int64), np.array(parts, dtype=np.int32)


def build_gas(rows: Rows, surfaces: list[tuple[int, int, Parts]]) -> GasTable:
    """Table of every hollow piece.

    Args:
        rows: of all spring graphs.
        surfaces: (body, first particle, parts) of each spring graph that has triangles.
    """
    body, rest_volume, triangles, tri_part, rim_edges, rim, rim_part = _gather(surfaces)
    triangles, rim_edges = rows.row[triangles].astype(np.int32), rows.row[rim_edges].astype(np.int32)
    part_count = len(body)
    tri_start = np.concatenate([[0], np.cumsum(np.bincount(tri_part, minlength=part_count))]).astype(np.int64)
    origin = triangles[tri_start[:-1], 0] if part_count else np.zeros(0, dtype=np.int32)
    vertex_part = np.full(len(rows.at), -1, dtype=np.int64)
    vertex_part[triangles.reshape(-1)] = np.repeat(tri_part, 3)
    id_start, ids = members(vertex_part)
    place = np.full(len(rows.at), -1, dtype=np.int64)
    place[ids] = np.arange(len(ids))
    corner_start, corners = members(place[triangles.reshape(-1)])
    tri_block, tri_block_part = _blocks(tri_start, TRIANGLES_IN_BLOCK)
    id_block, id_block_part = _blocks(id_start, VERTICES_IN_BLOCK)
    order = np.argsort(rim, kind="stable")
    rim_edges, rim = rim_edges[order], rim[order]
    rim_start = np.concatenate([[0], np.cumsum(np.bincount(rim, minlength=len(rim_part)))]).astype(np.int64)
    rims = Rims(
        rim_start, np.ascontiguousarray(rim_edges[:, 0]), np.ascontiguousarray(rim_edges[:, 1]),
        place[rim_edges[:, 0]], place[rim_edges[:, 1]], rim_part, origin,
    )
    without_air = np.flatnonzero(place[:-1] < 0)
    others, other_piece = ranges(without_air, rows.piece[without_air], VERTICES_IN_BLOCK)
    return GasTable(
        body, rest_volume, np.zeros(part_count), np.zeros(part_count, dtype=bool), origin,
        triangles, tri_block, tri_block_part, origin[tri_block_part],
        ids.astype(np.int32), place, corner_start, (corners // 3).astype(np.int32), id_block, id_block_part, rims,
        others, rows.piece[origin].astype(np.int64), other_piece, rows.moved.dtype.type,
    )


def _gather(surfaces: list[tuple[int, int, Parts]]) -> tuple[np.ndarray, ...]:
    """Hollow pieces of all surfaces, numbered consecutively, with particle indices."""
    body: list[np.ndarray] = [np.zeros(0, dtype=np.int32)]
    volume = [np.zeros(0)]
    triangles = [np.zeros((0, 3), dtype=np.int32)]
    tri_part = [np.zeros(0, dtype=np.int64)]
    rim_edges = [np.zeros((0, 2), dtype=np.int32)]
    rim = [np.zeros(0, dtype=np.int64)]
    rim_part = [np.zeros(0, dtype=np.int64)]
    parts_so_far = rims_so_far = 0
    for body_index, first, parts in surfaces:
        number = np.where(parts.hollow, np.cumsum(parts.hollow) - 1, -1)
        count = int(parts.hollow.sum())
        kept = number[parts.part] >= 0
        triangles.append(parts.triangles[kept] + np.int32(first))
        tri_part.append(number[parts.part[kept]] + parts_so_far)
        of_edge = number[parts.vertex_part[parts.rim_edges[:, 0]]]
        edge_kept = of_edge >= 0
        names, rim_index = np.unique(parts.rim[edge_kept], return_inverse=True)
        rim_edges.append(parts.rim_edges[edge_kept] + np.int32(first))
        rim.append(rim_index.reshape(-1) + rims_so_far)
        part_of_rim = np.zeros(len(names), dtype=np.int64)
        part_of_rim[rim_index.reshape(-1)] = of_edge[edge_kept] + parts_so_far
        rim_part.append(part_of_rim)
        body.append(np.full(count, body_index, dtype=np.int32))
        volume.append(parts.volume[parts.hollow])
        parts_so_far += count
        rims_so_far += len(names)
    return tuple(
        np.concatenate(arrays) for arrays in (body, volume, triangles, tri_part, rim_edges, rim, rim_part)
    )
