"""Kernels that a solver calls before they are compiled, and which kernels are compiled at all."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapes
from flotsam.engine import (
    AirSpec,
    ColliderSpec,
    FlockSpec,
    SpringGraphSpec,
    VoxelBodySpec,
    WaterSpec,
    WorldSpec,
    kernels_of,
    kernels_to_begin,
)
from flotsam.engine.build.alone import ALONE
from flotsam.engine.build.build import build
from flotsam.engine.build.small_worlds import run_small_worlds
from flotsam.engine.compiler import kernel_cache
from flotsam.engine.compiler import kernels as jit
from flotsam.engine.compiler.missing import compile_missing, seconds_waited, when_missing
from flotsam.engine.compiler.precompile.trace_signatures import trace
from flotsam.engine.spec import params_of
from flotsam.engine.step.advance import step
from flotsam.engine.world.controls import Controls
from numba.core.caching import NullCache

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(jit.PLAIN, reason="plain kernels compile on their first call")


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    when_missing(None)


@jit.kernel
def _doubled(x):
    return 2 * x


def test_whoever_meets_a_missing_kernel_asks_for_it_until_there_is_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the kernel compiles in this process; a compiled kernel calls nothing."""
    monkeypatch.setattr(_doubled, "disk", NullCache())
    calls: list[int] = []
    when_missing(lambda: bool(calls.append(1)) or len(calls) < 3)
    waited = seconds_waited()
    assert _doubled(4) == 8 and len(calls) == 3 and seconds_waited() > waited
    when_missing(lambda: pytest.fail("the kernel is there"))
    assert _doubled(8) == 16


def test_each_part_is_asked_for_once_and_not_from_within() -> None:
    """`compile_missing` calls the set function, until that returns False; within that function it does nothing."""
    calls: list[str] = []

    def more() -> bool:
        assert not compile_missing(), "a kernel that is called meanwhile compiles here"
        calls.append("more")
        return len(calls) < 2

    when_missing(more)
    assert [compile_missing() for _ in range(4)] == [True, True, False, False]
    assert calls == ["more", "more"]


def test_another_thread_does_not_wait() -> None:
    when_missing(lambda: pytest.fail("asked from another thread"))
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(compile_missing()))
    thread.start()
    thread.join()
    assert found == [False]


def test_what_ends_the_wait_reaches_whoever_called_the_kernel() -> None:
    def stop() -> bool:
        raise KeyboardInterrupt

    when_missing(stop)
    with pytest.raises(KeyboardInterrupt):
        compile_missing()
    assert not compile_missing()


