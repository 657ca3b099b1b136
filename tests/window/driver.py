"""Simulates mouse and keyboard, and runs the steps, inside a Blender with a window.

Steps are generators: they yield the time [s] for which Blender runs before they continue.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import traceback
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import bpy
from bpy_extras import view3d_utils

OUT = Path(os.environ["FLOTSAM_WINDOW_OUT"])
Steps = Generator[float, None, None]
# Longest time that a step may wait for a condition [s].
PATIENCE = 60.0
_SOON = 0.05
# How long the finished steps took, by name [s].
taken: dict[str, float] = {}


def window() -> bpy.types.Window:
    """The main window, the first one."""
    return bpy.context.window_manager.windows[0]


def area(kind: str = "VIEW_3D") -> bpy.types.Area:
    """The first editor of a type."""
    return next(found for found in window().screen.areas if found.type == kind)


def region(kind: str = "WINDOW", editor: str = "VIEW_3D") -> bpy.types.Region:
    """A region of an editor."""
    return next(found for found in area(editor).regions if found.type == kind)


def in_view() -> Any:
    """Context override for operators that need the 3D view."""
    return bpy.context.temp_override(window=window(), area=area(), region=region())


def screenshot(name: str) -> None:
    """A screenshot of the whole window, in out/window."""
    subprocess.run(["import", "-window", "root", str(OUT / f"{name}.png")], check=True)


def event(kind: str, value: str, at: tuple[float, float], **options: bool) -> None:
    """One event of mouse or keyboard, at a position in the window."""
    window().event_simulate(type=kind, value=value, x=int(at[0]), y=int(at[1]), **options)


def key(kind: str, at: tuple[float, float], **options: Any) -> Steps:
    """Press and release a key."""
    event(kind, "PRESS", at, **options)
    yield _SOON
    event(kind, "RELEASE", at)
    yield _SOON


def write(text: str, at: tuple[float, float], keys: Mapping[str, str] | None = None) -> Steps:
    """Type letters and spaces; `keys`: Blender's names of other keys."""
    for letter in text:
        kind = "SPACE" if letter == " " else (keys or {}).get(letter, letter.upper())
        event(kind, "PRESS", at, unicode=letter)
        event(kind, "RELEASE", at)
        yield _SOON


def middle() -> tuple[float, float]:
    """Centre of the 3D view."""
    found = region()
    return found.x + found.width / 2, found.y + found.height / 2


def place_of(point: Any, view: bpy.types.Region | None = None) -> tuple[float, float]:
    """Position of a world point in the window, in the given view or the first one."""
    found = view or region()
    x, y = view3d_utils.location_3d_to_region_2d(found, found.data, point)
    return found.x + x, found.y + y


def until(condition: Callable[[], bool], why: str, seconds: float = PATIENCE) -> Steps:
    """Wait for a condition; fails after some time with the reason why it was expected."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds:.0f} s in vain: {why}")
        yield _SOON


def run(steps: list[Callable[[], Steps]]) -> None:
    """Run the steps from a timer, add a line of JSON for each to report.jsonl, and kill this Blender."""
    report = (OUT / "report.jsonl").open("a", buffering=1, encoding="utf-8")
    walk = _walk(steps, report)

    def tick() -> float | None:
        try:
            return max(next(walk), 0.001)
        except StopIteration:
            report.close()
            os.kill(os.getpid(), signal.SIGKILL)
            return None

    bpy.app.timers.register(tick, first_interval=1.0, persistent=True)


def _walk(steps: list[Callable[[], Steps]], report: Any) -> Steps:
    for step in steps:
        began, error = time.monotonic(), ""
        try:
            yield from step()
        except Exception:  # noqa: BLE001 - it goes into the report, and the next step may still pass
            error = traceback.format_exc()
            screenshot(f"failed_{step.__name__}")
        seconds = round(time.monotonic() - began, 2)
        taken[step.__name__] = seconds
        print(json.dumps({"step": step.__name__, "seconds": seconds, "error": error}), file=report)
        yield _SOON
