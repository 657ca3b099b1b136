"""A particle against the triangles of a near body."""

from __future__ import annotations

import math

from ....compiler.kernels import kernel, part_of_kernel
from .grazing import grazed_side
from .inside import is_solid
from .nearest import closest_point, face_normal, span_normal
from .place import DISPLACED_FRACTION, PASSAGE_MARGIN, ROUNDING_MARGIN, SHALLOW, spread_of, write_separation
from .sweep import BRIM, across_at, passage, plane_coordinates, volume_at

# Contacts of a particle with one body: in a corner it touches several faces.
SLOTS = 3
# Faces whose normals have a larger cosine count as one face.
SAME_FACE = 0.8


@part_of_kernel
def touch_faces(only_through, notes_close, pair, pairs, motion, surfaces, slot, found):
    """Contacts of a near pair's particle with its body, from `slot` on: the face it passes through, or the nearest.

    Writes whether the pair is close, that is, may pass through if springs move both sides by a fraction of their slack,
    see `ccd_recheck.CcdRecheck`. Args: see `contacts.find_face_contacts`.
    """
    x0, x, radius, slack = motion.x0, motion.x, motion.radius, motion.slack
    corner, touching = surfaces.corner, found.touching
    i, start, stop, near = pairs.particle[pair], pairs.start[pair], pairs.stop[pair], pairs.near
    soonest = 2.0
    nearest = math.inf
    best_facing = -1.0
    best = -1
    u0 = 0.0
    u1 = 0.0
    mx = 0.0
    my = 0.0
    mz = 0.0
    best_inside = False
    best_spread = 0.0
    # Faces below the particle that point in different directions: their number, and the normal of the first.
    faces_below = 0
    ox = 0.0
    oy = 0.0
    oz = 0.0
    lx, ly, lz, hx, hy, hz = _box(x0, x, i)
    for place in range(start, stop):
        t = near[place]
        a = corner[t, 0]
        b = corner[t, 1]
        c = corner[t, 2]
        keep = radius[i] + max(radius[a], radius[b], radius[c])
        spread = spread_of(slack[i], max(slack[a], slack[b], slack[c]))
        apart = _box_separation(lx, ly, lz, hx, hy, hz, x0, x, a, b, c)
        solid = is_solid(i, a, b, c, t, motion, surfaces)
        # A particle inside a solid is tested at twice the distance, see below.
        far = keep + (spread if solid else 0.5 * spread)
        if notes_close and apart <= PASSAGE_MARGIN * keep + DISPLACED_FRACTION * spread:
            found.close[pair] = True
        if apart > (PASSAGE_MARGIN * keep if only_through else far):
            continue
        before = 0.0
        grazes = 0.0
        time = 2.0
        s1 = 0.0
        s2 = 0.0
        # A particle further away cannot pass through.
        if apart <= PASSAGE_MARGIN * (keep + spread):
            before = volume_at(x0, a, b, c, i)
            if not solid:
                grazes = grazed_side(i, t, before, keep, motion, surfaces)
            if grazes == 0.0:
                time, before, s1, s2 = passage(only_through, False, x0, x, a, b, c, i)
            else:
                allowed = abs(grazes) if only_through else 0.0
                last = volume_at(x, a, b, c, i)
                if (last if grazes > 0.0 else -last) < -allowed:
                    s1, s2 = plane_coordinates(x0, x, 0.0, i, a, b, c)
                    if s1 >= -BRIM and s2 >= -BRIM and s1 + s2 <= 1.0 + BRIM:
                        time = 0.0
        # A particle inside a solid can pass its faces only outward.
        if solid and before < 0.0:
            time = 2.0
        if only_through and time > 1.0:
            continue
        nx, ny, nz = span_normal(x, a, b, c)
        square = nx * nx + ny * ny + nz * nz
        after = _above(x, i, a, nx, ny, nz)
        # Reject most triangles by their plane distance, without a square root.
        if square <= 1e-300 or (time > 1.0 and after * after > ROUNDING_MARGIN * far * far * square):
            continue
        size = 1.0 / math.sqrt(square)
        nx *= size
        ny *= size
        nz *= size
        after *= size
        if only_through and solid and motion.body[i] == motion.body[a] and after > -SHALLOW * keep:
            continue
        if time <= 1.0:
            if time < soonest:
                soonest = time
                best = t
                u1 = max(s1, 0.0)
                u0 = max(1.0 - u1 - max(s2, 0.0), 0.0)
                side = 1.0 if (before if grazes == 0.0 else grazes) > 0.0 else -1.0
                if grazes == 0.0:
                    # Normal of the face at the time of passage: i is in front of the face before, and behind it after.
                    nx, ny, nz = across_at(x0, x, time, a, b, a, c)
                mx = side * nx
                my = side * ny
                mz = side * nz
            continue
        if only_through or soonest <= 1.0:
            continue
        # A particle inside a solid counts at twice the distance, because it has to come out. Every face of a solid is
        # tested that far: a particle below one face and behind another, further away, would otherwise count as inside.
        # Vertices beside an edge of another body were pushed through it, and piles never came to rest.
        reach = keep + (spread if solid and after <= 0.0 else 0.5 * spread)
        if abs(after) > far:
            continue
        # Skip a face that is not nearer and points in the same direction.
        if faces_below > 0 and abs(after) > nearest + 1e-9 and nx * ox + ny * oy + nz * oz >= SAME_FACE:
            continue
        s0, s1, s2 = closest_point(x[i, 0], x[i, 1], x[i, 2], x, a, b, c)
        dx = x[i, 0] - (s0 * x[a, 0] + s1 * x[b, 0] + s2 * x[c, 0])
        dy = x[i, 1] - (s0 * x[a, 1] + s1 * x[b, 1] + s2 * x[c, 1])
        dz = x[i, 2] - (s0 * x[a, 2] + s1 * x[b, 2] + s2 * x[c, 2])
        distance = math.sqrt(dx * dx + dy * dy + dz * dz)
        if s0 > 0.0 and s1 > 0.0 and s2 > 0.0 and abs(after) <= reach:
            if faces_below == 0:
                ox = nx
                oy = ny
                oz = nz
            if faces_below == 0 or nx * ox + ny * oy + nz * oz < SAME_FACE:
                faces_below += 1
        # Among triangles that share the closest edge, the one that faces the particle most decides the side.
        facing = abs(after) / max(distance, 1e-12)
        if distance > far or distance > nearest + 1e-9 or (distance > nearest - 1e-9 and facing <= best_facing):
            continue
        nearest = distance
        best_facing = facing
        best = t
        best_inside = solid and after <= 0.0
        best_spread = spread
        u0 = s0
        u1 = s1
        mx = nx
        my = ny
        mz = nz
        if not best_inside and not (s0 > 0.0 and s1 > 0.0 and s2 > 0.0) and distance > 1e-9:
            mx = dx / distance
            my = dy / distance
            mz = dz / distance
        elif not solid and _is_below(x0, i, a, b, c, after, grazes):
            mx = -nx
            my = -ny
            mz = -nz
    if not only_through:
        found.within[pair] = best_inside and soonest > 1.0
    if best < 0:
        return
    _write_face_contact(slot, i, best, (u0, u1), (mx, my, mz), motion, corner, found)
    # Springs move particles after this test, often further than the rest separation. Pairs that they may bring close
    # count as well; the response decides whether they touch.
    touching[slot] = soonest <= 1.0 or best_inside or nearest < found.rest_separation[slot] + 0.5 * best_spread
    if touching[slot] and (faces_below > 1 or (faces_below == 1 and abs(mx * ox + my * oy + mz * oz) < SAME_FACE)):
        for other in range(1, SLOTS):
            _touch_another_face(pair, pairs, motion, surfaces, slot, other, found)


