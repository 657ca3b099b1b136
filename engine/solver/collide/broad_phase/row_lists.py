"""Lists of several lengths in one array: those of row r are entries[start[r] : start[r + 1]].

Filled in two turns over the same pairs: the first counts in `start`, `counts_to_starts` makes places of it, the second
writes each entry to its place and moves that on, and `sort_rows` puts places back and entries in order.
"""

from __future__ import annotations

from ....compiler.kernels import kernel


@kernel
def counts_to_starts(start):
    """Where each row starts, from how long each is; returns how many entries there are. Args: start: (rows + 1,)."""
    total = 0
    for row in range(start.shape[0]):
        mine = start[row]
        start[row] = total
        total += mine
    return total


@kernel
def sort_rows(start, entries):
    """Bring each start back from the end of its row, and sort the entries of each row."""
    for row in range(start.shape[0] - 1, 0, -1):
        start[row] = start[row - 1]
    start[0] = 0
    for row in range(start.shape[0] - 1):
        for place in range(start[row] + 1, start[row + 1]):
            entry = entries[place]
            at = place
            while at > start[row] and entries[at - 1] > entry:
                entries[at] = entries[at - 1]
                at -= 1
            entries[at] = entry
