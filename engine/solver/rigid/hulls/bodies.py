"""`HullBodies`: the convex rigid bodies and walls: their poses, and pairs that may touch (broad phase).

In each substep, corners and normals are placed at the predicted poses. A box encloses the motion of a body in the
substep. A wider box around it is used to find pairs and stays valid for several substeps. Boxes of walls are larger by
the motion of bodies in a substep: a body hit by another could otherwise pass a wall before the pair is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, prange
from ....compiler.typed_call import TypedCall
from ..bodies import RigidBodies
from ..columns import BodyColumns
from ..motion import axes_of
from .box_pairs import is_within, sweep, widen
from .columns import HullLocals, HullPoses, HullShapes
from .hull import Hull, directions_of, extent_of
from .wall import Wall
from .wall_poses import WallPoses

# Margin of wide boxes as a fraction of the body's size.
AROUND = 0.1
# Bound on the speed of a body after it is hit, as a multiple of the fastest body's; an elastic impact gives no more.
HIT = 2.0


class HullBodies:
    """Convex bodies of a world; arrays over all rigid bodies and, from `first_wall` on, walls.

    Bodies that are not convex have no corners.

    Attributes:
        position, rotation, position_before, rotation_before: as in `RigidBodies`, at the end and at the start.
        reach: (b,) as in `RigidBodies`; beyond: additional distance from walls at which bodies are tested [m].
        shape: (b,) int64 hull of each body, -1 for none; bodies of the same mesh share it.
        first_corner, first_normal: (b + 1,) ranges of each body in at, normal: (., 3), at the end of a substep.
        face_start, edge_start: (s + 1,) of each shape; loop_start: (f + 1,), loop: corners of faces; edge, edge_face:
            (e, 2), corners and faces as indices within the shape.
        edge_direction: (e,) direction index of each edge; direction_start: (s + 1,), direction_edge: one edge of each
            direction.
        thin: (b,) least distance from the centre to a face, infinite for sheets [m]; box: (b, 6) low and high [m].
        start, other: pairs: those of body a are other[start[a] : start[a + 1]], ascending and above a; those of a wall
            include all bodies; one: (pairs,) the a of each; separating_face: see `columns.HullPairs`.
    """

    def __init__(
        self, rigid: RigidBodies, hulls: Sequence[Hull | None], local: Sequence[np.ndarray | None],
        walls: Sequence[Wall], x: np.ndarray, radius: np.ndarray,
    ) -> None:
        """Build the arrays.

        Args: hulls: of each body; local: corners about the centre along the principal axes, (c, 3) [m], None for
            bodies that do not collide as hulls; x: particles of walls as built, (n, 3) [m]; radius: (b,), half the
            thickness [m].
        """
        known: dict[bytes, int] = {}
        shapes: list[tuple[Hull, np.ndarray]] = []
        self.first_wall, self.has_walls, count = len(hulls), len(walls) > 0, len(hulls) + len(walls)
        self.shape = np.full(count, -1, dtype=np.int64)
        for body, (hull, own) in enumerate(zip(hulls, local, strict=True)):
            if hull is not None and own is not None:
                key = hull.edge.tobytes() + own.tobytes()
                if key not in known:
                    known[key] = len(shapes)
                    shapes.append((hull, own))
                self.shape[body] = known[key]
        for number, wall in enumerate(walls):
            self.shape[self.first_wall + number] = len(shapes)
            shapes.append((wall.hull, x[wall.corner] - x[wall.corner].mean(axis=0)))
        self.rigid, self.chosen = rigid, np.flatnonzero(self.shape >= 0)
        self._place_hulls = TypedCall(place_hulls)
        self._lay_out(shapes, len(shapes) - len(walls))
        self._poses = WallPoses(rigid, walls, x)
        self.position, self.rotation = self._poses.position, self._poses.rotation
        self.position_before, self.rotation_before = self._poses.position_before, self._poses.rotation_before
        far = [float(np.linalg.norm(shapes[s][1], axis=1).max()) for s in self.shape[self.first_wall :]]
        self.reach = np.concatenate([rigid.reach, far])
        # Wide boxes of walls need no larger margin than those of bodies.
        self._margin = AROUND * np.minimum(self.reach, rigid.reach.max())
        self.beyond = 0.0
        corners, faces = (np.array([0, *np.diff(s)])[self.shape + 1] for s in (self._corner_start, self.face_start))
        self.first_corner, self.first_normal = (np.concatenate([[0], np.cumsum(c)]) for c in (corners, faces))
        self.at, self.normal = np.zeros((self.first_corner[-1], 3)), np.zeros((self.first_normal[-1], 3))
        self.thin = np.concatenate([[0.0], self._thin])[self.shape + 1]
        self.box, self._wide = np.zeros((count, 6)), np.zeros((count, 6))
        self.thin[self.first_wall :][[wall.is_sheet for wall in walls]] = np.inf
        self._locals = HullLocals(self._corner_start, self._local, self._normals, self._extents)
        self.shapes = HullShapes(
            self.shape, self.first_corner, self.first_normal, self.at, self.normal, self.face_start, self.loop_start,
            self.loop, self.edge_start, self.edge, self.edge_face, self.edge_direction, self.direction_start,
            self.direction_edge, np.append(np.isfinite(self._extents).all(axis=1), False)[self.shape],
            np.zeros((count, 12)),
        )
        self.poses = HullPoses(
            self.position_before, self.position, self.rotation_before, self.rotation, self.reach, self.thin, radius,
            self.box,
        )
        self.start = np.zeros(count + 1, dtype=np.int64)
        self._allot(8 * count)
        self.one = self._near_walls = self.separating_face = np.zeros(0, dtype=np.int64)
        self.forget()

    def _lay_out(self, shapes: Sequence[tuple[Hull, np.ndarray]], first_wall: int) -> None:
        none = np.zeros(0, dtype=np.int64)
        hulls = [hull for hull, _own in shapes]
        starts = [np.cumsum([0, *sizes]) for sizes in (
            [len(own) for _hull, own in shapes], [len(h.loops) for h in hulls], [len(h.edge) for h in hulls],
        )]
        self._corner_start, self.face_start, self.edge_start = starts
        loops = [loop for hull in hulls for loop in hull.loops]
        self.loop_start, self.loop = np.cumsum([0, *map(len, loops)]), np.concatenate([none, *loops])
        self._local = np.concatenate([np.zeros((0, 3)), *(own for _hull, own in shapes)])
        normals, edges, faces, thin = [np.zeros((0, 3))], [none.reshape(0, 2)], [none.reshape(0, 2)], []
        directions, first_edges, extents = [none], [none], [np.zeros((0, 12))]
        for number, (hull, own) in enumerate(shapes):
            across = np.array([np.cross(own[p[1:-1]] - own[p[0]], own[p[2:]] - own[p[0]]).sum(axis=0)
                               for p in hull.loops])
            # Walls are not rotated to principal axes, and some faces of a sheet have zero area.
            normal = across / np.linalg.norm(across, axis=1)[:, None] if number < first_wall else hull.normal
            # Order the two faces so that second normal x first normal points along the edge.
            one, two = (normal[hull.edge_face[:, k]] for k in range(2))
            along = own[hull.edge[:, 1]] - own[hull.edge[:, 0]]
            turned = np.einsum("ek,ek->e", np.cross(two, one), along) < 0.0
            faces.append(np.where(turned[:, None], hull.edge_face[:, ::-1], hull.edge_face))
            normals.append(normal)
            edges.append(hull.edge)
            direction, first = directions_of(along)
            directions.append(direction)
            first_edges.append(self.edge_start[len(first_edges) - 1] + first)
            extents.append(extent_of(own, along[first])[None])
            thin.append(min(n @ own[p[0]] for n, p in zip(normal, hull.loops, strict=True)))
        self._normals, self.edge, self.edge_face = (np.concatenate(rows) for rows in (normals, edges, faces))
        self._thin, self._extents = np.array(thin), np.concatenate(extents)
        self.edge_direction, self.direction_edge = np.concatenate(directions), np.concatenate(first_edges)
        self.direction_start = np.cumsum([len(first) for first in first_edges])

    def _allot(self, pairs: int) -> None:
        """Allocate for so many pairs."""
        self.other, self._pairs = np.zeros(pairs, dtype=np.int64), np.zeros((2, pairs), dtype=np.int64)

    def forget(self) -> None:
        """Discard the pairs, so that the next `place` searches again."""
        self._wide[:, :3], self._wide[:, 3:] = np.inf, -np.inf

    def place(self, keep: np.ndarray, kind: np.ndarray, meets: np.ndarray, x: np.ndarray, x_prev: np.ndarray) -> None:
        """Place bodies at their predicted poses, and find near pairs.

        Args: keep: (b,) margin around each [m]; kind: (b,), meets: (kinds, kinds) bool, kinds that collide; x, x_prev:
            (n, 3) of particles at the end and at the start [m].
        """
        if self.has_walls:
            self.beyond = HIT * farthest(self.rigid.position_before, self.rigid.position)
        self._put(self.chosen, keep, x, x_prev)
        if is_within(self.chosen, self.box, self._wide):
            return
        widen(self.chosen, self.position_before, self.position, self._margin, self.box, self._wide)
        low = self._wide[self.chosen, :3]
        axis = int(np.argmax(low.std(axis=0)))
        order = self.chosen[np.argsort(low[:, axis], kind="stable")]
        boxes = (order, axis, self.first_wall, self._wide[order], kind[order], meets)
        found = sweep(*boxes, self.start, self.other, self._pairs)
        if found > len(self.other):
            self._allot(found + found // 2)
            sweep(*boxes, self.start, self.other, self._pairs)
        self.one = np.repeat(np.arange(len(self.shape)), np.diff(self.start))
        self.separating_face = np.zeros_like(self.one)
        near = self.other[self.start[self.first_wall] : self.start[-1]]
        self._near_walls = np.unique(np.concatenate([near, np.arange(self.first_wall, len(self.shape))]))

    def place_again(self, keep: np.ndarray, x: np.ndarray, x_prev: np.ndarray) -> None:
        """Place walls, and bodies paired with them, again, as `place`; the pairs stay."""
        self.beyond = 0.0
        self._put(self._near_walls, keep, x, x_prev)

    @property
    def motion(self) -> tuple[BodyColumns, HullPoses, int]:
        """The arguments of `max_approach`: bodies, poses at the last `place`, and the index of the first wall."""
        return self.rigid.columns, self.poses, self.first_wall

    def _put(self, chosen: np.ndarray, keep: np.ndarray, x: np.ndarray, x_prev: np.ndarray) -> None:
        if self.has_walls:
            self._poses.take(x, x_prev)
        self._place_hulls(chosen, self._locals, self.shapes, self.poses, keep, self.first_wall, self.beyond)


@parallel_kernel
def place_hulls(chosen, locals_of, shapes, poses, keep, first_wall, beyond):
    """Corners and normals of chosen bodies at the end of the substep, and boxes around their motion.

    Args:
        locals_of: `columns.HullLocals`; shapes: `columns.HullShapes`, out: `at`, `normal`.
        poses: `columns.HullPoses`, out: `box`; keep: (b,) margin of each; beyond: additional margin of walls [m].
    """
    corner_start = locals_of.corner_start
    local = locals_of.local
    normals = locals_of.normals
    shape = shapes.shape
    face_start = shapes.face_start
    first_corner = shapes.first_corner
    first_normal = shapes.first_normal
    at = shapes.at
    normal = shapes.normal
    is_box = shapes.is_box
    extent = shapes.extent
    extents = locals_of.extent
    position_before = poses.position_before
    position = poses.position
    rotation = poses.rotation
    box = poses.box
    for place in prange(chosen.shape[0]):
        body = chosen[place]
        a, d, e, f, g, i, j, k, m = axes_of(rotation, body)
        s = shape[body]
        for axis in range(3):
            box[body, axis] = 1e300
            box[body, 3 + axis] = -1e300
        for c in range(corner_start[s], corner_start[s + 1]):
            lx = local[c, 0]
            ly = local[c, 1]
            lz = local[c, 2]
            p = first_corner[body] + c - corner_start[s]
            at[p, 0] = position[body, 0] + (a * lx + d * ly + e * lz)
            at[p, 1] = position[body, 1] + (f * lx + g * ly + i * lz)
            at[p, 2] = position[body, 2] + (j * lx + k * ly + m * lz)
            for axis in range(3):
                box[body, axis] = min(box[body, axis], at[p, axis])
                box[body, 3 + axis] = max(box[body, 3 + axis], at[p, axis])
        for n in range(face_start[s], face_start[s + 1]):
            lx = normals[n, 0]
            ly = normals[n, 1]
            lz = normals[n, 2]
            p = first_normal[body] + n - face_start[s]
            normal[p, 0] = a * lx + d * ly + e * lz
            normal[p, 1] = f * lx + g * ly + i * lz
            normal[p, 2] = j * lx + k * ly + m * lz
        for n in range(4 if is_box[body] else 0):
            lx = extents[s, 3 * n]
            ly = extents[s, 3 * n + 1]
            lz = extents[s, 3 * n + 2]
            is_middle = 1.0 if n == 0 else 0.0
            extent[body, 3 * n] = is_middle * position[body, 0] + (a * lx + d * ly + e * lz)
            extent[body, 3 * n + 1] = is_middle * position[body, 1] + (f * lx + g * ly + i * lz)
            extent[body, 3 * n + 2] = is_middle * position[body, 2] + (j * lx + k * ly + m * lz)
        for axis in range(3):
            travel = position[body, axis] - position_before[body, axis]
            margin = keep[body] if body < first_wall else keep[body] + beyond
            box[body, axis] -= max(travel, 0.0) + margin
            box[body, 3 + axis] += max(-travel, 0.0) + margin


@kernel
def farthest(position_before, position):
    """Largest displacement of a centre in the substep [m]."""
    most = 0.0
    for body in range(position.shape[0]):
        square = 0.0
        for k in range(3):
            square += (position[body, k] - position_before[body, k]) ** 2
        most = max(most, square)
    return math.sqrt(most)


@kernel
def max_approach(bodies, poses, first_wall):
    """Bound on the distance by which a point of a body and a point of a wall approached each other in the substep [m].

    Args: bodies: `rigid.columns.BodyColumns`; poses: `columns.HullPoses`, with those of walls from `first_wall` on.
    """
    most = 0.0
    for b in range(first_wall):
        most = max(most, _max_travel(
            b, bodies.position_before, bodies.position, bodies.rotation_before, bodies.rotation, bodies.reach
        ))
    of_walls = 0.0
    for b in range(first_wall, poses.reach.shape[0]):
        of_walls = max(of_walls, _max_travel(
            b, poses.position_before, poses.position, poses.rotation_before, poses.rotation, poses.reach
        ))
    return most + of_walls


@kernel
def _max_travel(b, position_before, position, rotation_before, rotation, reach):
    """Bound on the travel of a body's points; a rotation changes its quaternion by at least a third of its angle."""
    square = 0.0
    same_sign = 0.0
    opposite_sign = 0.0
    for k in range(3):
        square += (position[b, k] - position_before[b, k]) ** 2
    for k in range(4):
        same_sign += (rotation[b, k] - rotation_before[b, k]) ** 2
        opposite_sign += (rotation[b, k] + rotation_before[b, k]) ** 2
    return math.sqrt(square) + 4.0 * math.sqrt(min(same_sign, opposite_sign)) * reach[b]
