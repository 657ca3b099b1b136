"""Order of contacts in inner steps: grouped by the block of rows that a contact moves."""

from __future__ import annotations

from ....compiler.kernels import kernel


@kernel
def row_of(i, row, spare):
    """Row of particle i; `spare` for particles of systems built later, which have none."""
    return row[i] if i < row.shape[0] else spare


@kernel
def sort_holds(count, contact, row, spare, row_block, block_of, order, start):
    """Sort pairs by the block that contains all their rows; pairs across several blocks come last.

    Args:
        contact: see `solver.contact_buffer.ContactBuffer`; row: (n,) row of each particle, `spare` for those without.
        row_block: (r,) block of each row; block_of: scratch (m,).
        order: out (m,); start: out (blocks + 2,), ranges of it.
    """
    several = start.shape[0] - 2
    for block in range(several + 2):
        start[block] = 0
    for m in range(count):
        block_of[m] = _block_of(m, contact, row, spare, row_block, several)
        start[block_of[m] + 1] += 1
    for block in range(1, several + 2):
        start[block] += start[block - 1]
    # Filled backward: afterwards each range start points to its own begin.
    for m in range(count - 1, -1, -1):
        block = block_of[m]
        start[block + 1] -= 1
        order[start[block + 1]] = m
    for block in range(several + 1):
        start[block] = start[block + 1]
    start[several + 1] = count


@kernel
def _block_of(m, contact, row, spare, row_block, several):
    """The block that contains all rows of a pair; `several` if there is none."""
    found = -1
    for e in range(4):
        r = row_of(contact[m, e], row, spare)
        if r == spare:
            continue
        if found >= 0 and row_block[r] != found:
            return several
        found = row_block[r]
    return found if found >= 0 else several
