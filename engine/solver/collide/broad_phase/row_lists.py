"""Lists of various lengths in one array: row r is entries[start[r] : start[r + 1]].

Rows are filled in two passes over the same pairs. The first counts in `start`, and `counts_to_starts` turns counts into
offsets. The second writes each entry at its row's offset and advances that; `sort_rows` restores offsets and sorts.
"""

from __future__ import annotations

from ....compiler.kernels import kernel


@kernel
def counts_to_starts(start):
    """Turn row lengths into row offsets; returns the number of entries. Args: start: (rows + 1,)."""
    total = 0
    for row in range(start.shape[0]):
        mine = start[row]
        start[row] = total
        total += mine
    return total


@kernel
def sort_rows(start, entries):
    """Restore row offsets from the ends of the rows, and sort the entries of each row."""
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
