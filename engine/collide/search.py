"""The search for who may touch whom, and how long what it found holds."""

from __future__ import annotations

import math

import numpy as np

from .boxes import LANES, refit_elements, refit_patches, refit_top
from .broad import find_near_patches, find_turned, fit_cones, mend_near, note_strayed, set_way
from .close_bodies import CloseBodies, Meeting
from .elements import Elements
from .face_contact import SLOTS
from .near import AGAIN, ALL, CHANGED, find_bends, find_near_edges, find_near_faces, list_pairs
from .rows import Rows, owners, spread

# The fastest particle may go so many slacks before all is searched again.
FORESIGHT = 32.0
# When more than this share of the patches has strayed, all of them are searched again, and half as far ahead as that
# took; each time that as much as was foreseen has passed, so many times further.
MANY = 0.2
BOLDER = 1.5
# More room for straying means fewer searches and more pairs to look at: what goes into both is kept level. To search
# around a particle or an edge takes as long as to look at so many pairs of a substep; room grows by steps up to a most.
PAIRS_EACH = 1.0
STEP_OF_ROOM, MOST_ROOM = 1.25, 4.0
# In folds there are more pairs than this for each particle and edge. There room is less than one, and all are searched
# again when in all so many patches have strayed since, as a share: what is far foreseen has many near it.
CROWDED, LESS, LEAST_ROOM, MANY_IN_ALL = 1.0, 0.5, 0.625, 0.3