@kernel
def _is_below(x0, i, a, b, c, after, grazes):
    """Whether a particle is kept on the back of a sheet's triangle; after: its height above it [m]."""
    if grazes != 0.0:
        return grazes < 0.0
    return after < 0.0 or (after == 0.0 and volume_at(x0, a, b, c, i) < 0.0)


@kernel
def _box(x0, x, i):
    """Box around the motion of particle i [m]."""
    return (
        min(x0[i, 0], x[i, 0]), min(x0[i, 1], x[i, 1]), min(x0[i, 2], x[i, 2]),
        max(x0[i, 0], x[i, 0]), max(x0[i, 1], x[i, 1]), max(x0[i, 2], x[i, 2]),
    )


@part_of_kernel
def _box_separation(lx, ly, lz, hx, hy, hz, x0, x, a, b, c):
    """Largest separation along an axis of the box of a triangle's motion and the box (lx, ..) to (hx, ..) [m]."""
    return max(
        _axis_separation(lx, hx, x0[a, 0], x0[b, 0], x0[c, 0], x[a, 0], x[b, 0], x[c, 0]),
        _axis_separation(ly, hy, x0[a, 1], x0[b, 1], x0[c, 1], x[a, 1], x[b, 1], x[c, 1]),
        _axis_separation(lz, hz, x0[a, 2], x0[b, 2], x0[c, 2], x[a, 2], x[b, 2], x[c, 2]),
    )


