"""Runs in a separate Python: bakes like the modal operator, a slice every 20 ms; reports how long each took.

Arguments: a working folder; seconds until Esc, or "never"; what to bake, "ring" or "crate". The last line of output is
JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from flotsam.addon.bake import state
from flotsam.addon.bake.job import BakeJob
from make_rigid import add_box
from make_scene import fresh_scene, ring, soft

TICK, PATIENCE = 0.02, 0.005


def main(folder: Path, esc_after: float, what: str) -> None:
    scene = fresh_scene(folder, (1, 4))
    if what == "ring":
        soft(ring())
    else:
        add_box("Crate", (0.0, 0.0, 1.0))
    started = time.perf_counter()
    slices = BakeJob(scene).run(PATIENCE)
    durations, delays, messages, stopping = [], [], [], 0.0
    due = started
    while True:
        due = max(due + TICK, time.perf_counter())
        time.sleep(max(due - time.perf_counter(), 0.0))
        begun = time.perf_counter()
        delays.append(begun - due)
        if begun - started > esc_after:
            slices.close()
            stopping = time.perf_counter() - begun
            break
        try:
            progress = next(slices)
        except StopIteration:
            break
        durations.append(time.perf_counter() - begun)
        if progress.message not in messages:
            messages.append(progress.message)
    print(json.dumps({
        "slices": durations, "late": delays, "messages": messages, "stopping": stopping,
        "seconds": time.perf_counter() - started, "running": state.current() is not None,
    }))


if __name__ == "__main__":
    main(Path(sys.argv[1]), float("inf") if sys.argv[2] == "never" else float(sys.argv[2]), sys.argv[3])
