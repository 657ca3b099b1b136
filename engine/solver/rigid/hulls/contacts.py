"""Contacts of convex rigid bodies with each other and with walls, and their impulses of the last substep."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, prange
from ....compiler.typed_call import TypedCall
from ..columns import RigidContactColumns
from ..motion import axes_of
from .axes import FACES_FIRST, find_axis, is_separated_by_face
from .bodies import HullBodies, max_approach
from .box_pairs import boxes_apart
from .columns import HullMemory, HullPairs, HullPoints, HullScratch, HullSurfaces
from .manifold import MOST_CUT_CORNERS, POINTS, touch_hulls
from .rows import list_hulls, store_impulses, to_world_axes

# Margin beyond the contact distance, as a fraction of the body: other bodies may push it closer within the substep.
NEAR = 0.01
# A pair whose relative motion in a substep exceeds this fraction of the thinner body is swept (continuous detection).
FAST = 0.25
# A body that penetrates a sheet by more than this fraction of its half thickness gets no contact: the side that it came
# from is unknown.
WITHIN = 0.9
# A body counts as pressed into a wall if it came closer by this fraction of the penetration that is left to the next
# substep.
CLOSER = 0.5
# Number of tasks. Pairs are distributed round robin, because expensive pairs are neighbours in the list.
CARDS = 32


class HullContacts:
    """Finds the contacts of each substep. Stores impulses with their points on the first body, for warm starts."""

    def __init__(self, hulls: HullBodies, particle: np.ndarray) -> None:
        """Args: hulls: bodies and walls; particle: (b, 3) particles of each."""
        self.hulls, self._particle = hulls, particle
        self._find_touching, self._list_hulls = TypedCall(find_touching), TypedCall(list_hulls)
        bodies = len(hulls.reach)
        self._keep = hulls.poses.radius + NEAR * hulls.reach
        # The least penetration that any pair leaves to the next substep, see `find_touching`.
        thin = hulls.thin[hulls.chosen]
        self._deep = min(NEAR * hulls.reach.min(initial=math.inf), FAST * thin.min(initial=math.inf))
        self._max_approach = TypedCall(max_approach)
        across = np.zeros((CARDS, int(np.diff(hulls.face_start).max(initial=0))))
        self._scratch = HullScratch(np.zeros((CARDS, 2, MOST_CUT_CORNERS, 4)), across, np.zeros((CARDS, 16)))
        self._found, self._normal = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
        self._point = np.zeros((0, POINTS, 6))
        self._first, self._first_before = (np.zeros(bodies + 1, dtype=np.int64) for _ in range(2))
        self._row, self._other = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        self._on, self.count = np.zeros((0, 3)), 0
        self._before = np.zeros(0, dtype=np.int64), np.zeros((0, 3)), np.zeros((0, 3))

    def find(self, kind: np.ndarray, meets: np.ndarray, x: np.ndarray, x_prev: np.ndarray) -> int:
        """Find all contacts; returns the number of points. Args: see `HullBodies.place`."""
        hulls = self.hulls
        hulls.place(self._keep, kind, meets, x, x_prev)
        pairs = len(hulls.one)
        if pairs >= len(self._row):
            capacity = 1 + pairs + pairs // 2
            self._found, self._row = np.zeros(capacity, dtype=np.int64), np.zeros(capacity, dtype=np.int64)
            self._normal = np.zeros((capacity, 3))
            self._point = np.zeros((capacity, POINTS, 6))
        self._find(0, False)
        self.count = number_rows(self._found[:pairs], self._row)
        self._first[:] = self._row[hulls.start]
        return self.count

    def find_pressed(self, x: np.ndarray, x_prev: np.ndarray) -> np.ndarray:
        """Rigid bodies that contacts have pressed into walls since `find`, (k,). Args: see `HullBodies.place`."""
        hulls = self.hulls
        first, pairs = int(hulls.start[hulls.first_wall]), len(hulls.one)
        if first == pairs or self._max_approach(*hulls.motion) <= CLOSER * self._deep:
            return hulls.other[:0]
        hulls.place_again(self._keep, x, x_prev)
        self._find(first, True)
        return np.unique(hulls.other[first:pairs][self._found[first:pairs] > 0])

    def _find(self, first: int, pressed: bool) -> None:
        """Find the contact points of the pairs from `first` on."""
        hulls = self.hulls
        pairs, points = self._pairs_from(first)
        if not len(pairs.one):
            return
        self._find_touching(
            pressed, hulls.first_wall, hulls.beyond, pairs, hulls.shapes, hulls.poses, self._scratch, points
        )

    def _pairs_from(self, first: int) -> tuple[HullPairs, HullPoints]:
        """The pairs from `first` on, and their contact points."""
        hulls = self.hulls
        return HullPairs(hulls.one[first:], hulls.other[first:], hulls.separating_face[first:]), HullPoints(
            self._found[first:], self._normal[first:], self._point[first:]
        )

    def take(
        self, h: float, kind: np.ndarray, friction: np.ndarray, restitution: np.ndarray, contacts: RigidContactColumns,
    ) -> None:
        """Write the contacts of the last search to the first rows of the table of all contacts.

        Args: h: the substep [s]; kind: (b,) index of each in the tables friction, restitution; contacts: out.
        """
        capacity = len(contacts.slot)
        if capacity > len(self._on):
            self._on, self._other = np.zeros((capacity, 3)), np.zeros(capacity, dtype=np.int64)
        hulls = self.hulls
        pairs, points = self._pairs_from(0)
        if not len(pairs.one):
            return
        self._list_hulls(
            pairs, hulls.first_wall, h, points, hulls.poses, hulls.rigid.columns,
            HullSurfaces(self._particle, kind, friction, restitution), HullMemory(self._first_before, *self._before),
            self._row, contacts, self._other, self._on,
        )

    def keep(self, normal: np.ndarray, impulse: np.ndarray) -> None:
        """Store the impulses of the first rows, (m, 3), (m, 4), see `contact.list_rigid`."""
        if self.count > len(self._before[0]):
            capacity = len(self._other)
            self._before = np.zeros(capacity, dtype=np.int64), np.zeros((capacity, 3)), np.zeros((capacity, 3))
        store_impulses(self.count, normal, impulse, self._other, self._on, *self._before)
        self._first_before[:] = self._first

    def memory(self) -> dict[str, np.ndarray]:
        """Impulses of the last substep."""
        other, on, impulse = (column[: self._first_before[-1]].copy() for column in self._before)
        return {"first": self._first_before.copy(), "other": other, "on": on, "impulse": impulse}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore `memory`, if it has the same number of bodies and walls."""
        if len(memory["first"]) == len(self._first_before):
            self._first_before[:] = memory["first"]
            self._before = memory["other"], memory["on"], memory["impulse"]
        self.count = 0
        self.hulls.forget()


