"""The first Live and bake after an install: their duration, and the responsiveness of Blender's interface."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile
from pace import slowness

pytestmark = pytest.mark.alone

HERE = Path(__file__).parent
LONGEST_SLICE = 0.1
# Frames of Live until the ring has fallen to the ground.
FALLEN = "12"


def run(script: str, kernels: Path, *arguments: str) -> dict[str, Any]:
    """Run a script with a kernel folder of its own; returns its last output line, parsed.

    Adds `slowness`, the mean of a measurement before the run and one after it.
    """
    before = slowness()
    engine = str(HERE.parent / "engine")
    env = {**os.environ, "FLOTSAM_KERNEL_CACHE": str(kernels), "PYTHONPATH": engine}
    done = subprocess.run([sys.executable, script, *arguments], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1]) | {"slowness": 0.5 * (before + slowness())}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder for compiled kernels."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(scope="module")
def live(kernels: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The first Live after an install, until the ring lies on the ground: the only cold compile of soft bodies."""
    result = first_live(kernels, str(tmp_path_factory.mktemp("live")), "ring", FALLEN)
    copy_kernels(kernels)
    return result


@pytest.fixture(scope="module")
def lives(live: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, float], float]:
    """Processor time of the first Live in yardsticks: the least of up to three runs, until one is below a limit.

    A machine on which everything was just installed takes a tenth longer, and a shared one varies: two consecutive runs
    took 16.9 and 15.6 yardsticks.
    """
    runs = [live]

    def least(key: str, limit: float) -> float:
        measured = [result[key] / result["yardstick"] for result in runs]
        while min(measured) >= limit and len(runs) < 3:
            folders = (tmp_path_factory.mktemp(name) for name in ("kernels", "again"))
            runs.append(first_live(next(folders), str(next(folders)), "ring", FALLEN))
            measured.append(runs[-1][key] / runs[-1]["yardstick"])
        print(f"{key}: {[round(value, 1) for value in measured]} yardsticks, first frame after {live['begun']:.1f} s")
        return min(measured)

    return least


