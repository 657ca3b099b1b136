"""`LinkTable`: the links of rigid bodies as they are built, in the order in which they are solved."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class LinkTable(NamedTuple):
    """What does not change while time runs; frames are bodies first, then held ones.

    Attributes:
        kind, frame, local, turned, rest: (m, ...), see `link_rows.measure_links`; frames from the count of bodies on
            are held ones. stiffness: (m,) [N/m], 0 for rigid links; damping: (m,) [N s/m].
        faces: (f, 3) int64 particles that each held frame follows, below 0 for the world.
        row_start: (m + 1,) rows of each link; row_link: (r,) its link; linked: (k,) bodies that have links.
        start: (r + 1,) entries of each row of the matrix; first: (r,) column of its first one.
    """

    kind: np.ndarray
    frame: np.ndarray
    local: np.ndarray
    turned: np.ndarray
    rest: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    faces: np.ndarray
    row_start: np.ndarray
    row_link: np.ndarray
    linked: np.ndarray
    start: np.ndarray
    first: np.ndarray


class LinkWork(NamedTuple):
    """Scratch arrays of `solve.hold_links`; f frames, r rows, b bodies.

    Attributes:
        at: (f, 3), axes: (f, 9), see `frames`; along: (r, 3), twist: (r, 2, 3), see `link_rows.aim_links`.
        matrix, pivot: see `profile.factor`.
        gap: (r,) what rows measure; left: (r,) the part of it that stays; soft: (r,) 1 / G; follow: (r,) B.
        step: (r,) impulses of one iteration; given: (r,) impulses of all [N s].
        moved: (b, 3), displacement times mass [kg m]; inverse: (b, 6), inverse inertias [1/(kg m²)].
    """

    at: np.ndarray
    axes: np.ndarray
    along: np.ndarray
    twist: np.ndarray
    matrix: np.ndarray
    pivot: np.ndarray
    gap: np.ndarray
    left: np.ndarray
    soft: np.ndarray
    follow: np.ndarray
    step: np.ndarray
    given: np.ndarray
    moved: np.ndarray
    inverse: np.ndarray


def work_for(table: LinkTable, bodies: int) -> LinkWork:
    """Scratch arrays for the links of so many bodies."""
    rows, frames = len(table.row_link), bodies + len(table.faces)
    return LinkWork(
        np.zeros((frames, 3)), np.zeros((frames, 9)), np.zeros((rows, 3)), np.zeros((rows, 2, 3)),
        np.zeros(table.start[-1]), np.zeros(rows), *(np.zeros(rows) for _ in range(6)), np.zeros((bodies, 3)),
        np.zeros((bodies, 6)),
    )


def order_of(frame: np.ndarray, bodies: int) -> np.ndarray:
    """An order of links in which those that share a body lie near each other, (m,): breadth first, from the ends.

    Args: frame: (m, 2), bodies those below `bodies` (Cuthill and McKee 1969).
    """
    of_body: dict[int, list[int]] = {}
    for link, both in enumerate(frame.tolist()):
        for b in both:
            if b < bodies:
                of_body.setdefault(b, []).append(link)
    near = [
        sorted({n for b in both if b < bodies for n in of_body[b]} - {link})
        for link, both in enumerate(frame.tolist())
    ]
    order: list[int] = []
    seen = np.zeros(len(frame), dtype=bool)
    for root in sorted(range(len(frame)), key=lambda link: (len(near[link]), link)):
        if seen[root]:
            continue
        seen[root] = True
        queue = [root]
        for link in queue:
            fresh = sorted((n for n in near[link] if not seen[n]), key=lambda n: (len(near[n]), n))
            seen[fresh] = True
            queue += fresh
        order += queue
    return np.array(order, dtype=np.int64)


def build_table(
    kind: np.ndarray, frame: np.ndarray, local: np.ndarray, turned: np.ndarray, rest: np.ndarray,
    stiffness: np.ndarray, damping: np.ndarray, faces: np.ndarray, bodies: int,
) -> LinkTable:
    """Order links and lay out their matrix; the arguments are those of `LinkTable`, in any order of links."""
    order = order_of(frame, bodies)
    kind, frame = kind[order], frame[order]
    row_start = np.concatenate([[0], np.cumsum(kind)]).astype(np.int64)
    row_link = np.repeat(np.arange(len(kind)), kind)
    earliest: dict[int, int] = {}
    link_first = row_start[:-1].copy()
    for link, both in enumerate(frame.tolist()):
        for b in both:
            if b < bodies:
                link_first[link] = min(link_first[link], earliest.setdefault(b, int(row_start[link])))
    first = link_first[row_link]
    start = np.concatenate([[0], np.cumsum(np.arange(len(row_link)) - first + 1)]).astype(np.int64)
    linked = np.unique(frame[frame < bodies])
    return LinkTable(
        kind, frame, local[order], turned[order], rest[order], stiffness[order], damping[order], faces, row_start,
        row_link, linked, start, first,
    )
