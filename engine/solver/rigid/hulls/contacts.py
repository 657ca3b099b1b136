"""The contacts of convex rigid bodies with each other and with walls, and what these bore in the last substep."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, prange
from ..motion import axes_of
from .axes import FACES_FIRST, find_axis
from .bodies import HullBodies, boxes_apart
from .manifold import POINTS, ROOM, touch_hulls
from .rows import list_hulls, note_borne, out_of

# What is nearer than its gap and this share of the smaller body counts: others may push it in within the substep.
NEAR = 0.01
# Who goes further in a substep than this share of the thinner body is followed on its way.
FAST = 0.25
# Who is pressed this share of its half thickness, or more, into a sheet, is in it: nobody knows which side is right.
WITHIN = 0.9
# Tasks; pairs are dealt out like cards: those that have much to do lie side by side.
CARDS = 32


class HullContacts:
    """Finds them each substep, and remembers their impulses by where on the first body they were."""

    def __init__(self, hulls: HullBodies, radius: np.ndarray, particle: np.ndarray) -> None:
        """Args: bodies and walls; radius: (b,) half the thickness of each [m]; particle: (b, 3) some of each."""
        self.hulls, self._radius, self._particle = hulls, radius, particle
        self._keep = radius + NEAR * hulls.reach
        self._across = np.zeros((CARDS, int(np.diff(hulls.face_start).max(initial=0))))
        self._cut, self._axis = np.zeros((CARDS, 2, ROOM, 4)), np.zeros((CARDS, 16))
        self._found, self._normal = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
        self._point = np.zeros((0, POINTS, 6))
        self._first, self._first_before = (np.zeros(len(radius) + 1, dtype=np.int64) for _ in range(2))
        self._row, self._other = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        self._on, self.count, self._walled = np.zeros((0, 3)), 0, 0
        self._none = np.zeros_like(self._first)
        self._before = np.zeros(0, dtype=np.int64), np.zeros((0, 3)), np.zeros((0, 3))

    def find(self, kind: np.ndarray, meets: np.ndarray, x: np.ndarray, x_prev: np.ndarray) -> int:
        """Look for all that touch; returns how many points there are. Args: see `HullBodies.place`."""
        hulls = self.hulls
        hulls.place(self._keep, kind, meets, x, x_prev)
        pairs = len(hulls.one)
        if pairs >= len(self._row):
            capacity = 1 + pairs + pairs // 2
            self._found, self._row = np.zeros(capacity, dtype=np.int64), np.zeros(capacity, dtype=np.int64)
            self._normal = np.zeros((capacity, 3))
            self._point = np.zeros((capacity, POINTS, 6))
        self._find(0, False)
        self.count = number_rows(self._found[:pairs], 0, self._row)
        self._first[:] = self._row[hulls.start]
        return self.count

    def find_pressed(self, first: int, x: np.ndarray, x_prev: np.ndarray) -> int:
        """Look for bodies that have been pressed into walls since; how many rows there are with points of theirs.

        Args: first: how many rows there were; x, x_prev: see `HullBodies.place`.
        """
        self._walled = int(self.hulls.start[self.hulls.first_wall])
        if self._walled == len(self.hulls.one):
            return first
        self.hulls.place_again(self._keep, x, x_prev)
        self._find(self._walled, True)
        return number_rows(self._found[self._walled : len(self.hulls.one)], first, self._row[self._walled :])

    def _find(self, first: int, pressed: bool) -> None:
        """Points of the pairs from `first` on."""
        hulls = self.hulls
        find_touching(
            pressed, hulls.one[first:], hulls.other[first:], hulls.first_wall, hulls.beyond, hulls.box, hulls.shape,
            hulls.first_corner, hulls.first_normal, hulls.at, hulls.normal, hulls.face_start, hulls.loop_start,
            hulls.loop, hulls.edge_start, hulls.edge, hulls.edge_face, hulls.edge_way, hulls.way_start, hulls.way_edge,
            hulls.position_before, hulls.position, hulls.rotation_before, hulls.rotation, hulls.reach, hulls.thin,
            self._radius, self._cut, self._across, self._axis, self._found[first:], self._normal[first:],
            self._point[first:],
        )

    def take(
        self, pressed: bool, h: float, kind: np.ndarray, friction: np.ndarray, restitution: np.ndarray,
        columns: tuple[np.ndarray, ...],
    ) -> None:
        """Write what was found, at first or pressed, to its rows of the table of all contacts.

        Args: h: the substep [s]; kind: (b,) of each in the tables friction, restitution; columns: see `list_hulls`.
        """
        capacity = len(columns[0])
        if capacity > len(self._on):
            # Room for rows of those who are pressed too, though nobody asks for them again.
            on, other = np.zeros((capacity, 3)), np.zeros(capacity, dtype=np.int64)
            on[: len(self._on)], other[: len(self._on)] = self._on, self._other
            self._on, self._other = on, other
        hulls, rigid, first = self.hulls, self.hulls.rigid, self._walled if pressed else 0
        list_hulls(
            hulls.one[first:], hulls.other[first:], hulls.first_wall, h, self._found[first:], self._normal[first:],
            self._point[first:], self._radius, hulls.reach, hulls.position_before, hulls.position,
            hulls.rotation_before, hulls.rotation, rigid.inertia, rigid.velocity, rigid.angular_momentum,
            self._particle, kind, friction, restitution, self._none if pressed else self._first_before, *self._before,
            self._row[first:], *columns, self._other, self._on,
        )

    def keep(self, normal: np.ndarray, impulse: np.ndarray) -> None:
        """Remember the impulses of the first rows, (m, 3), (m, 4), see `contact.list_rigid`."""
        if self.count > len(self._before[0]):
            capacity = len(self._other)
            self._before = np.zeros(capacity, dtype=np.int64), np.zeros((capacity, 3)), np.zeros((capacity, 3))
        note_borne(self.count, normal, impulse, self._other, self._on, *self._before)
        self._first_before[:] = self._first

    def memory(self) -> dict[str, np.ndarray]:
        """What was borne in the last substep."""
        other, on, impulse = (column[: self._first_before[-1]].copy() for column in self._before)
        return {"first": self._first_before.copy(), "other": other, "on": on, "impulse": impulse}

    def recall(self, memory: dict[str, Any]) -> None:
        """Take `memory` back, if it is of as many bodies and walls."""
        if len(memory["first"]) == len(self._first_before):
            self._first_before[:] = memory["first"]
            self._before = memory["other"], memory["on"], memory["impulse"]
        self.count = 0
        self.hulls.forget()


@parallel_kernel
def find_touching(
    pressed, one, other, first_wall, beyond, box, shape, first_corner, first_normal, at, normals, face_start,
    loop_start, loop, edge_start, edge, edge_face, edge_way, way_start, way_edge, position_before, position,
    rotation_before, rotation, reach, thin, radius, cut, across, axis, found, normal, point,
):
    """Points of all pairs, see `HullBodies`: of one with other.

    Args:
        pressed: whether only those are asked for that have come further into each other than is left to the next
            substep; cut, across, axis: scratch of each card.

    Outputs, of each pair: found: how many; normal: (3,) from the second body to the first; point: (POINTS, 6) on the
    first and on the second, from their centres along their principal axes [m].
    """
    for card in prange(CARDS):
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
            less = FACES_FIRST * keep
            if a >= first_wall:
                keep += beyond
            deep = min(NEAR * min(reach[a], reach[b]), far)
            near = -deep if pressed else keep
            if not find_axis(
                a, b, shape, first_corner, first_normal, at, normals, face_start, loop_start, loop, edge_start,
                edge, edge_face, edge_way, way_start, way_edge, position, mx, my, mz, near, less, fast, card, across,
                axis,
            ):
                continue
            if thin[a] == math.inf and axis[card, 0] < -WITHIN * thin[b]:
                continue
            # Where B is when they meet, as A sees it.
            back = axis[card, 1] - 1.0 if fast else 0.0
            count = touch_hulls(
                a, b, shape, first_corner, first_normal, at, normals, face_start, loop_start, loop, edge, card,
                axis, back * mx, back * my, back * mz, keep if not fast else keep + far, cut, pair, point,
            )
            found[pair] = count
            for k in range(3):
                normal[pair, k] = -axis[card, 3 + k]
            for k in range(count):
                _into(point, pair, k, 0, position[a, 0], position[a, 1], position[a, 2], rotation, a)
                _into(
                    point, pair, k, 3, position[b, 0] + back * mx, position[b, 1] + back * my,
                    position[b, 2] + back * mz, rotation, b,
                )
            if pressed and not _came_closer(
                0.5 * deep, a, b, mx, my, mz, pair, count, rotation_before, rotation, normal, point
            ):
                found[pair] = 0


@kernel
def _came_closer(least, a, b, mx, my, mz, pair, count, rotation_before, rotation, normal, point):
    """Whether one of the points has come closer by that in the substep; m: way of B as A sees it [m]."""
    for k in range(count):
        ax, ay, az = out_of(point, pair, k, 0, rotation, a)
        px, py, pz = out_of(point, pair, k, 0, rotation_before, a)
        bx, by, bz = out_of(point, pair, k, 3, rotation, b)
        qx, qy, qz = out_of(point, pair, k, 3, rotation_before, b)
        way = normal[pair, 0] * (mx + (bx - qx) - (ax - px))
        way += normal[pair, 1] * (my + (by - qy) - (ay - py))
        way += normal[pair, 2] * (mz + (bz - qz) - (az - pz))
        if way > least:
            return True
    return False


@kernel
def number_rows(found, first, row):
    """Rows of the points of each pair, one pair after another from `first` on: out row (pairs + 1,); the last one."""
    m = first
    for pair in range(found.shape[0]):
        row[pair] = m
        m += found[pair]
    row[found.shape[0]] = m
    return m


@kernel
def _into(point, pair, k, first, cx, cy, cz, rotation, body):
    """A point as a body sees it: R^T (p - c)."""
    a, d, e, f, g, i, j, r, s = axes_of(rotation, body)
    px = point[pair, k, first] - cx
    py = point[pair, k, first + 1] - cy
    pz = point[pair, k, first + 2] - cz
    point[pair, k, first] = a * px + f * py + j * pz
    point[pair, k, first + 1] = d * px + g * py + r * pz
    point[pair, k, first + 2] = e * px + i * py + s * pz
