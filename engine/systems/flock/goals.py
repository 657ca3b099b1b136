"""Goals of an agent: the point ahead of it on a path, or its landing spot at the goal."""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, part_of_kernel

# Parts of a path that are searched ahead of and behind the agent's current one.
BEFORE, BEHIND = 8, 2
# The angle between successive spots of a disc: discs of any size are filled evenly (Vogel 1979).
GOLDEN = 2.399963229728653
# Distance between spots in personal spaces.
SPOT_SPACING = 0.8


@kernel
def place_ahead(a, place, ahead, goals, leg):
    """The point [m] on the path that lies `ahead` [m] beyond the path's nearest point to agent a, which is at `place`.

    Stores the part of the path that has this nearest point in `leg`. A path that ends where it begins is closed.
    """
    path, count = goals.path, goals.path.shape[0]
    if count == 1:
        return path[0, 0], path[0, 1], path[0, 2]
    parts = count - 1
    is_closed = (path[0, 0] - path[parts, 0]) ** 2 + (path[0, 1] - path[parts, 1]) ** 2 + (
        path[0, 2] - path[parts, 2]) ** 2 <= 1e-12 * goals.along[parts] ** 2
    first = leg[a] - BEHIND if leg[a] >= 0 else 0
    stop = leg[a] + BEFORE if leg[a] >= 0 else parts
    best, at = math.inf, 0.0
    for k in range(first, min(stop, first + parts)):
        part = k % parts if is_closed else min(max(k, 0), parts - 1)
        fraction = nearest_fraction(path, part, place)
        square = 0.0
        for axis in range(3):
            square += (path[part, axis] + fraction * (path[part + 1, axis] - path[part, axis]) - place[axis]) ** 2
        if square < best:
            best, leg[a] = square, part
            at = goals.along[part] + fraction * (goals.along[part + 1] - goals.along[part])
    at += ahead
    if is_closed and at > goals.along[parts]:
        at -= goals.along[parts]
    part = 0 if at < goals.along[leg[a]] else leg[a]
    while part < parts - 1 and goals.along[part + 1] < at:
        part += 1
    long = goals.along[part + 1] - goals.along[part]
    fraction = min(max((at - goals.along[part]) / long, 0.0), 1.0) if long > 0.0 else 0.0
    return (
        path[part, 0] + fraction * (path[part + 1, 0] - path[part, 0]),
        path[part, 1] + fraction * (path[part + 1, 1] - path[part, 1]),
        path[part, 2] + fraction * (path[part + 1, 2] - path[part, 2]),
    )


@part_of_kernel
def nearest_fraction(path, part, place):
    """The fraction of a part of the path at which it is nearest to a place."""
    along, square = 0.0, 0.0
    for axis in range(3):
        side = path[part + 1, axis] - path[part, axis]
        along += side * (place[axis] - path[part, axis])
        square += side * side
    return min(max(along / square, 0.0), 1.0) if square > 0.0 else 0.0


@kernel
def spot_of(a, goals, habits):
    """Landing spot of agent a (3) [m]: on a perch, or at its place in a disc around the end of the path."""
    count = goals.perches.shape[0]
    if count > 0:
        k = a % count
        return goals.perches[k, 0], goals.perches[k, 1], goals.perches[k, 2] + habits.keep
    last = goals.path.shape[0] - 1
    far, angle = SPOT_SPACING * habits.space * math.sqrt(a + 0.5), GOLDEN * a
    return (
        goals.path[last, 0] + far * math.cos(angle), goals.path[last, 1] + far * math.sin(angle),
        goals.path[last, 2] + habits.keep,
    )
