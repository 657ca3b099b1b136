"""Pairs of convex bodies and walls with overlapping boxes; the boxes stay valid for several substeps."""

from __future__ import annotations

from ....compiler.kernels import kernel
from ...collide.broad_phase.row_lists import counts_to_starts, sort_rows

# Wide boxes stay valid for so many substeps at constant velocity.
AHEAD = 4.0


@kernel
def is_within(chosen, box, wide):
    """Whether all boxes lie within the wide ones."""
    for body in chosen:
        for k in range(3):
            if box[body, k] < wide[body, k] or box[body, 3 + k] > wide[body, 3 + k]:
                return False
    return True


@kernel
def widen(chosen, position_before, position, margin, box, wide):
    """Boxes for several substeps: out wide (b, 6). Args: margin: (b,) margin of each [m]."""
    for body in chosen:
        for k in range(3):
            travel = AHEAD * (position[body, k] - position_before[body, k])
            wide[body, k] = box[body, k] + min(travel, 0.0) - margin[body]
            wide[body, 3 + k] = box[body, 3 + k] + max(travel, 0.0) + margin[body]


@kernel
def sweep(order, axis, first_wall, wide, kind, meets, start, other, first):
    """Sort-and-sweep: pairs whose wide boxes overlap, see `HullBodies`; returns their number.

    Fills `start` and `other` only if `other` has capacity for all.

    Args:
        order: (m,) bodies sorted by their boxes' low ends on an axis; wide: (m, 6), kind: (m,), in this order.
        start: (b + 1,), other: (capacity,) int64: out, the second bodies of the pairs of each first body, sorted.
        first: scratch (2, capacity) int64.
    """
    total = 0
    for j in range(order.shape[0]):
        stop = wide[j, 3 + axis]
        for k in range(j + 1, order.shape[0]):
            if wide[k, axis] > stop:
                break
            if boxes_apart(j, k, wide) or not meets[kind[j], kind[k]]:
                continue
            if total < other.shape[0]:
                one = order[j]
                two = order[k]
                a = min(one, two)
                b = max(one, two)
                # A wall is the first of its pair; walls come last in the numbering.
                first[0, total] = b if b >= first_wall else a
                first[1, total] = a if b >= first_wall else b
            total += 1
    if total > other.shape[0]:
        return total
    for a in range(start.shape[0]):
        start[a] = 0
    for pair in range(total):
        start[first[0, pair]] += 1
    counts_to_starts(start)
    for pair in range(total):
        a = first[0, pair]
        other[start[a]] = first[1, pair]
        start[a] += 1
    sort_rows(start, other)
    return total


@kernel
def boxes_apart(a, b, box):
    """Whether the boxes of two bodies do not overlap."""
    for k in range(3):
        if box[a, k] > box[b, 3 + k] or box[b, k] > box[a, 3 + k]:
            return True
    return False
