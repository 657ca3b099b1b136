"""The contacts of convex rigid bodies with each other, a few points a pair, and what these bore in the last substep."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..jit import kernel, parallel_kernel, prange
from .hull_axes import find_axis
from .hull_bodies import HullBodies, boxes_apart
from .hull_touch import POINTS, ROOM, touch_hulls
from .motion import axes_of, turn_rate

# What is nearer than its gap and this share of the smaller body counts: others may push it in within the substep.
NEAR = 0.01
# Who goes further in a substep than this share of the thinner body is followed on its way.
FAST = 0.25
# Points this near to where one was in the substep before are the same, as a share of the smaller body.
SAME = 0.1
# Tasks, dealt out like cards: bodies that have much to do lie side by side.
CARDS = 32


class HullContacts:
    """Finds them each substep, and remembers their impulses by where on the first body they were."""

    def __init__(self, hulls: HullBodies, radius: np.ndarray) -> None:
        """Args: the bodies; radius: (b,) half the thickness of each [m]."""
        self.hulls, self._radius = hulls, radius
        self._keep = radius + NEAR * hulls.rigid.reach
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
            rigid.position_before, rigid.position, rigid.rotation, rigid.reach, hulls.thin, self._radius, self._cut,
            self._axis, self._found, self._normal, self._point,
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
    edge_face, position_before, position, rotation, reach, thin, radius, cut, axis, found, normal, point,
):
    """Points of all pairs, see `HullBodies`.

    Args: cut, axis: scratch of each card.

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
                    edge, edge_face, position, mx, my, mz, keep, fast, card, axis,
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


@kernel
def list_hulls(
    start, other, found, normals, points, radius, reach, position_before, position, rotation_before, rotation, inertia,
    velocity, spin, particle, kind, friction, restitution, first_before, other_before, on_before, impulse_before,
    slot_of, contact, share, normal, gap, approach, sides, rub, bounces, spring, given, spot, first, on,
):
    """Writes what was found to the table of contacts; impulses of the substep before are those to begin with.

    Args:
        start ... points: see `find_touching`; particle: (b,) one of each body.
        kind: (b,) place of each body in the tables friction, restitution; first_before: (b + 1,) ranges of
            other_before (m,), the second bodies, on_before (m, 3) on the first ones [m], impulse_before (m, 3) [N s].

    Outputs: slot_of ... given: see `contact.list_rigid`, shares are nought; spot: (m, 9), see `holds.BodyHolds`;
    first, on: as above, of these.
    """
    m = 0
    for a in range(particle.shape[0]):
        first[a] = m
        for pair in range(start[a], start[a + 1]):
            b = other[pair]
            begun = m
            for k in range(found[pair]):
                slot_of[m] = -1
                contact[m, 0] = particle[a]
                for e in range(4):
                    share[m, e] = 0.0
                    if e > 0:
                        contact[m, e] = particle[b]
                for e in range(3):
                    normal[m, e] = normals[pair, e]
                    on[m, e] = points[pair, k, e]
                gap[m] = radius[a] + radius[b]
                sides[m, 0] = a
                sides[m, 1] = b
                rub[m] = friction[kind[a], kind[b]]
                bounces[m] = restitution[kind[a], kind[b]]
                spring[m, 0] = 0.0
                spring[m, 1] = 0.0
                for e in range(3):
                    spot[m, 6 + e] = (position[a, e] - position_before[a, e]) - (position[b, e] - position_before[b, e])
                for side in range(2):
                    body = a if side == 0 else b
                    sign = 1.0 if side == 0 else -1.0
                    x0, y0, z0 = _out_of(points, pair, k, 3 * side, rotation_before, body)
                    x1, y1, z1 = _out_of(points, pair, k, 3 * side, rotation, body)
                    spot[m, 3 * side] = x0
                    spot[m, 3 * side + 1] = y0
                    spot[m, 3 * side + 2] = z0
                    spot[m, 6] += sign * (x1 - x0)
                    spot[m, 7] += sign * (y1 - y0)
                    spot[m, 8] += sign * (z1 - z0)
                approach[m] = _approach(m, a, b, normal, spot, rotation, inertia, velocity, spin)
                _begin_with(
                    m, a, b, begun, SAME * min(reach[a], reach[b]), first_before, other_before, on_before,
                    impulse_before, normal, rub, on, given,
                )
                m += 1
    first[particle.shape[0]] = m


@kernel
def _out_of(point, pair, k, first, rotation, body):
    """A point that a body sees, as a lever in the world: R p."""
    a, d, e, f, g, i, j, r, s = axes_of(rotation, body)
    px = point[pair, k, first]
    py = point[pair, k, first + 1]
    pz = point[pair, k, first + 2]
    return a * px + d * py + e * pz, f * px + g * py + i * pz, j * px + r * py + s * pz


@kernel
def _approach(m, a, b, normal, spot, rotation, inertia, velocity, spin):
    """How fast the two sides of a contact part along its normal before it acts [m/s]."""
    wx, wy, wz = turn_rate(rotation, inertia, a, spin[a, 0], spin[a, 1], spin[a, 2])
    ux, uy, uz = turn_rate(rotation, inertia, b, spin[b, 0], spin[b, 1], spin[b, 2])
    dx = velocity[a, 0] + wy * spot[m, 2] - wz * spot[m, 1]
    dy = velocity[a, 1] + wz * spot[m, 0] - wx * spot[m, 2]
    dz = velocity[a, 2] + wx * spot[m, 1] - wy * spot[m, 0]
    dx -= velocity[b, 0] + uy * spot[m, 5] - uz * spot[m, 4]
    dy -= velocity[b, 1] + uz * spot[m, 3] - ux * spot[m, 5]
    dz -= velocity[b, 2] + ux * spot[m, 4] - uy * spot[m, 3]
    return normal[m, 0] * dx + normal[m, 1] * dy + normal[m, 2] * dz


@kernel
def _begin_with(
    m, a, b, begun, near, first_before, other_before, on_before, impulse_before, normal, rub, on, given,
):
    """Give a point again what the nearest of the same two bodies bore in the substep before, within Coulomb's cone."""
    best = -1
    least = near * near
    for row in range(first_before[a], first_before[a + 1]):
        if other_before[row] != b:
            continue
        far = 0.0
        for k in range(3):
            far += (on_before[row, k] - on[m, k]) ** 2
        if far < least and not _is_nearer_to_others(row, far, begun, m, on_before, on):
            least = far
            best = row
    for k in range(4):
        given[m, k] = 0.0
    if best < 0:
        return
    along = 0.0
    for k in range(3):
        along += normal[m, k] * impulse_before[best, k]
    if along <= 0.0:
        return
    given[m, 0] = along
    square = 0.0
    for k in range(3):
        given[m, 1 + k] = impulse_before[best, k] - along * normal[m, k]
        square += given[m, 1 + k] * given[m, 1 + k]
    most = rub[m] * along
    if square > most * most:
        for k in range(3):
            given[m, 1 + k] *= most / math.sqrt(square)


@kernel
def _is_nearer_to_others(row, far, begun, m, on_before, on):
    """Whether one of the contacts begun : m of the same bodies is nearer, or as near, to where one was before."""
    for other in range(begun, m):
        apart = 0.0
        for k in range(3):
            apart += (on_before[row, k] - on[other, k]) ** 2
        if apart <= far:
            return True
    return False
