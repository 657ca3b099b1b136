"""Plots of a run: springs per second, whole frames, and growth of costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

from .torus import SIZES  # noqa: E402

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .measure import Ledger

SPRINGS = {
    "symplectic": "Flotsam, symplectic", "xpbd_single": "Flotsam, XPBD", "xpbd_double": "Flotsam, XPBD, double",
    "seed_float": "the seed's tick in C",
}
FRAMES = {
    "frame_soft_body": "Soft Body", "frame_cloth": "Cloth, quality 5", "fall_dynamics_15": "Cloth Dynamics, falling",
    "frame_flotsam": "Flotsam, same stretch", "fall_flotsam": "Flotsam, falling",
}


def draw(ledger: Ledger, file: Path) -> None:
    """Draw three plots side by side from the ledger.

    Raises:
        OSError: the picture cannot be written.
    """
    figure, (left, middle, right) = pyplot.subplots(1, 3, figsize=(13.0, 4.0), layout="constrained")
    vertices = {size: around * across for size, (around, across) in SIZES.items()}
    threads = 2 if any(name.endswith("_2") for name in ledger.figures if name.startswith("springs_")) else 1
    for kind, label in SPRINGS.items():
        _line(left, ledger, {count: f"springs_{kind}_{size}_{threads}" for size, count in vertices.items()}, label)
    left.set(title=f"Springs a second, {threads} thread(s)", xlabel="vertices", ylabel="million springs/s")
    for kind, label in FRAMES.items():
        _line(middle, ledger, {count: f"{kind}_{size}" for size, count in vertices.items()}, label)
    middle.set(title="A frame", xlabel="vertices", ylabel="ms", yscale="log")
    growth = {name.removeprefix("growth_"): name for name in ledger.figures if name.startswith("growth_")}
    _line(right, ledger, {int(count): name for count, name in growth.items() if count.isdigit()},
          "a frame of 10 substeps")
    right.set(title="Cost over springs", xlabel="springs", ylabel="ms", yscale="log")
    for axes in (left, middle, right):
        axes.set_xscale("log")
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend(fontsize="small", frameon=False)
    for axes in (left, middle):
        axes.set_xticks(list(vertices.values()), labels=list(vertices))
        axes.minorticks_off()
    left.set_ylim(bottom=0.0)
    if left.lines:
        # Place the legend between the solver's lines and those of the C program, which are far apart.
        left.legend(fontsize="small", frameon=False, loc="center right", bbox_to_anchor=(1.0, 0.3))
    middle.set_ylim(bottom=0.15)
    figure.savefig(file, dpi=90)
    pyplot.close(figure)


def _line(axes: Axes, ledger: Ledger, names: dict[int, str], label: str) -> None:
    """Plot medians over sizes, with error bars from the lowest to the highest run."""
    found = {count: ledger.figures[name] for count, name in names.items() if name in ledger.figures}
    if not found:
        return
    middle = [figure.median for figure in found.values()]
    below = [figure.median - min(figure.runs) for figure in found.values()]
    above = [max(figure.runs) - figure.median for figure in found.values()]
    axes.errorbar(list(found), middle, yerr=[below, above], marker="o", capsize=2.0, label=label)