@pytest.fixture(scope="module")
def rigid_kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that collects the kernels which `rigid_live` compiles in folders of their own."""
    return tmp_path_factory.mktemp("rigid_kernels")


@pytest.fixture(scope="module", params=["crate", "both"])
def rigid_live(
    request: pytest.FixtureRequest, rigid_kernels: Path, tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """The first Live after an install with a rigid body, alone or beside a soft one, until its first frame."""
    own = tmp_path_factory.mktemp("own_kernels")
    result = first_live(own, str(tmp_path_factory.mktemp("crate")), request.param, "begin")
    copy_kernels(own, rigid_kernels)
    return result


def first_live(kernels: Path, *arguments: str) -> dict[str, Any]:
    """Result of `first_live.py`, with `yardstick`, the mean of a measurement before it and one after it [s].

    Processor time is given in yardsticks, because machines and their other load differ, and each machine varies: the
    same kernels took 56 and 64 s within an hour, which were 25 and 31 yardsticks measured a minute later.
    """
    before = yardstick()
    result = run(str(HERE / "first_live.py"), kernels, *arguments)
    return result | {"yardstick": 0.5 * (before + yardstick())}


def yardstick() -> float:
    """The time of the yardstick now [s].

    Two processes measure at once, because two compile kernels: two threads of one core take longer than two cores.
    """
    runs = [
        subprocess.Popen([sys.executable, str(HERE / "yardstick.py")], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    times = [float(process.communicate()[0]) for process in runs]
    assert not any(process.returncode for process in runs)
    return statistics.mean(times)


def copy_kernels(kernels: Path, to: Path | None = None) -> None:
    """Copy the compiled kernels to another folder; None for that of all later tests, which would compile them again.

    Both folders may hold the same kernel for different types, in one index.
    """
    target = to or Path(os.environ["FLOTSAM_KERNEL_CACHE"])
    for index in kernels.glob("*/*/*.nbi"):
        with index.open("rb") as file:
            pickle.load(file)
            stamp, compiled = pickle.load(file)
        into = target / index.parent.relative_to(kernels)
        into.mkdir(parents=True, exist_ok=True)
        source, copy = (IndexDataCacheFile(str(folder), index.stem, stamp) for folder in (index.parent, into))
        for types in compiled:
            copy.save(types, source.load(types))
    for mark in [*kernels.glob("*/complete-*"), *kernels.glob("*/self-check-*")]:
        shutil.copy(mark, target / mark.relative_to(kernels))


def assert_smooth(result: dict[str, Any]) -> None:
    """Nearly every slice is short, including the delay of its start; one in a hundred may be slowed by other load."""
    totals = np.array(result["late"][: len(result["slices"])]) + np.array(result["slices"])
    assert np.quantile(totals, 0.99) < LONGEST_SLICE * result["slowness"], (np.sort(totals)[-5:], result["slowness"])


def test_esc_stops_the_compile_at_once(tmp_path: Path) -> None:
    result = run(str(HERE / "first_bake.py"), tmp_path / "kernels", str(tmp_path), "1.5", "ring")
    assert any("Compiling" in message for message in result["messages"])
    assert result["stopping"] < LONGEST_SLICE and not result["running"]
    assert_smooth(result)


@pytest.mark.slow
def test_the_first_live_begins_in_a_quarter_of_a_minute(lives: Callable[[str, float], float]) -> None:
    """Two cores share the processor time of all processes, so a quarter of a minute has 30 s of it: 15.5 yardsticks.

    One machine needed 1.94 s for the yardstick. The ring starts above the ground, and the rest of the solver compiles
    while it falls.
    """
    assert lives("processor", 15.5) < 15.5


@pytest.mark.slow
def test_the_first_live_of_a_rigid_body_begins_in_25_seconds(rigid_live: dict[str, Any]) -> None:
    """As above, 50 s of processor time are 25.8 yardsticks; also with a soft body beside it."""
    measured = rigid_live["processor"] / rigid_live["yardstick"]
    print(f"{rigid_live['begun']:.1f} s, {rigid_live['processor']:.1f} s of processor time, {measured:.1f} yardsticks")
    assert measured < 25.8


@pytest.mark.slow
def test_all_of_soft_bodies_compiles_in_half_a_minute(
    lives: Callable[[str, float], float], live: dict[str, Any], kernels: Path
) -> None:
    """60 s of processor time are 31 yardsticks; this includes the time of the frames."""
    assert lives("all", 31.0) < 31.0
    assert any("kernels" in message for message in live["messages"])
    assert list(kernels.glob("*/complete-*"))


@pytest.mark.slow
def test_what_touches_waits_for_its_kernels_with_a_sentence_and_compiles_nothing_here(
    live: dict[str, Any], kernels: Path, tmp_path: Path
) -> None:
    """The positions equal those of a Live for which everything was compiled before."""
    assert any(message.startswith("This scene needs more of the solver now.") for message in live["messages"])
    assert live["compiled"] == [] and -0.05 < live["lowest"] < 0.05
    again = run(str(HERE / "first_live.py"), kernels, str(tmp_path), "ring", FALLEN)
    assert not any("kernels" in message for message in again["messages"])
    assert again["places"] == live["places"] and again["number"] == live["number"]


@pytest.mark.slow
def test_the_interface_stays_alive_while_kernels_compile(live: dict[str, Any], rigid_live: dict[str, Any]) -> None:
    assert_smooth(live)
    assert_smooth(rigid_live)


@pytest.mark.slow
def test_the_interface_stays_alive_while_kernels_load(live: dict[str, Any], kernels: Path, tmp_path: Path) -> None:
    result = run(str(HERE / "first_bake.py"), kernels, str(tmp_path), "never", "ring")
    assert not any("Compiling" in message for message in result["messages"])
    assert_smooth(result)


FROM_CACHE = """
import json, sys, time
started = time.perf_counter()
sys.path.insert(0, sys.argv[1])
import numpy as np
from flotsam.engine import ColliderSpec, Controls, SpringGraphSpec, WaterSpec, WorldSpec, build_world, prepare
from flotsam.engine import step_frame
import shapes
ring = shapes.torus(0.5, 0.15, 16, 8)
prepare(kernels=("XPBD", "SOFT_IN_WATER", "STRUTS"))
world = build_world(WorldSpec(systems=(SpringGraphSpec("ring", *ring, pressure=300.0),)))
step_frame(world)
seconds = time.perf_counter() - started

