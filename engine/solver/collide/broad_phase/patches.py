"""Pairs of patches that may meet: predicted motion of particles, boxes around it, and cones of normals.

Each particle is predicted to move in a straight line, for `time` seconds, and may deviate from that by its slack. The
line has its recent velocity and, where it fell freely, what gravity will add to that until half of the time.

Self-collision is tested only where a body is bent: a connected patch whose normals lie within a narrow cone cannot
collide with itself, nor can two adjacent ones together (Volino and Magnenat-Thalmann 1994; Provot 1997).
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, parallel_kernel, prange
from ..narrow_phase.nearest import face_normal
from .boxes import boxes_miss

# A surface with all normals within this angle of one direction cannot meet itself [rad].
NARROW_CONE = math.radians(65.0)
# Slack of a particle: so many times its recent deviation, limited to these multiples of its `scale`.
SAFETY = 2.0
LEAST_SLACK, MOST_SLACK = 0.5, 1.5
# Particles beyond this part of their slack will leave it soon, and are searched around with those that have.
SOON = 0.5
# At least so many times the deviation already known for the next substep.
AT_ONCE = 1.1
# What a particle is: further from its prediction than its slack, or than the part SOON of it.
NEARLY, STRAYED = 1, 2
# Factor on the recorded deviation at each search.
KEPT = 0.9
# Weight of a substep in the average velocity; oscillations between substeps are not extrapolated.
NEW_SHARE = 0.6
# Substeps by which that average is late.
LATE = (1.0 - NEW_SHARE) / NEW_SHARE
# Weight of a substep in the share of gravity with which a particle falls, and limits of what a substep counts: an
# impact must not outweigh the substeps before it.
FALL_SHARE = 0.2
LEAST_FALL, MOST_FALL = -4.0, 5.0


@kernel
def set_way(chosen, start, x, h, before, gain, scale, room, radius, motion, found):
    """Extrapolate the motion of some particles from `start`, and choose their slack.

    Particles that move steadily get little slack: more slack means more pairs.

    Args:
        chosen: particles; start, x: (n, 3) positions now and after a substep of h [s] [m].
        before: time between the start of the prediction and now [s]; gain: velocity that free fall adds to the average
            one until the middle of what is left of it [m/s], three numbers.
        scale: (n,) [m]; room: factor on slack; radius: (n,) [m].
        motion: `near.columns.RecentMotion`; `strays` in and out.
        found: `near.columns.FoundWays`, out; half of the scale in `wide` allows for displacement by springs.
    """
    pace = motion.pace
    strays = motion.strays
    falls = motion.falls
    x_found = found.x
    v_found = found.v
    slack = found.slack
    wide = found.wide
    least = LEAST_SLACK * room
    # A particle known to deviate gets no less than with `room` = 1.
    most = MOST_SLACK * max(room, 1.0)
    for i in chosen:
        share = max(0.0, min(1.0, falls[i]))
        for k in range(3):
            v_found[i, k] = pace[i, k] + share * gain[k]
            x_found[i, k] = start[i, k] - before * v_found[i, k]
        dx = x[i, 0] - start[i, 0] - h * v_found[i, 0]
        dy = x[i, 1] - start[i, 1] - h * v_found[i, 1]
        dz = x[i, 2] - start[i, 2] - h * v_found[i, 2]
        known = math.sqrt(dx * dx + dy * dy + dz * dz)
        slack[i] = max(AT_ONCE * known, min(most * scale[i], max(least * scale[i], SAFETY * strays[i])))
        strays[i] *= KEPT
        wide[i] = radius[i] + slack[i] + 0.5 * scale[i]


@parallel_kernel
def note_strayed(start, x, h, time, inv_mass, gravity, found, motion, strayed):
    """Which particles deviate by more than their slack from the prediction for that time [s], and which soon will.

    Args:
        start: (m, 3) of the first ones, which may have moved; x: (n, 3): start and end of the substep [m].
        h: the substep [s]; inv_mass: (n,) [1/kg]; gravity: three numbers [m/s²]; found: `near.columns.FoundWays`.
        motion: `near.columns.RecentMotion`, in and out; held particles take their prescribed velocity.
        strayed: out (n,) uint8, of the first ones: STRAYED, NEARLY or 0.
    """
    x_found = found.x
    v_found = found.v
    slack = found.slack
    pace = motion.pace
    strays = motion.strays
    falls = motion.falls
    square = gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]
    # In steady fall the velocity is ahead of the average by h g / NEW_SHARE.
    per_fall = NEW_SHARE / (h * square) if square > 0.0 else 0.0
    for i in prange(start.shape[0]):
        dx = x[i, 0] - x_found[i, 0] - time * v_found[i, 0]
        dy = x[i, 1] - x_found[i, 1] - time * v_found[i, 1]
        dz = x[i, 2] - x_found[i, 2] - time * v_found[i, 2]
        distance = math.sqrt(dx * dx + dy * dy + dz * dz)
        strays[i] = max(strays[i], distance)
        is_held = inv_mass[i] == 0.0
        weight = 1.0 if is_held else NEW_SHARE
        fall = 0.0
        for k in range(3):
            ahead = (x[i, k] - start[i, k]) / h - pace[i, k]
            fall += per_fall * gravity[k] * ahead
            pace[i, k] += weight * ahead
        falls[i] = 0.0 if is_held else falls[i] + FALL_SHARE * (max(LEAST_FALL, min(MOST_FALL, fall)) - falls[i])
        strayed[i] = STRAYED if distance > slack[i] else NEARLY if distance > SOON * slack[i] else 0


@parallel_kernel
def fit_cones(dirty, at, corner, face_blocks, face_at, patch_body, bends, axis, cone):
    """Cones of the normals of patches; at: (n, 3) positions of particles [m].

    Args:
        dirty: (m,) patches; bends: (bodies,) bool, bodies whose cones are needed; others are skipped.
        axis: out (p, 3) mean normal; cone: out (p,) largest angle of normals to it [rad], pi where unknown.
    """
    for task in prange(dirty.shape[0]):
        p = dirty[task]
        if not bends[patch_body[p]]:
            continue
        sx = 0.0
        sy = 0.0
        sz = 0.0
        least = 1.0
        for turn in range(2):
            if turn == 1:
                size = math.sqrt(sx * sx + sy * sy + sz * sz)
                if size <= 1e-9:
                    least = -1.0
                    break
                sx /= size
                sy /= size
                sz /= size
            for block in range(face_blocks[p], face_blocks[p + 1]):
                for lane in range(face_at.shape[1]):
                    t = face_at[block, lane]
                    if t < 0:
                        break
                    nx, ny, nz = face_normal(at, corner[t, 0], corner[t, 1], corner[t, 2])
                    if turn == 0:
                        sx += nx
                        sy += ny
                        sz += nz
                    else:
                        # An element without normal, such as a loose edge, may have any orientation.
                        flat = nx * nx + ny * ny + nz * nz > 0.5
                        least = min(least, nx * sx + ny * sy + nz * sz) if flat else -1.0
        axis[p, 0] = sx
        axis[p, 1] = sy
        axis[p, 2] = sz
        cone[p] = math.acos(max(-1.0, min(1.0, least)))


@kernel
def find_turned(dirty, beside_start, beside, whole, axis, cone, was_axis, was_cone, is_turned):
    """Which dirty patches changed between too flat and bent enough to meet themselves or an adjacent one.

    Args: dirty: (m,) patches; axis ... was_cone: see `fit_cones`, now and before; is_turned: out (p,) bool.
    """
    for p in dirty:
        turned = (cone[p] < NARROW_CONE) != (was_cone[p] < NARROW_CONE)
        for place in range(beside_start[p], beside_start[p + 1]):
            q = beside[place]
            turned |= _flat_together(p, q, beside_start, beside, whole, axis, cone) != _flat_together(
                p, q, beside_start, beside, whole, was_axis, was_cone
            )
        is_turned[p] = turned


@parallel_kernel
def find_near_patches(asked, close_start, close, tree_start, skip, patch_at, elements, boxes, cones, rows):
    """Find patches whose boxes overlap those of some patches, asked (m,).

    Args:
        close_start, close: see `body_pairs.CloseBodies`; tree_start, skip: see `elements.Elements`.
        patch_at: (nodes,) patch whose leaf a node is, or -1; elements, boxes, cones: see `near.columns`.
        rows: `RowColumns` of each patch, in and out.
    """
    patch_body = elements.patch_body
    node_box = boxes.node_box
    patch_node = boxes.patch_node
    beside_start = cones.beside_start
    beside = cones.beside
    whole = cones.whole
    axis = cones.axis
    cone = cones.cone
    start = rows.start
    room = rows.room
    count = rows.count
    near = rows.pool
    for m in prange(asked.shape[0]):
        p = asked[m]
        found = 0
        body = patch_body[p]
        root = patch_node[p]
        for place in range(close_start[body], close_start[body + 1]):
            other = close[place]
            node = tree_start[other]
            while node < tree_start[other + 1]:
                if boxes_miss(node_box, root, node_box, node):
                    node = skip[node]
                    continue
                q = patch_at[node]
                node += 1
                if q >= 0 and (other != body or not _flat_together(p, q, beside_start, beside, whole, axis, cone)):
                    if found < room[p]:
                        near[start[p] + found] = q
                    found += 1
        count[p] = found


@kernel
def mend_near(was_near, dirty, is_dirty, start, room, count, near):
    """Update the rows of all other patches after those of dirty ones, (m,), were found again; near is symmetric.

    Args:
        was_near: patches that were near dirty ones; is_dirty: (p,) bool.
        start, room, count, near: see `rows.Rows`, of each patch.
    """
    for q in was_near:
        if is_dirty[q]:
            continue
        kept = 0
        for place in range(start[q], start[q] + count[q]):
            if not is_dirty[near[place]]:
                near[start[q] + kept] = near[place]
                kept += 1
        count[q] = kept
    for p in dirty:
        for place in range(start[p], start[p] + count[p]):
            q = near[place]
            if not is_dirty[q]:
                if count[q] < room[q]:
                    near[start[q] + count[q]] = p
                count[q] += 1


@kernel
def _flat_together(p, q, beside_start, beside, whole, axis, cone):
    """Whether two patches of a body, possibly the same, are too flat to meet."""
    if not (whole[p] and whole[q]):
        return False
    if p == q:
        return cone[p] < NARROW_CONE
    along = axis[p, 0] * axis[q, 0] + axis[p, 1] * axis[q, 1] + axis[p, 2] * axis[q, 2]
    between = math.acos(max(-1.0, min(1.0, along)))
    if 0.5 * (between + cone[p] + cone[q]) >= NARROW_CONE:
        return False
    for place in range(beside_start[p], beside_start[p + 1]):
        if beside[place] == q:
            return True
    return False