def _sets(*systems: object, **settings: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return kernels_to_begin(WorldSpec(systems=systems, **settings))


def test_a_world_begins_with_the_kernels_of_what_it_has() -> None:
    ring = SpringGraphSpec("ring", *shapes.torus(0.5, 0.15, 8, 4))
    crate = VoxelBodySpec("crate", *shapes.box(0.4, 3))
    floor, sea = ColliderSpec("floor", shapes.FLOOR, shapes.FLOOR_TRIANGLES), WaterSpec("sea", 0.1)
    assert _sets(ring, floor) == (("SOFT_ALONE",), ()) and _sets(ring, sea) == (("SOFT_IN_WATER",), ())
    assert _sets(crate, floor) == (("RIGID_ALONE",), ()) and _sets(crate, sea) == (("RIGID_IN_WATER",), ())
    assert _sets(ring, crate) == (("BOTH_ALONE",), ()) and _sets(ring, crate, sea) == (("BOTH_IN_WATER",), ())
    # A crate that starts above the floor needs fewer kernels at first.
    raised = dataclasses.replace(crate, pose=np.array([[1, 0, 0, 0], [0, 1, 0, 3], [0, 0, 1, 1], [0, 0, 0, 1.0]]))
    assert _sets(ring, raised, floor) == (("APART_ALONE",), ("BOTH_ALONE",))
    assert _sets(ring, raised, sea) == (("APART_IN_WATER",), ("BOTH_IN_WATER",))
    assert _sets(ring, raised, dataclasses.replace(raised, name="beside"), floor) == (("BOTH_ALONE",), ())
    # `kernels_of` lists more where there is water. Kernels of a body's material are needed at once.
    assert kernels_of(WorldSpec((ring, sea))) == ("XPBD", "SOFT_IN_WATER")
    clay, jelly = dataclasses.replace(ring, yield_strain=0.1), dataclasses.replace(ring, graph="LATTICE")
    assert kernels_of(WorldSpec((clay,))) == ("XPBD", "BREAKING")
    rough = dataclasses.replace(ring, contact="PROXIES")
    assert kernels_of(WorldSpec((rough,))) == ("XPBD", "SPHERES")
    assert _sets(dataclasses.replace(clay, struts=1), floor) == (("SOFT_ALONE", "STRUTS", "BREAKING"), ())
    assert _sets(jelly, ring, floor) == (("LATTICES",), ())
    assert _sets(jelly, raised, floor) == (("APART_ALONE", "LATTICES"), ("BOTH_ALONE",))
    assert _sets(ring, AirSpec("air", wind=(1.0, 0.0, 0.0))) == (("SOFT_ALONE", "FIELDS"), ())
    assert _sets(ring, integrator="SYMPLECTIC") == (("SYMPLECTIC",), ())
    assert _sets(FlockSpec("birds", [[0.0, 0.0, 1.0]]), floor) == (("FLOCKS",), ())
    hollow = dataclasses.replace(crate, fill="SURFACE")
    assert _sets(hollow, floor) == (("RIGID_ALONE_OPEN",), ()) and _sets(ring, hollow) == (("BOTH_ALONE_OPEN",), ())
    assert _sets(dataclasses.replace(crate, triangles=np.asarray(crate.triangles)[1:])) == (("RIGID_ALONE_OPEN",), ())


@cache
def _kernels_in(name: str) -> dict[Any, set[tuple[Any, ...]]]:
    """Kernels of a set, with the types of their arguments."""
    return {kernel: set(types) for kernel, types in trace(name, run_small_worlds).items()}


# Traced kernels run as plain Python, without the vector code, so springs have no finite numbers.
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("file", sorted((ROOT / "presets" / "materials").glob("*.toml")), ids=lambda file: file.stem)
def test_a_body_of_any_material_begins_without_a_wait(file: Path) -> None:
    """The first two frames above a floor call no kernel that is not in the sets to begin with.

    A body with struts, like the Rubber Ring, called their kernels while it was built, and waited for all of the solver.
    """
    preset = tomllib.loads(file.read_text(encoding="utf-8"))
    kind = VoxelBodySpec if preset.get("kind") == VoxelBodySpec.kind else SpringGraphSpec
    values = {name: value for name, value in preset["values"].items() if name in params_of(kind)}
    box = shapes.box(0.4, 3)
    body = kind("body", box[0] + (0.0, 0.0, 1.0), box[1], **values | {"voxel_size": 0.2})
    spec = WorldSpec(systems=(body, ColliderSpec("floor", shapes.FLOOR, shapes.FLOOR_TRIANGLES)), substeps=2)

    def run(_name: str) -> None:
        world = build(spec)
        for _frame in range(2):
            step(world, Controls())

    met = trace("", run)
    first = [_kernels_in(name) for name in kernels_to_begin(spec)[0]]
    there = {kernel: set().union(*(one.get(kernel, ()) for one in first)) for kernel in met}
    assert len(met) > 20 and {kernel.__name__ for kernel in met if not there[kernel].issuperset(met[kernel])} == set()


def test_a_part_is_complete_with_the_sets_around_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLOTSAM_KERNEL_CACHE", str(tmp_path))
    assert kernel_cache.can_keep() and not kernel_cache.is_complete("SOFT_ALONE")
    kernel_cache.mark_complete("XPBD")
    assert kernel_cache.is_complete("SOFT_ALONE") and not kernel_cache.is_complete("SOFT_IN_WATER")
    kernel_cache.mark_complete("RIGID")
    assert kernel_cache.is_complete("RIGID_ALONE") and not kernel_cache.is_complete("BOTH_IN_WATER")
    kernel_cache.mark_complete("SOFT_IN_WATER")
    assert all(map(kernel_cache.is_complete, ALONE))


LISTED = """
from flotsam.engine.compiler.precompile.compile_share import to_compile
from flotsam.engine.build.small_worlds import run_small_worlds
every = to_compile(["SOFT_ALONE", "XPBD", "RIGID_ALONE", "RIGID"], run_small_worlds)
alone, apart = (to_compile([name], run_small_worlds) for name in ("SOFT_ALONE", "APART_ALONE"))
for calls in every, alone, apart:
    print(*(kernel.__name__ for kernel, _types in calls))
"""


def test_no_kernel_is_compiled_that_only_other_kernels_call(tmp_path: Path) -> None:
    """In a process of its own, which imports the list before the kernels, as the compile processes do."""
    env = {**os.environ, "FLOTSAM_KERNEL_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", LISTED], env=env, capture_output=True, text=True)
    every, alone, apart = (line.split() for line in done.stdout.splitlines())
    assert {"find_face_contacts", "solve_islands", "find_touching"} <= set(every)
    assert not {"_touch_faces_of", "touch_faces", "touch_hulls", "find_axis", "push_around", "bent"} & set(every)
    assert len(every) < 160
    contact = {"find_face_contacts", "find_edge_contacts", "solve_contacts"}
    assert all("solve_islands" in begins and not contact & set(begins) for begins in (alone, apart))