from compiles import compiled
wire = SpringGraphSpec("wire", *(lambda v, e: (v + (0, 0, 3), np.zeros((0, 3)), e))(*shapes.chain(8, 1.0, (1, 0, 0))),
                       graph="EDGES", damping=1.0, pins=[0])
open_box = shapes.box(0.4, 3)
worlds = [
    WorldSpec(systems=(wire,)),
    WorldSpec(systems=(
        SpringGraphSpec("ring", *ring, pressure=300.0, rings=2, struts=2, restitution=0.5, velocity=(1, 0, 0)),
        SpringGraphSpec("box", open_box[0] + (2, 0, 0), open_box[1][2:], mass_by="AREA", air_drag=0.3), wire,
        ColliderSpec("floor", shapes.FLOOR - (0, 0, 1), shapes.FLOOR_TRIANGLES), WaterSpec("sea", 0.1, flow=(1, 0, 0)),
    ), substeps=4),
]
for spec in worlds:
    world = build_world(spec)
    for _ in range(3):
        step_frame(world, Controls(pins={"wire": np.array([[0.0, 0.1, 3.0]])}))
    world.restore(world.snapshot())
print(json.dumps({"seconds": seconds, "compiled": compiled}))
"""


@pytest.mark.slow
def test_from_the_cache_a_frame_comes_within_two_seconds_and_nothing_compiles(
    live: dict[str, Any], kernels: Path, tmp_path: Path
) -> None:
    """Import, load, build and step in a fresh process: the best of three. Other worlds need no other kernels."""
    script = tmp_path / "from_cache.py"
    script.write_text(FROM_CACHE)
    results = [run(str(script), kernels, str(HERE.parent / "engine")) for _ in range(3)]
    print([f"{result['seconds']:.2f} s" for result in results])
    assert min(result["seconds"] for result in results) < 2.0
    assert results[0]["compiled"] == []


RIGID_FROM_CACHE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import shapes
from compiles import compiled
from flotsam.engine import ColliderSpec, Controls, Grab, Joint, SpringGraphSpec, VoxelBodySpec, WaterSpec, WorldSpec
from flotsam.engine import build_world, prepare, step_frame
prepare(kernels=("XPBD", "SOFT_IN_WATER", "RIGID"))
crate, ring = shapes.box(0.4, 3), shapes.torus(0.5, 0.15, 16, 8)
floor = ColliderSpec("floor", shapes.FLOOR, shapes.FLOOR_TRIANGLES)
crates = [VoxelBodySpec(f"crate {i}", crate[0] + (0.1 * i, 0, 0.5 + 0.45 * i), crate[1]) for i in range(4)]
rigid_ring = VoxelBodySpec("ring", ring[0] + (2, 0, 0.5), ring[1], voxel_size=0.05, fill="SHELL", inside="WINDING")
open_box = VoxelBodySpec("open", crate[0] + (0, 3, 1), crate[1][2:], fill="SURFACE", velocity=(1, 0, 0))
soft = SpringGraphSpec("soft", ring[0] + (0.2, 0, 3), ring[1], pressure=300.0)
hand = Grab("crate 3", np.array([0]), np.ones(1), np.array([0.5, 0.0, 2.5]), 200.0, 1.0)
joints = [Joint("crate 0", "crate 1", (0, 0, 0.7), kind="BALL"), Joint("ring", "", (2, 0, 0.7), kind="FIXED")]
for spec in (
    WorldSpec(systems=(*crates, floor)),
    WorldSpec(systems=(*crates, rigid_ring, open_box, soft, floor, WaterSpec("sea", 0.1)), joints=joints, substeps=4),
):
    world = build_world(spec)
    for _ in range(8):
        step_frame(world, Controls(grab=hand))
    world.restore(world.snapshot())
print(json.dumps({"compiled": compiled}))
"""


@pytest.mark.slow
def test_rigid_bodies_need_no_other_kernels(
    live: dict[str, Any], kernels: Path, rigid_kernels: Path, tmp_path: Path
) -> None:
    script = tmp_path / "rigid_from_cache.py"
    script.write_text(RIGID_FROM_CACHE)
    copy_kernels(kernels, rigid_kernels)
    assert run(str(script), rigid_kernels, str(HERE.parent / "engine"))["compiled"] == []
    copy_kernels(rigid_kernels)
