"""All benchmarks by name, in order of execution."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from flotsam.engine import prepare

from . import (
    barrels,
    costs,
    demo_scene,
    flocks,
    fluid,
    fluid_peers,
    free_fall,
    graph_peers,
    graphs,
    heap,
    jostling,
    machine,
    ring_on_crate,
    ring_on_floor,
    self_contact,
    shares,
    springs,
    truths,
    wind,
)
from .measure import Ledger
from .options import Options

Benchmark = Callable[[Ledger, Options], None]

BENCHMARKS: dict[str, Benchmark] = {
    "springs": springs.run,
    "memory": costs.memory,
    "growth": costs.growth,
    "fall": free_fall.run,
    "floor": ring_on_floor.run,
    "crate": ring_on_crate.run,
    "itself": self_contact.run,
    "rings": jostling.run,
    "heap": heap.run,
    "barrels": barrels.run,
    "shares": shares.run,
    "fluid": fluid.run,
    "fluids": fluid_peers.run,
    "flocks": flocks.run,
    "graphs": graphs.run,
    "solids": graph_peers.run,
    "wind": wind.run,
    "demo": demo_scene.run,
    "start": costs.first_frame,
    "truths": truths.run,
}


def run(
    names: Sequence[str], file: Path, quick: bool, say: Callable[[str], None], step: Callable[[int, str], None],
) -> Ledger:
    """Run some benchmarks and write their figures to a JSON file, rewritten after each benchmark.

    Args:
        names: of BENCHMARKS.
        file: the JSON file to write; its folder is created.
        quick: smallest sizes only.
        say: called with each line of the table.
        step: called with the number of finished benchmarks and a description of the current measurement.

    Raises:
        OSError: the file cannot be written.
    """
    # Create the folder first: an hour of measuring should not end at a folder that cannot be created.
    file.parent.mkdir(parents=True, exist_ok=True)
    for integrator in ("XPBD", "SYMPLECTIC"):
        prepare(lambda sentence: step(0, sentence), kernels=(integrator,))
    ledger = Ledger(machine.describe())
    done = 0
    options = Options(quick, lambda what: step(done, what))
    options.tell("the machine's memory")
    machine.measure_triad(ledger, options.rounds)
    for done, name in enumerate(names):
        before = set(ledger.figures)
        BENCHMARKS[name](ledger, options)
        for key in (key for key in ledger.figures if key not in before):
            figure = ledger.figures[key]
            say(f"{figure.what:78}  {figure.median:10.4g} {figure.unit}  ({min(figure.runs):.4g} … "
                f"{max(figure.runs):.4g})")
        step(done + 1, "")
        file.write_text(json.dumps(ledger.as_json(), indent=1) + "\n", encoding="utf-8")
    return ledger