@parallel_kernel
def find_touching(pressed, first_wall, beyond, pairs, shapes, poses, scratch, points):
    """Contact points of all pairs.

    Args:
        pressed: whether to find only pairs whose penetration grew beyond what is left to the next substep.
        first_wall, beyond: see `bodies.HullBodies`; pairs, shapes, poses, scratch: see `hulls.columns`.
        points: `columns.HullPoints`, out.
    """
    one = pairs.one
    other = pairs.other
    separating_face = pairs.separating_face
    position_before = poses.position_before
    position = poses.position
    rotation_before = poses.rotation_before
    rotation = poses.rotation
    reach = poses.reach
    thin = poses.thin
    radius = poses.radius
    box = poses.box
    axis = scratch.axis
    found = points.found
    normal = points.normal
    point = points.point
    for task in prange(CARDS):
        # In the loop body, `task` has another type than in `prange`; numba would compile the called kernels for both.
        card = np.int64(task)
        for pair in range(card, one.shape[0], CARDS):
            a = one[pair]
            b = other[pair]
            found[pair] = 0
            if boxes_apart(a, b, box):
                continue
            mx = (position[b, 0] - position_before[b, 0]) - (position[a, 0] - position_before[a, 0])
            my = (position[b, 1] - position_before[b, 1]) - (position[a, 1] - position_before[a, 1])
            mz = (position[b, 2] - position_before[b, 2]) - (position[a, 2] - position_before[a, 2])
            far = FAST * min(thin[a], thin[b])
            fast = mx * mx + my * my + mz * mz > far * far
            keep = radius[a] + radius[b] + NEAR * min(reach[a], reach[b])
            handicap = FACES_FIRST * keep
            if a >= first_wall:
                keep += beyond
            deep = min(NEAR * min(reach[a], reach[b]), far)
            near = -deep if pressed else keep
            if is_separated_by_face(separating_face[pair], a, b, shapes, (mx, my, mz), near, fast):
                continue
            separating_face[pair] = 0
            if not find_axis(a, b, shapes, position, (mx, my, mz), near, handicap, fast, card, scratch):
                separating_face[pair] = np.int64(axis[card, 7])
                continue
            if thin[a] == math.inf and axis[card, 0] < -WITHIN * thin[b]:
                continue
            # Position of B when they meet, relative to A.
            back = axis[card, 1] - 1.0 if fast else 0.0
            count = touch_hulls(
                a, b, shapes, card, (back * mx, back * my, back * mz), keep if not fast else keep + far, pair, scratch,
                point,
            )
            found[pair] = count
            for k in range(3):
                normal[pair, k] = -axis[card, 3 + k]
            for k in range(count):
                _to_body_axes(point, pair, k, 0, position[a, 0], position[a, 1], position[a, 2], rotation, a)
                _to_body_axes(
                    point, pair, k, 3, position[b, 0] + back * mx, position[b, 1] + back * my,
                    position[b, 2] + back * mz, rotation, b,
                )
            if pressed and not _came_closer(
                CLOSER * deep, a, b, mx, my, mz, pair, count, rotation_before, rotation, normal, point
            ):
                found[pair] = 0


