"""Order of contacts in inner steps: grouped by the block of rows that a contact moves, or by its island."""

from __future__ import annotations

from ....compiler.kernels import kernel


@kernel
def row_of(i, row, spare):
    """Row of particle i; `spare` for particles of systems built later, which have none."""
    return row[i] if i < row.shape[0] else spare


@kernel
def sort_contacts(count, contact, row, spare, row_block, of_block, block_of, order, start):
    """Sort pairs by the block that contains all their rows; then those across several blocks, by island.

    Args:
        contact: see `solver.contact_buffer.ContactBuffer`; row: (n,) row of each particle, `spare` for those without.
        row_block: (r,) block of each row; of_block: (blocks,) island of each block; block_of: scratch (m,).
        order: out (m,); start: out (blocks + islands + 2,), ranges of it; pairs without a row come last.
    """
    last = start.shape[0] - 2
    for block in range(last + 2):
        start[block] = 0
    for m in range(count):
        block_of[m] = _block_of(m, contact, row, spare, row_block, of_block, last)
        start[block_of[m] + 1] += 1
    for block in range(1, last + 2):
        start[block] += start[block - 1]
    # Filled backward: afterwards each entry is the start of its own range.
    for m in range(count - 1, -1, -1):
        block = block_of[m]
        start[block + 1] -= 1
        order[start[block + 1]] = m
    for block in range(last + 1):
        start[block] = start[block + 1]
    start[last + 1] = count


@kernel
def _block_of(m, contact, row, spare, row_block, of_block, last):
    """The block that contains all rows of a pair, or the number of blocks plus its island; `last` without rows."""
    found = -1
    for e in range(4):
        r = row_of(contact[m, e], row, spare)
        if r == spare:
            continue
        if found >= 0 and row_block[r] != found:
            return of_block.shape[0] + of_block[found]
        found = row_block[r]
    return found if found >= 0 else last
