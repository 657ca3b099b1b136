"""Pairs of patches that may touch: predicted motion of particles, boxes around it, and cones of normals.

Each particle is predicted to move in a straight line for `time` seconds, and may deviate from that by its slack. The
velocity along the line is its recent velocity plus, where it fell freely, what gravity adds until half of the time.

Self-collision is tested only where a body is bent: a connected patch whose normals lie within a narrow cone cannot
collide with itself, nor can two adjacent ones together (Volino and Magnenat-Thalmann 1994; Provot 1997).
"""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, parallel_kernel, prange
from ..narrow_phase.nearest import face_normal
from .boxes import boxes_miss

# A surface with all normals within this angle of one direction cannot touch itself [rad].
NARROW_CONE = math.radians(65.0)
# Slack of a particle: its recent deviation times SAFETY, limited to these multiples of its `scale`.
SAFETY = 2.0
LEAST_SLACK, MOST_SLACK = 0.5, 1.5
# Particles beyond this fraction of their slack will leave it soon, and are searched around with those that have.
NEAR_FRACTION = 0.5
# Slack is at least this multiple of the deviation already known for the next substep.
AT_ONCE = 1.1
# Classes of deviation from the prediction: more than NEAR_FRACTION of the slack, or more than all of it.
NEAR_SLACK, BEYOND_SLACK = 1, 2
# Factor on the recorded deviation at each search.
KEPT = 0.9
# Weight of a substep in the average velocity; oscillations between substeps are not extrapolated.
NEW_WEIGHT = 0.6
# Substeps by which that average lags behind.
AVERAGE_LAG = (1.0 - NEW_WEIGHT) / NEW_WEIGHT
# Weight of a substep in the fraction of gravity with which a particle falls, and limits of one substep's value: an
# impact must not outweigh the substeps before it.
FALL_WEIGHT = 0.2
LEAST_FALL, MOST_FALL = -4.0, 5.0


@kernel
def predict_motion(chosen, start, x, h, before, gain, scale, slack_factor, radius, motion, prediction):
    """Extrapolate the motion of some particles from `start`, and choose their slack.

    Particles that move steadily get little slack: more slack means more pairs.

    Args:
        chosen: particles; start, x: (n, 3) positions now and after a substep of h [s] [m].
        before: time between the start of the prediction and now [s]; gain: velocity that free fall adds to the average
            velocity until the middle of the remaining prediction [m/s], three numbers.
        scale: (n,) [m]; slack_factor: factor on slack; radius: (n,) [m].
        motion: `near.columns.RecentMotion`; `strays` in and out.
        prediction: `near.columns.PredictionOut`, out; half of the scale in `margin` allows for displacement by springs.
    """
    pace = motion.pace
    strays = motion.strays
    falls = motion.falls
    x_predicted = prediction.x
    v_predicted = prediction.v
    slack = prediction.slack
    margin = prediction.margin
    least = LEAST_SLACK * slack_factor
    # A particle known to deviate gets no smaller limit than with `slack_factor` = 1.
    most = MOST_SLACK * max(slack_factor, 1.0)
    for i in chosen:
        fraction = max(0.0, min(1.0, falls[i]))
        for k in range(3):
            v_predicted[i, k] = pace[i, k] + fraction * gain[k]
            x_predicted[i, k] = start[i, k] - before * v_predicted[i, k]
        dx = x[i, 0] - start[i, 0] - h * v_predicted[i, 0]
        dy = x[i, 1] - start[i, 1] - h * v_predicted[i, 1]
        dz = x[i, 2] - start[i, 2] - h * v_predicted[i, 2]
        deviation = math.sqrt(dx * dx + dy * dy + dz * dz)
        slack[i] = max(AT_ONCE * deviation, min(most * scale[i], max(least * scale[i], SAFETY * strays[i])))
        strays[i] *= KEPT
        margin[i] = radius[i] + slack[i] + 0.5 * scale[i]