@kernel
def _came_closer(least, a, b, mx, my, mz, pair, count, rotation_before, rotation, normal, point):
    """Whether a point has come closer by more than `least` in the substep; m: displacement of B relative to A [m]."""
    for k in range(count):
        ax, ay, az = to_world_axes(point, pair, k, 0, rotation, a)
        px, py, pz = to_world_axes(point, pair, k, 0, rotation_before, a)
        bx, by, bz = to_world_axes(point, pair, k, 3, rotation, b)
        qx, qy, qz = to_world_axes(point, pair, k, 3, rotation_before, b)
        approach = normal[pair, 0] * (mx + (bx - qx) - (ax - px))
        approach += normal[pair, 1] * (my + (by - qy) - (ay - py))
        approach += normal[pair, 2] * (mz + (bz - qz) - (az - pz))
        if approach > least:
            return True
    return False


@kernel
def number_rows(found, row):
    """Assign consecutive rows to the points of pairs: out row (pairs + 1,); returns the end."""
    m = 0
    for pair in range(found.shape[0]):
        row[pair] = m
        m += found[pair]
    row[found.shape[0]] = m
    return m


@kernel
def _to_body_axes(point, pair, k, first, cx, cy, cz, rotation, body):
    """Transform a point to body axes: R^T (p - c)."""
    a, d, e, f, g, i, j, r, s = axes_of(rotation, body)
    px = point[pair, k, first] - cx
    py = point[pair, k, first + 1] - cy
    pz = point[pair, k, first + 2] - cz
    point[pair, k, first] = a * px + f * py + j * pz
    point[pair, k, first + 1] = d * px + g * py + r * pz
    point[pair, k, first + 2] = e * px + i * py + s * pz
