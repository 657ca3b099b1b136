"""Runs in a separate Python: Live as in a window, a tick every 20 ms, from an empty kernel folder.

Arguments: a working folder; what to solve above a ground, "ring", "crate" or "both"; "begin" to stop after the first
frame, or a number of frames. The last line of output is JSON.
"""

from __future__ import annotations

import hashlib
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
from compiles import compiled
from flotsam.addon.live.session import LiveSession
from make_live import shown
from make_rigid import add_box
from make_scene import fresh_scene, ground, ring, soft

TICK = 0.02


def processor_seconds() -> float:
    """Processor time of this process and of the compile processes that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main(folder: Path, what: str, frames: int) -> None:
    scene = fresh_scene(folder, (1, 250))
    name = "Crate" if what == "crate" else "Ring"
    if what != "crate":
        soft(ring(z=0.4), mass=1.0).location.x = -1.3 if what == "both" else 0.0
    if what != "ring":
        add_box("Crate", (1.5 if what == "both" else 0.0, 0.0, 0.6))
    ground()
    used, started = processor_seconds(), time.perf_counter()
    session = LiveSession(scene)
    result = {"begun": 0.0, "processor": 0.0, "slices": [], "late": [], "messages": []}
    due = started
    while session.frame is None or session.frame.number < frames:
        due = max(due + TICK, time.perf_counter())
        time.sleep(max(due - time.perf_counter(), 0.0))
        began = time.perf_counter()
        result["late"].append(began - due)
        session.tick()
        result["slices"].append(time.perf_counter() - began)
        if session.message and session.message not in result["messages"]:
            result["messages"].append(session.message)
        if session.frame is not None and not result["begun"]:
            result["begun"], result["processor"] = time.perf_counter() - started, processor_seconds() - used
    positions = np.round(shown(name), 5)
    session.end()
    print(json.dumps(result | {
        "all": processor_seconds() - used, "compiled": compiled, "lowest": float(positions[:, 2].min()),
        "places": hashlib.sha256(positions.tobytes()).hexdigest(), "number": session.frame.number,
    }))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main(Path(sys.argv[1]), sys.argv[2], 1 if sys.argv[3] == "begin" else int(sys.argv[3]))