@parallel_kernel
def find_deviating(start, x, h, time, inv_mass, gravity, prediction, motion, deviation_class):
    """Which particles deviate by more than their slack from the prediction for that time [s], and which soon will.

    Args:
        start: (m, 3) of the first particles, which may have moved; x: (n, 3): start and end of the substep [m].
        h: the substep [s]; inv_mass: (n,) [1/kg]; gravity: three numbers [m/s²].
        prediction: `near.columns.PredictionOut`.
        motion: `near.columns.RecentMotion`, in and out; held particles take their prescribed velocity.
        deviation_class: out (n,) uint8, of the first particles: BEYOND_SLACK, NEAR_SLACK or 0.
    """
    x_predicted = prediction.x
    v_predicted = prediction.v
    slack = prediction.slack
    pace = motion.pace
    strays = motion.strays
    falls = motion.falls
    square = gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]
    # In steady fall the velocity is ahead of the average by h g / NEW_WEIGHT.
    per_fall = NEW_WEIGHT / (h * square) if square > 0.0 else 0.0
    for i in prange(start.shape[0]):
        dx = x[i, 0] - x_predicted[i, 0] - time * v_predicted[i, 0]
        dy = x[i, 1] - x_predicted[i, 1] - time * v_predicted[i, 1]
        dz = x[i, 2] - x_predicted[i, 2] - time * v_predicted[i, 2]
        distance = math.sqrt(dx * dx + dy * dy + dz * dz)
        strays[i] = max(strays[i], distance)
        is_held = inv_mass[i] == 0.0
        weight = 1.0 if is_held else NEW_WEIGHT
        fall = 0.0
        for k in range(3):
            ahead = (x[i, k] - start[i, k]) / h - pace[i, k]
            fall += per_fall * gravity[k] * ahead
            pace[i, k] += weight * ahead
        falls[i] = 0.0 if is_held else falls[i] + FALL_WEIGHT * (max(LEAST_FALL, min(MOST_FALL, fall)) - falls[i])
        deviation_class[i] = (
            BEYOND_SLACK if distance > slack[i] else NEAR_SLACK if distance > NEAR_FRACTION * slack[i] else 0
        )


@parallel_kernel
def fit_cones(dirty, at, corner, face_blocks, face_at, patch_body, is_needed, axis, cone):
    """Cones of the normals of patches; at: (n, 3) positions of particles [m].

    Args:
        dirty: (m,) patches; is_needed: (bodies,) bool, bodies whose cones are needed; others are skipped.
        axis: out (p, 3) mean normal; cone: out (p,) largest angle of normals to it [rad], pi where unknown.
    """
    for task in prange(dirty.shape[0]):
        p = dirty[task]
        if not is_needed[patch_body[p]]:
            continue
        sx = 0.0
        sy = 0.0
        sz = 0.0
        least = 1.0
        for stage in range(2):
            if stage == 1:
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
                    if stage == 0:
                        sx += nx
                        sy += ny
                        sz += nz
                    else:
                        # An element without a normal, such as a loose edge, may have any orientation.
                        flat = nx * nx + ny * ny + nz * nz > 0.5
                        least = min(least, nx * sx + ny * sy + nz * sz) if flat else -1.0
        axis[p, 0] = sx
        axis[p, 1] = sy
        axis[p, 2] = sz
        cone[p] = math.acos(max(-1.0, min(1.0, least)))


@kernel
def find_flatness_changes(dirty, beside_start, beside, is_connected, axis, cone, was_axis, was_cone, flatness_changed):
    """Which dirty patches changed between too flat and bent enough to touch themselves or an adjacent one.

    Args: dirty: (m,) patches; axis ... was_cone: see `fit_cones`, now and before; flatness_changed: out (p,) bool.
    """
    for p in dirty:
        changed = (cone[p] < NARROW_CONE) != (was_cone[p] < NARROW_CONE)
        for place in range(beside_start[p], beside_start[p + 1]):
            q = beside[place]
            changed |= _flat_together(p, q, beside_start, beside, is_connected, axis, cone) != _flat_together(
                p, q, beside_start, beside, is_connected, was_axis, was_cone
            )
        flatness_changed[p] = changed


@parallel_kernel
def find_near_patches(searched, close_start, close, tree_start, skip, patch_at, elements, boxes, cones, rows):
    """Find patches whose boxes overlap those of the patches `searched` (m,).

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
    is_connected = cones.is_connected
    axis = cones.axis
    cone = cones.cone
    start = rows.start
    capacity = rows.capacity
    count = rows.count
    near = rows.pool
    for m in prange(searched.shape[0]):
        p = searched[m]
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
                if q >= 0 and (
                    other != body or not _flat_together(p, q, beside_start, beside, is_connected, axis, cone)
                ):
                    if found < capacity[p]:
                        near[start[p] + found] = q
                    found += 1
        count[p] = found


@kernel
def mend_near(was_near, dirty, is_dirty, start, capacity, count, near):
    """Update the rows of all other patches after those of `dirty` (m,) were searched again; nearness is symmetric.

    Args:
        was_near: patches that were near dirty ones; is_dirty: (p,) bool.
        start, capacity, count, near: see `pooled_lists.Rows`, of each patch.
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
                if count[q] < capacity[q]:
                    near[start[q] + count[q]] = p
                count[q] += 1


@kernel
def _flat_together(p, q, beside_start, beside, is_connected, axis, cone):
    """Whether two patches of a body, possibly the same, are too flat to touch."""
    if not (is_connected[p] and is_connected[q]):
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
