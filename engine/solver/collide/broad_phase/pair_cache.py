"""Pair cache: boxes around predicted motion, and near pairs of particles, triangles and edges."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..narrow_phase.columns import NearPairs
from ..narrow_phase.face_contact import SLOTS
from ..narrow_phase.place import FINE_EDGE_REACH, FINE_EDGES, REACH
from .bends import classify_edges
from .body_pairs import CloseBodies, Meeting
from .boxes import LANES, refit_elements, refit_patches, refit_top
from .elements import Elements
from .near.columns import PatchBoxes, PatchCones, PatchElements, PredictionColumns, SearchChanges
from .near_pairs import AGAIN, ALL, find_near_edges, find_near_faces, list_pairs
from .patches import find_flatness_changes, find_near_patches, fit_cones, mend_near
from .pooled_lists import Rows, owners
from .search_horizon import NO_LIMIT


@dataclass(eq=False)
class Prediction:
    """Predicted motion of particles.

    Attributes:
        x, v: (n, 3) start positions [m] and velocities [m/s] of the prediction; time: its duration [s].
        margin: (n,) around each [m]; slack: (n,) the part of the margin for deviations from the prediction [m].
    """

    count: int
    time: float = 0.0
    x: np.ndarray = field(init=False)
    v: np.ndarray = field(init=False)
    margin: np.ndarray = field(init=False)
    slack: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.x, self.v = np.zeros((self.count, 3)), np.zeros((self.count, 3))
        self.margin, self.slack = np.zeros(self.count), np.zeros(self.count)

    def columns(self) -> PredictionColumns:
        """The arrays as kernels take them."""
        return PredictionColumns(self.x, self.v, self.time, self.margin)


class PairCache:
    """Near pairs, and the boxes and rows from which they are found.

    Attributes:
        pair_particle: (m,) int64; pair_start, pair_stop: (m,) ranges of near: triangles of one body near a particle.
        near: (k,) int32; edge_pair: (l, 2) int64, edges near each other.
        pairs: number found by the last search: triangles near particles, and edge pairs.
        prediction: predictions of all particles; meets_itself: whether any body collides with itself.
        is_new: (n,) bool, particles that deviated; edge_classes_known: (p,) bool, patches with classified edges.
    """

    def __init__(
        self, elements: Elements, meets: Meeting, scale: np.ndarray, body: np.ndarray, radius: np.ndarray,
        inv_mass: np.ndarray,
    ) -> None:
        """Args: elements: of all bodies; meets: collision filter; scale: (n,) [m]; body ... inv_mass: see `Model`."""
        self.elements, self.meets, self.prediction = elements, meets, Prediction(len(body))
        self._body_of = body[elements.corner[:, 0]]
        count, nodes, patches = len(body), len(elements.skip), len(elements.patch_body)
        self._patch_at = np.full(nodes, -1, dtype=np.int64)
        self._patch_at[elements.patch_node] = np.arange(patches)
        self.meets_itself = bool(meets.own.any())
        self._node_box = np.zeros((nodes, 12))
        face_box, edge_box = (
            np.zeros((len(at), 12, LANES), dtype=np.float32) for at in (elements.face_at, elements.edge_at)
        )
        self._boxes = PatchBoxes(
            elements.patch_node, self._node_box, np.zeros((patches, 3)), face_box, edge_box, np.zeros((patches, 12))
        )
        self._is_fresh, self.edge_classes_known = np.zeros(patches, dtype=bool), np.zeros(patches, dtype=bool)
        self._axis, self._cone = np.zeros((patches, 3)), np.full(patches, np.pi)
        self._was_axis, self._was_cone = self._axis.copy(), self._cone.copy()
        self.is_new, self._flatness_changed = np.zeros(count, dtype=bool), np.zeros(patches, dtype=bool)
        self._close = CloseBodies(meets, elements.tree_start)
        self._edge_class = np.zeros(len(elements.edge), dtype=np.int8)
        is_soft = np.zeros(patches, dtype=bool)
        is_soft[elements.patch_of[(inv_mass[elements.corner] > 0.0).any(axis=1)]] = True
        margin_reduction = (1.0 - FINE_EDGES) * radius + (REACH - FINE_EDGE_REACH) * scale
        self._columns = PatchElements(
            elements.corner, elements.patch_of, elements.edge, elements.edge_patch, self._edge_class,
            elements.face_blocks, elements.face_at, elements.edge_blocks, elements.edge_at, elements.particle_start,
            elements.particle, elements.edge_start, elements.edge_of, elements.patch_body, is_soft,
            elements.neighbour_start, elements.neighbour, elements.is_tied,
            np.where(elements.is_fine, margin_reduction[elements.edge].min(axis=1, initial=np.inf), 0.0),
        )
        self._cones = PatchCones(elements.beside_start, elements.beside, elements.is_connected, self._axis, self._cone)
        # Edges of rigid bodies and colliders touch soft ones; if there are none, the distance `_keep` is infinite.
        self._is_deformable = (inv_mass[elements.edge] > 0.0).any(axis=1)
        thinnest = radius[inv_mass > 0.0].min(initial=np.inf)
        self._keep = radius[elements.edge].max(axis=1, initial=0.0) + np.where(self._is_deformable, 0.0, thinnest)
        self._patches, self._edges = Rows(patches), Rows(len(elements.edge))
        self._triangles = Rows(count, elements.first)
        self.edge_pair = np.zeros((0, 2), dtype=np.int64)
        self.pair_particle, self.pair_start, self.pair_stop = (np.zeros(0, dtype=np.int64) for _ in range(3))
        self.pairs, self.most = 0, NO_LIMIT

    @property
    def near(self) -> np.ndarray:
        """Triangles near particles."""
        return self._triangles.pool

    @property
    def near_pairs(self) -> NearPairs:
        """The pairs as kernels take them."""
        return NearPairs(self.pair_particle, self.pair_start, self.pair_stop, self.near, self.edge_pair)

    @property
    def slots(self) -> int:
        """Number of contact slots for all pairs."""
        return SLOTS * len(self.pair_particle) + len(self.edge_pair)

    def dense_count(self) -> int:
        """Number of particles and edges that left out some of their near soft elements, see `SearchHorizon`."""
        if self.most == NO_LIMIT:
            return 0
        return int(sum(np.count_nonzero(rows.count >= self.most) for rows in (self._triangles, self._edges)))

    def are_all_apart(self, moving: int) -> bool:
        """Whether body boxes rule out all pairs; `moving`: number of patches that may move."""
        return self._close.are_none(self.elements, moving, *self.prediction.columns(), self._node_box)

    def search(self, dirty: np.ndarray, start: np.ndarray, mode: int) -> None:
        """Search around the particles of some patches with fitted boxes; start: (n, 3), current positions [m].

        Args: mode: see `find_near_faces`.
        """
        elements = self.elements
        if self.meets_itself:
            self._was_axis[:], self._was_cone[:] = self._axis, self._cone
            fit_cones(
                dirty, start, elements.corner, elements.face_blocks, elements.face_at, elements.patch_body,
                self.meets.own, self._axis, self._cone,
            )
            find_flatness_changes(
                dirty, elements.beside_start, elements.beside, elements.is_connected, self._axis, self._cone,
                self._was_axis, self._was_cone, self._flatness_changed,
            )
        refit_top(elements.top, elements.skip, self._node_box)
        if mode == ALL or not self._close.hold(self._node_box):
            self._close.find(self._node_box)
        near, had_none = self._patches, self._patches.count == 0
        was_near = near.of(dirty)
        is_dirty = np.zeros(len(self._is_fresh), dtype=bool)
        is_dirty[dirty] = True
        # Nearness is symmetric: patches near a dirty one, now or before, are in its own row.
        self._find_near_patches(np.arange(len(is_dirty)) if mode == ALL else dirty)
        if mode != ALL:
            mend_near(was_near, dirty, is_dirty, *near.columns())
            self._find_near_patches(near.grow())
        is_active = is_dirty.copy()
        is_active[near.of(dirty)] = is_active[was_near] = True
        is_active[had_none & (near.count == 0)] = False
        active = np.flatnonzero(is_active)
        is_needed = is_active
        is_needed[near.of(active)] = True
        self._refit_elements(is_needed, start)
        self._near_features(mode, is_dirty, active, near)
        self._flatness_changed[dirty] = False

    def refit(self, dirty: np.ndarray) -> None:
        """Refit boxes of some patches after their particles' predictions changed."""
        elements = self.elements
        refit_patches(
            dirty, *self.prediction.columns(), elements.corner, elements.face_blocks, elements.face_at,
            elements.patch_node, self._node_box, self._is_fresh,
        )

    def _refit_elements(self, is_needed: np.ndarray, start: np.ndarray) -> None:
        """Boxes of the elements of some patches, (p,) bool; edges are classified once per full search."""
        elements = self.elements
        unclassified = np.flatnonzero(is_needed & ~self.edge_classes_known)
        if len(unclassified):
            classify_edges(
                unclassified, elements.edge_start, elements.edge_of, elements.edge_face, start, elements.corner,
                elements.edge, self._keep, self._is_deformable, self._edge_class,
            )
            self.edge_classes_known[unclassified] = True
        outdated = np.flatnonzero(is_needed & ~self._is_fresh)
        if len(outdated):
            refit_elements(outdated, self.prediction.columns(), self._columns, self._boxes, self._is_fresh)

    def _find_near_patches(self, searched: np.ndarray) -> None:
        """Find the patches near those `searched`, (m,)."""
        elements, near = self.elements, self._patches
        while len(searched):
            find_near_patches(
                searched, self._close.start, self._close.close, elements.tree_start, elements.skip, self._patch_at,
                self._columns, self._boxes, self._cones, near.columns(),
            )
            searched = near.grow()

    def _near_features(self, first_mode: int, is_dirty: np.ndarray, active: np.ndarray, near: Rows) -> None:
        """Find triangles near the particles, and edges near the edges, of active patches."""
        elements, triangles, edges = self.elements, self._triangles, self._edges
        around = (near.columns(), self.prediction.columns(), self._columns, self._boxes)
        changes = SearchChanges(self.is_new, is_dirty, self._flatness_changed)
        searched, mode = active, first_mode
        while len(searched):
            find_near_faces(mode, self.most, changes, searched, *around, triangles.columns())
            searched, mode = owners(elements.particle_patch, triangles.grow()), AGAIN
        searched, mode = active, first_mode
        while len(searched):
            find_near_edges(mode, self.most, changes, searched, *around, edges.columns())
            searched, mode = owners(elements.edge_patch, edges.grow()), AGAIN
        self._list()

    def clear_pairs(self) -> None:
        """Clear all rows: there are no near pairs."""
        self._patches.clear()
        self.clear()
        self._list()

    def clear(self) -> None:
        """Clear the rows of triangles and edges before a search of all patches."""
        self._triangles.clear()
        self._edges.clear()

    def _list(self) -> None:
        triangles, edges = self._triangles, self._edges
        near = triangles.total()
        pairs = [np.empty(near, dtype=np.int64) for _ in range(3)]
        self.edge_pair = np.empty((edges.total(), 2), dtype=np.int64)
        count = list_pairs(
            self.elements.first, triangles.start, triangles.count, triangles.pool, self._body_of, edges.start,
            edges.count, edges.pool, *pairs, self.edge_pair,
        )
        self.pair_particle, self.pair_start, self.pair_stop = (column[:count] for column in pairs)
        self.pairs = len(pairs[0]) + len(self.edge_pair)
