"""Where an agent goes: the place ahead of it on a path, or its spot at the goal."""

from __future__ import annotations

import math

from ...compiler.kernels import kernel, part_of_kernel

# Parts of a path that are looked at before and behind the one that an agent is on.
BEFORE, BEHIND = 8, 2
# The angle between spots of a disc that come after each other: discs of any size are filled evenly (Vogel 1979).
GOLDEN = 2.399963229728653
# Spots lie so many personal spaces apart.
APART = 0.8


@kernel
def place_ahead(a, place, ahead, goals, leg):
    """The place [m] on the path that lies so far ahead [m] of the point of it that is nearest to agent a.

    Notes in `leg` which part of the path that is. A path that ends where it begins goes round.
    """
    path, count = goals.path, goals.path.shape[0]
    if count == 1:
        return path[0, 0], path[0, 1], path[0, 2]
    parts = count - 1
    is_round = (path[0, 0] - path[parts, 0]) ** 2 + (path[0, 1] - path[parts, 1]) ** 2 + (
        path[0, 2] - path[parts, 2]) ** 2 <= 1e-12 * goals.along[parts] ** 2
    first = leg[a] - BEHIND if leg[a] >= 0 else 0
    stop = leg[a] + BEFORE if leg[a] >= 0 else parts
    best, at = math.inf, 0.0
    for k in range(first, min(stop, first + parts)):
        part = k % parts if is_round else min(max(k, 0), parts - 1)
        share = nearest_share(path, part, place)
        square = 0.0
        for axis in range(3):
            square += (path[part, axis] + share * (path[part + 1, axis] - path[part, axis]) - place[axis]) ** 2
        if square < best:
            best, leg[a] = square, part
            at = goals.along[part] + share * (goals.along[part + 1] - goals.along[part])
    at += ahead
    if is_round and at > goals.along[parts]:
        at -= goals.along[parts]
    part = 0 if at < goals.along[leg[a]] else leg[a]
    while part < parts - 1 and goals.along[part + 1] < at:
        part += 1
    long = goals.along[part + 1] - goals.along[part]
    share = min(max((at - goals.along[part]) / long, 0.0), 1.0) if long > 0.0 else 0.0
    return (
        path[part, 0] + share * (path[part + 1, 0] - path[part, 0]),
        path[part, 1] + share * (path[part + 1, 1] - path[part, 1]),
        path[part, 2] + share * (path[part + 1, 2] - path[part, 2]),
    )


@part_of_kernel
def nearest_share(path, part, place):
    """The share of a part of the path at which it is nearest to a place."""
    along, square = 0.0, 0.0
    for axis in range(3):
        way = path[part + 1, axis] - path[part, axis]
        along += way * (place[axis] - path[part, axis])
        square += way * way
    return min(max(along / square, 0.0), 1.0) if square > 0.0 else 0.0


@kernel
def spot_of(a, goals, habits):
    """Where agent a lands [m]: on a perch, or in its place of a disc around the end of the path."""
    count = goals.perches.shape[0]
    if count > 0:
        k = a % count
        return goals.perches[k, 0], goals.perches[k, 1], goals.perches[k, 2] + habits.keep
    last = goals.path.shape[0] - 1
    far, turn = APART * habits.space * math.sqrt(a + 0.5), GOLDEN * a
    return (
        goals.path[last, 0] + far * math.cos(turn), goals.path[last, 1] + far * math.sin(turn),
        goals.path[last, 2] + habits.keep,
    )