@kernel
def _axis_separation(low, high, a0, b0, c0, a1, b1, c1):
    """Separation of an interval and six coordinates along one axis [m]; negative if they overlap."""
    least = min(min(min(a0, b0), min(c0, a1)), min(b1, c1))
    most = max(max(max(a0, b0), max(c0, a1)), max(b1, c1))
    return max(low - most, least - high)


@kernel
def _touch_another_face(pair, pairs, motion, surfaces, slot, other, found):
    """Add the nearest face below the particle whose direction differs from those of its contacts so far."""
    x, radius, slack = motion.x, motion.radius, motion.slack
    corner, normal, touching = surfaces.corner, found.normal, found.touching
    i, start, stop, near = pairs.particle[pair], pairs.start[pair], pairs.stop[pair], pairs.near
    nearest = math.inf
    lx, ly, lz, hx, hy, hz = _box(x, x, i)
    for place in range(start, stop):
        t = near[place]
        a = corner[t, 0]
        b = corner[t, 1]
        c = corner[t, 2]
        spread = spread_of(slack[i], max(slack[a], slack[b], slack[c]))
        far = radius[i] + max(radius[a], radius[b], radius[c]) + 0.5 * spread
        if _box_separation(lx, ly, lz, hx, hy, hz, x, x, a, b, c) > far:
            continue
        nx, ny, nz = face_normal(x, a, b, c)
        if nx * nx + ny * ny + nz * nz < 0.5:
            continue
        after = _above(x, i, a, nx, ny, nz)
        solid = is_solid(i, a, b, c, t, motion, surfaces)
        if after < 0.0 and solid:
            continue
        distance = abs(after)
        if distance >= nearest or distance > far:
            continue
        keep = radius[i] + max(radius[a], radius[b], radius[c])
        grazes = 0.0
        if not solid:
            grazes = grazed_side(i, t, volume_at(motion.x0, a, b, c, i), keep, motion, surfaces)
        side = 1.0 if (after if grazes == 0.0 else grazes) >= 0.0 else -1.0
        known = False
        for k in range(slot, slot + other):
            along = side * (nx * normal[k, 0] + ny * normal[k, 1] + nz * normal[k, 2])
            known |= not touching[k] or along > SAME_FACE
        if known:
            continue
        s0, s1, s2 = closest_point(x[i, 0], x[i, 1], x[i, 2], x, a, b, c)
        if not (s0 > 0.0 and s1 > 0.0 and s2 > 0.0):
            continue
        nearest = distance
        _write_face_contact(slot + other, i, t, (s0, s1), (side * nx, side * ny, side * nz), motion, corner, found)
        touching[slot + other] = distance < found.rest_separation[slot + other] + 0.5 * spread


@kernel
def _write_face_contact(slot, i, t, coordinates, direction, motion, corner, found):
    """Write the contact of particle i with triangle t: barycentric coordinates of two corners, unit vector to i."""
    contact, weight, body = found.contact, found.weight, motion.body
    s0, s1 = coordinates
    contact[slot, 0] = i
    weight[slot, 0] = 1.0
    for e in range(3):
        contact[slot, 1 + e] = corner[t, e]
    weight[slot, 1] = -s0
    weight[slot, 2] = -s1
    weight[slot, 3] = s0 + s1 - 1.0
    own = body[i] == body[corner[t, 0]]
    write_separation(slot, direction, own, 1.0, motion, found)


@kernel
def _above(x, i, a, nx, ny, nz):
    """Signed distance of particle i above the plane through a, times the length of n."""
    return nx * (x[i, 0] - x[a, 0]) + ny * (x[i, 1] - x[a, 1]) + nz * (x[i, 2] - x[a, 2])
