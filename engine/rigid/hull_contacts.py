"""The contacts of convex rigid bodies with each other, a few points a pair, and what these bore in the last substep."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import kernel, parallel_kernel, prange
from .hull_axes import find_axis
from .hull_bodies import HullBodies, boxes_apart
from .hull_rows import list_hulls
from .hull_touch import POINTS, ROOM, touch_hulls
from .motion import axes_of

# What is nearer than its gap and this share of the smaller body counts: others may push it in within the substep.
NEAR = 0.01
# Who goes further in a substep than this share of the thinner body is followed on its way.
FAST = 0.25
# Tasks, dealt out like cards: bodies that have much to do lie side by side.
CARDS = 32


class HullContacts:
    """Finds them each substep, and remembers their impulses by where on the first body they were."""

    def __init__(self, hulls: HullBodies, radius: np.ndarray) -> None:
        """Args: the bodies; radius: (b,) half the thickness of each [m]."""
        self.hulls, self._radius = hulls, radius
        self._keep = radius + NEAR * hulls.rigid.reach
        self._across = np.zeros((CARDS, int(np.diff(hulls.face_start).max(initial=0))))
        self._cut, self._axis = np.zeros((CARDS, 2, ROOM, 4)), np.zeros((CARDS, 16))
        self._found, self._normal = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
        self._point = np.zeros((0, POINTS, 6))
        self._first, self._first_before = (np.zeros(len(radius) + 1, dtype=np.int64) for _ in range(2))
        self._on, self.count = np.zeros((0, 3)), 0
        self._before = np.zeros(0, dtype=np.int64), np.zeros((0, 3)), np.zeros((0, 3))

    def find(self, kind: np.ndarray, meets: np.ndarray) -> int:
        """Look for all that touch; returns how many points there are. Args: see `HullBodies.place`."""
        hulls, rigid = self.hulls, self.hulls.rigid
        hulls.place(self._keep, kind, meets)
        pairs = int(hulls.start[-1])
        if pairs > len(self._found):
            room = pairs + pairs // 2
            self._found, self._normal = np.zeros(room, dtype=np.int64), np.zeros((room, 3))
            self._point = np.zeros((room, POINTS, 6))
        find_touching(
            hulls.start, hulls.other, hulls.box, hulls.shape, hulls.first_corner, hulls.first_normal, hulls.at,
            hulls.normal, hulls.face_start, hulls.loop_start, hulls.loop, hulls.edge_start, hulls.edge, hulls.edge_face,
            hulls.edge_way, hulls.way_start, hulls.way_edge,
            rigid.position_before, rigid.position, rigid.rotation, rigid.reach, hulls.thin, self._radius, self._cut,
            self._across, self._axis, self._found, self._normal, self._point,
        )
        self.count = int(self._found[:pairs].sum())
        return self.count

    def take(
        self, kind: np.ndarray, friction: np.ndarray, restitution: np.ndarray, columns: tuple[np.ndarray, ...],
    ) -> None:
        """Write what was found to the first rows of the table of all contacts.

        Args: kind: (b,) of each body in the tables friction, restitution; columns: see `list_hulls`.
        """
        if self.count > len(self._on):
            self._on = np.zeros((2 * self.count, 3))
        rigid = self.hulls.rigid
        list_hulls(
            self.hulls.start, self.hulls.other, self._found, self._normal, self._point, self._radius, rigid.reach,
            rigid.position_before, rigid.position, rigid.rotation_before, rigid.rotation, rigid.inertia,
            rigid.velocity, rigid.spin, rigid.start, kind, friction, restitution, self._first_before, *self._before,
            *columns, self._first, self._on,
        )

    def keep(self, normal: np.ndarray, sides: np.ndarray, given: np.ndarray) -> None:
        """Remember the impulses of the first rows, (m, 3), (m, 2), (m, 4), see `contact.list_rigid`."""
        own = slice(0, self.count)
        impulse = given[own, :1] * normal[own] + given[own, 1:]
        self._before = sides[own, 1].astype(np.int64), self._on[own].copy(), impulse
        self._first_before[:] = self._first

    def memory(self) -> dict[str, np.ndarray]:
        """What was borne in the last substep."""
        other, on, impulse = self._before
        return {"first": self._first_before.copy(), "other": other, "on": on, "impulse": impulse}

    def recall(self, memory: dict[str, Any]) -> None:
        """Take `memory` back."""
        self._first_before[:] = memory["first"]
        self._before = memory["other"], memory["on"], memory["impulse"]
        self.count = 0
        self.hulls.forget()


@parallel_kernel
def find_touching(
    start, other, box, shape, first_corner, first_normal, at, normals, face_start, loop_start, loop, edge_start, edge,
    edge_face, edge_way, way_start, way_edge, position_before, position, rotation, reach, thin, radius, cut, across,
    axis, found, normal, point,
):
    """Points of all pairs, see `HullBodies`.

    Args: cut, across, axis: scratch of each card.

    Outputs, of each pair: found: how many; normal: (3,) from the second body to the first; point: (POINTS, 6) on the
    first and on the second, from their centres along their principal axes [m].
    """
    bodies = shape.shape[0]
    for card in prange(CARDS):
        for a in range(card, bodies, CARDS):
            for pair in range(start[a], start[a + 1]):
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
                if not find_axis(
                    a, b, shape, first_corner, first_normal, at, normals, face_start, loop_start, loop, edge_start,
                    edge, edge_face, edge_way, way_start, way_edge, position, mx, my, mz, keep, fast, card, across,
                    axis,
                ):
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
