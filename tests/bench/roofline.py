"""Relates figures to the memory bandwidth of the machine (the roofline)."""

from __future__ import annotations

from flotsam.engine.mesh.graph.neighbours import LANES, Neighbours

from .machine import triad_for
from .measure import Ledger

# Bytes per solve of a pass: i, j, base, rest, kappa, and the multiplier in and out; rows stay in the cache.
PASS_BYTES = 36


def gather_bytes(table: Neighbours, springs: int) -> float:
    """Bytes per solve of a gather: rest length at both ends, and neighbour index, one per sixteen for runs."""
    of_runs = int((table.run_stop - table.slot_start[:-1]).sum())
    slots = int(table.slot_start[-1])
    return (LANES * 4 * slots + 4 * of_runs + LANES * 4 * (slots - of_runs)) / springs


def of_springs(ledger: Ledger, rate: float, size_of_solve: float, working_set: float, rows: str) -> str:
    """Reports the fractions of the memory bandwidth, and of the speed of moving rows alone, that a rate reaches."""
    limit = triad_for(ledger, working_set)
    used = rate * size_of_solve
    alone = ledger.figures[rows].median * 1e6
    return (
        f"streams {size_of_solve:.3g} bytes a solve, {used / 1e9:.0f} GB/s of {limit / 1e9:.0f} GB/s that a triad of "
        f"this working set ({working_set / 1e6:.1f} MB) reaches, {100 * used / limit:.0f} %; and "
        f"{100 * rate / alone:.0f} % of the rate at which nothing is done but to move its rows"
    )


def of_frame(ledger: Ledger, size: str, springs: int, passes: int, milliseconds: float) -> str:
    """Reports the time of a frame's spring passes alone, at memory bandwidth and as measured."""
    working_set = springs * PASS_BYTES
    streamed = 2.0 * passes * working_set
    said = (
        f"{passes} there-and-back passes stream {streamed / 1e6:.0f} MB of springs, "
        f"{1e3 * streamed / triad_for(ledger, working_set):.2f} ms at the triad's speed, in a frame of "
        f"{milliseconds:.2f} ms"
    )
    alone = [
        figure.median for name, figure in ledger.figures.items() if name.startswith(f"springs_xpbd_single_{size}_")
    ]
    if alone:
        said += f"; at the rate of springs alone they take {2e3 * passes * springs / (max(alone) * 1e6):.2f} ms"
    return said
