"""`LinkTable`: the links of rigid bodies, constant, in the order of the solver."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class LinkTable(NamedTuple):
    """Constant data of links; body frames come first, then face frames.

    Attributes:
        kind, frame, local, turned, rest: (m, ...), see `link_rows.compute_residuals`; frame indices from the number of
            bodies on are face frames. stiffness: (m,) [N/m], 0 for rigid links; damping: (m,) [N s/m].
        faces: (f, 3) int64 particles that each face frame follows, negative for the world.
        row_start: (m + 1,) rows of each link; row_link: (r,) its link; linked: (k,) bodies that have links.
        start: (r + 1,) start of each row in the matrix; first: (r,) column of its first entry.
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
    """Scratch arrays of `solve.solve_links`; f frames, r rows, b bodies.

    Attributes:
        at: (f, 3), axes: (f, 9), see `frames`; linear: (r, 3), angular: (r, 2, 3), see `link_rows.compute_jacobian`.
        matrix, pivot: see `profile.factor`.
        residual: (r,) errors [m or rad]; offset: (r,) constant term of the residuals, see `solve`;
            compliance: (r,) 1 / G; start_factor: (r,) B.
        step: (r,) impulses of one iteration; impulse: (r,) accumulated impulses [N s].
        weighted_shift: (b, 3), displacement times mass [kg m]; inverse: (b, 6), inverse inertias [1/(kg m²)].
    """

    at: np.ndarray
    axes: np.ndarray
    linear: np.ndarray
    angular: np.ndarray
    matrix: np.ndarray
    pivot: np.ndarray
    residual: np.ndarray
    offset: np.ndarray
    compliance: np.ndarray
    start_factor: np.ndarray
    step: np.ndarray
    impulse: np.ndarray
    weighted_shift: np.ndarray
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
    """Order of links (m,) that keeps links of one body close together: breadth first, starting at the ends.

    Args: frame: (m, 2); indices below `bodies` are bodies (Cuthill and McKee 1969).
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
    """Sort links and lay out their matrix; the arguments are those of `LinkTable`, in any order of links."""
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