class Search:
    """Near pairs of the frame, or of as much of it as can be foreseen.

    Attributes:
        pair_particle: (m,) int64; pair_start, pair_stop: (m,) ranges of near: triangles of one body near a particle.
        near: (k,) int32; edge_pair: (l, 2) int64, edges near each other.
    """

    def __init__(
        self, elements: Elements, meets: Meeting, scale: np.ndarray, v: np.ndarray, radius: np.ndarray,
        body: np.ndarray, inv_mass: np.ndarray,
    ) -> None:
        """Args: who can be touched, and who meets whom; of all particles, (n,) [m] and (n, 3) at first [m/s].

        radius, body, inv_mass: of all particles, see `world.Model`.
        """
        self.elements, self.meets, self._scale = elements, meets, scale
        self._radius, self._body, self._inv_mass = radius, body, inv_mass
        self._body_of = body[elements.corner[:, 0]]
        count, nodes, patches = len(scale), len(elements.skip), len(elements.patch_body)
        self._slack, self.strays, self.pace = np.zeros(count), np.zeros(count), v.copy()
        self._x_found, self._v_found, self._wide = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(count)
        self._strayed = np.zeros(count, dtype=bool)
        self._patch_at = np.full(nodes, -1, dtype=np.int64)
        self._patch_at[elements.patch_node] = np.arange(patches)
        self.moving, self._moving_patches, self._moving_edges, self._knows_still = -1, 0, 0, False
        self._bends = meets.own
        self._is_late = False  # Whether boxes of patches that move are older than their ways.
        self._node_box, self._origin, self._own_box = (np.zeros((rows, k)) for rows, k in (
            (nodes, 12), (patches, 3), (patches, 12),
        ))
        self._face_box, self._edge_box = (
            np.zeros((len(at), 12, LANES), dtype=np.float32) for at in (elements.face_at, elements.edge_at)
        )
        self._is_fresh, self._knows_bends = np.zeros(patches, dtype=bool), np.zeros(patches, dtype=bool)
        self._axis, self._cone = np.zeros((patches, 3)), np.full(patches, np.pi)
        self._was_axis, self._was_cone = self._axis.copy(), self._cone.copy()
        self._is_new, self._is_turned = np.zeros(count, dtype=bool), np.zeros(patches, dtype=bool)
        self._close = CloseBodies(meets, elements.tree_start)
        self._bend = np.zeros(len(elements.edge), dtype=np.int8)
        self.horizon, self.room, self._found, self._looked_at, self._dirty = math.inf, 1.0, 0, 0, 0
        self._foresight = FORESIGHT * float(scale.min(initial=np.inf))
        self._patches, self._triangles, self._edges = Rows(patches), Rows(count), Rows(len(elements.edge))
        self.edge_pair = np.zeros((0, 2), dtype=np.int64)
        self.pair_particle, self.pair_start, self.pair_stop = (np.zeros(0, dtype=np.int64) for _ in range(3))
        self.forget(count)

    @property
    def near(self) -> np.ndarray:
        """Triangles near particles."""
        return self._triangles.pool

    @property
    def slots(self) -> int:
        """Places for contacts of all pairs."""
        return SLOTS * len(self.pair_particle) + len(self.edge_pair)

    def forget(self, moving: int) -> None:
        """Search before the next substep; the first `moving` particles may move, those behind stand still."""
        self._passed, self._time, self._looked_at = 0.0, 0.0, 0
        self.pace[moving:], self.strays[moving:] = 0.0, 0.0
        if moving == self.moving:
            return
        self.moving, self._knows_still = moving, False
        bodies = self._body[moving] if moving < len(self._body) else len(self.meets.kind)
        self._moving_patches = int(np.searchsorted(self.elements.patch_body, bodies))
        self._moving_edges = int(np.count_nonzero(self.elements.edge[:, 0] < moving))

    def look(self, start: np.ndarray, x: np.ndarray, h: float, frame: float) -> bool:
        """Before a substep from `start` to `x`, (n, 3): whether more may touch than was known.

        Args: h: the substep [s]; frame: how far to look ahead [s].
        """
        if self._passed + h <= self._time * (1.0 + 1e-9):
            self._passed += h
            self._looked_at += self._found
            return False
        self.horizon = min(frame, BOLDER * self.horizon)
        if self._time == 0.0:
            self._knows_bends[: self._moving_patches] = False
        self._search_all(start, x, h, h)
        return True

    def look_back(self, start: np.ndarray, x: np.ndarray, h: float) -> bool:
        """After a substep: search around those who strayed from the way foreseen; whether there were any."""
        low = self.elements.first
        note_strayed(
            start[low : self.moving], x[low:], h, self._passed, self._inv_mass[low:], self._x_found[low:],
            self._v_found[low:], self._slack[low:], self.pace[low:], self.strays[low:], self._strayed,
        )
        strayed, elements = np.flatnonzero(self._strayed[: max(self.moving - low, 0)]) + low, self.elements
        if len(strayed) == 0:
            return False
        first, last = elements.patches_start[strayed], elements.patches_start[strayed + 1]
        is_dirty = np.zeros(len(self._is_fresh), dtype=bool)
        is_dirty[elements.patches[spread(first, last - first)]] = True
        dirty = np.flatnonzero(is_dirty)
        way = float(np.abs(self.pace[strayed]).max()) * self._time
        self._dirty += len(dirty) if self._is_crowded() else 0
        if way > self._foresight or max(len(dirty) / MANY, self._dirty / MANY_IN_ALL) > self._moving_patches:
            self.horizon = max(h, 0.5 * self._passed)
            self._search_all(start, x, h, 2.0 * h)
        else:
            if self._is_late:
                self._is_late = False
                self._refit_patches(np.arange(self._moving_patches))
            self._go_on(strayed, start, x, h, self.room)
            self._refit_patches(dirty)
            self._is_new[strayed] = True
            self._search(dirty, start, CHANGED)
            self._is_new[strayed] = False
        return True

    def _search_all(self, start: np.ndarray, x: np.ndarray, h: float, least: float) -> None:
        """As far ahead as is foreseen, at least so long [s]."""
        if self._time > 0.0:
            self.room = self._next_room()
        self._looked_at, self._dirty = self._found, 0
        fastest = max(float(np.abs(self.pace[: self.moving]).max(initial=0.0)), 1e-300)
        # A substep more than foreseen costs less than a search for each.
        ahead = max(least, min(self.horizon, self._foresight / fastest))
        # In folds nobody is looked for whom only part of a substep would bring near.
        self._passed, self._time = h, h * math.floor(ahead / h + 1e-6) if self.room < 1.0 else ahead
        self._triangles.clear()
        self._edges.clear()
        knew_still, elements = self._knows_still, self.elements
        if not knew_still:
            self._knows_still = True
            self._knows_bends[self._moving_patches :] = False
            self._go_on(np.arange(self.moving, len(x)), start, x, h, 1.0)
            self._refit_patches(np.arange(self._moving_patches, len(self._is_fresh)))
        self._go_on(np.arange(elements.first, self.moving), start, x, h, self.room)
        # Who had nobody near lately may well be far from all.
        self._is_late = knew_still and self._found == 0 and not self._bends.any() and self.are_all_apart()
        if self._is_late:
            self._patches.clear()
            self._list()
        else:
            self._refit_patches(np.arange(self._moving_patches))
            self._search(np.arange(self._moving_patches), start, ALL)

    def _is_crowded(self) -> bool:
        return self._found > CROWDED * (self.moving + self._moving_edges)

    def _next_room(self) -> float:
        if self._looked_at < PAIRS_EACH * (self.moving + self._moving_edges):
            return min(MOST_ROOM, STEP_OF_ROOM * self.room)
        return max(LEAST_ROOM, LESS * self.room) if self._is_crowded() else max(1.0, self.room / STEP_OF_ROOM)

    def are_all_apart(self) -> bool:
        """Whether no bodies are so close that their patches have to be asked."""
        ways = (self._x_found, self._v_found, self._time, self._wide)
        return self._close.are_none(self.elements, self._moving_patches, *ways, self._node_box)

    def _search(self, dirty: np.ndarray, start: np.ndarray, asked: int) -> None:
        """Around the particles of some patches, whose boxes have been fitted anew; asked: see `find_near_faces`."""
        elements = self.elements
        if self._bends.any():
            self._was_axis[:], self._was_cone[:] = self._axis, self._cone
            fit_cones(
                dirty, start, elements.corner, elements.face_blocks, elements.face_at, elements.patch_body, self._bends,
                self._axis, self._cone,
            )
            find_turned(
                dirty, elements.beside_start, elements.beside, elements.whole, self._axis, self._cone, self._was_axis,
                self._was_cone, self._is_turned,
            )
        refit_top(elements.top, elements.skip, self._node_box)
        if asked == ALL or not self._close.hold(self._node_box):
            self._close.find(self._node_box)
        near, had_none = self._patches, self._patches.count == 0
        was_near = near.of(dirty)
        is_dirty = np.zeros(len(self._is_fresh), dtype=bool)
        is_dirty[dirty] = True
        # Who is near a dirty patch, or was, has it among its own near ones: to be near is mutual.
        self._find_near_patches(np.arange(len(is_dirty)) if asked == ALL else dirty)
        if asked != ALL:
            mend_near(was_near, dirty, is_dirty, *near.columns())
            self._find_near_patches(near.grow())
        is_active = is_dirty.copy()
        is_active[near.of(dirty)] = is_active[was_near] = True
        is_active[had_none & (near.count == 0)] = False
        active = np.flatnonzero(is_active)
        is_asked = is_active
        is_asked[near.of(active)] = True
        self._refit_elements(is_asked, start)
        self._near_features(asked, is_dirty, active, near)
        self._is_turned[dirty] = False

    def _go_on(self, chosen: np.ndarray, start: np.ndarray, x: np.ndarray, h: float, room: float) -> None:
        set_way(
            chosen, start, x, h, self._passed - h, self._scale, room, self._radius, self.pace,
            self.strays, self._x_found, self._v_found, self._slack, self._wide,
        )

    def _refit_patches(self, dirty: np.ndarray) -> None:
        elements = self.elements
        refit_patches(
            dirty, self._x_found, self._v_found, self._time, self._wide, elements.corner, elements.face_blocks,
            elements.face_at, elements.patch_node, self._node_box, self._is_fresh,
        )

    def _refit_elements(self, is_asked: np.ndarray, start: np.ndarray) -> None:
        """Boxes of the elements of some patches, (p,) bool; how their edges are bent is asked once a frame."""
        elements = self.elements
        bent = np.flatnonzero(is_asked & ~self._knows_bends)
        if len(bent):
            find_bends(
                bent, elements.edge_start, elements.edge_of, elements.edge_face, start, elements.corner, self._bend
            )
            self._knows_bends[bent] = True
        asked = np.flatnonzero(is_asked & ~self._is_fresh)
        if len(asked):
            refit_elements(
                asked, self._x_found, self._v_found, self._time, self._wide, elements.corner, elements.edge, self._bend,
                elements.face_blocks, elements.face_at, elements.edge_blocks, elements.edge_at, self._is_fresh,
                self._origin, self._face_box, self._edge_box,
            )

    def _find_near_patches(self, asked: np.ndarray) -> None:
        """Patches near some, (m,)."""
        elements, near = self.elements, self._patches
        while len(asked):
            find_near_patches(
                asked, self._close.start, self._close.close, elements.tree_start, elements.skip, self._node_box,
                elements.patch_node, elements.patch_body, self._patch_at, elements.beside_start, elements.beside,
                elements.whole, self._axis, self._cone, *near.columns(),
            )
            asked = near.grow()

    def _near_features(self, asked: int, is_dirty: np.ndarray, active: np.ndarray, near: Rows) -> None:
        """Triangles near the particles and edges near the edges of active patches."""
        elements, triangles, edges = self.elements, self._triangles, self._edges
        around = (
            elements.patch_body, near.start, near.count, near.pool, self._x_found, self._v_found, self._time,
            self._wide,
        )
        boxes = (elements.patch_node, self._node_box, self._origin)
        joined = (elements.is_tied, elements.neighbour_start, elements.neighbour, self._own_box)
        changed = (self._is_new, is_dirty, self._is_turned)
        who, turn = active, asked
        while len(who):
            find_near_faces(
                turn, *changed, who, *around, elements.corner, elements.patch_of, *boxes, elements.face_blocks,
                elements.face_at, self._face_box, elements.particle_start, elements.particle, *joined,
                *triangles.columns(),
            )
            who, turn = owners(elements.particle_patch, triangles.grow()), AGAIN
        who, turn = active, asked
        while len(who):
            find_near_edges(
                turn, *changed, who, *around, elements.edge, elements.edge_patch, self._bend, *boxes,
                elements.edge_blocks, elements.edge_at, self._edge_box, elements.edge_start, elements.edge_of, *joined,
                *edges.columns(),
            )
            who, turn = owners(elements.edge_patch, edges.grow()), AGAIN
        self._list()

    def _list(self) -> None:
        triangles, edges = self._triangles, self._edges
        pairs = [np.empty(int(triangles.count.sum()), dtype=np.int64) for _ in range(3)]
        self.edge_pair = np.empty((int(edges.count.sum()), 2), dtype=np.int64)
        count = list_pairs(
            triangles.start, triangles.count, triangles.pool, self._body_of, edges.start, edges.count, edges.pool,
            *pairs, self.edge_pair,
        )
        self.pair_particle, self.pair_start, self.pair_stop = (column[:count] for column in pairs)
        self._found = len(pairs[0]) + len(self.edge_pair)
