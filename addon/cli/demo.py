"""`demo`: builds, bakes and renders a scene preset; reports the files and the time of each part."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from ..demo import DemoReport, run_demo
from .interrupt import stop_soon
from .progress import Progress
from .screen import Screen

# Log of Blender's and its drivers' output, inside the folder of the demo.
LOG = "blender.log"


def run(preset: str, out: Path, frames: int | None, still_only: bool, size: tuple[int, int] | None) -> None:
    """Make the picture, film and .blend of a preset.

    Args:
        preset: name of a scene preset.
        out: folder for the results; created if missing.
        frames: number of frames to bake and render; None for all of the preset's.
        still_only: no film.
        size: width and height in pixels; None for the preset's.

    Raises:
        SceneError, CaptureError, EngineError, RenderError, OSError: one sentence.
    """
    screen = Screen()
    out.mkdir(parents=True, exist_ok=True)
    log = out / LOG
    log.unlink(missing_ok=True)
    with stop_soon("stopped by Ctrl-C; finished frames are kept."), screen.chatter_to(log), Parts(screen) as parts:
        report = run_demo(preset, frames, out, still_only, size, parts.show)
    _print_report(report, screen)


class Parts:
    """A progress bar for each part of the demo, one after another."""

    def __init__(self, screen: Screen) -> None:
        """Args: screen: where to show them."""
        self._screen = screen
        self._part = ""
        self._open = ExitStack()
        self._bar: Progress | None = None

    def __enter__(self) -> Parts:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def show(self, part: str, done: int, total: int, message: str = "") -> None:
        """Show `done` of `total` frames of a part; a new name starts a new bar."""
        if part != self._part:
            self._open.close()
            self._part = part
            self._bar = self._open.enter_context(self._screen.progress(part, total))
        self._bar.show(done, message)


def _print_report(report: DemoReport, screen: Screen) -> None:
    """Print the files, then a table of seconds."""
    screen.say()
    for file in report.files:
        screen.say(f"{file}  {file.stat().st_size / 1e6:.1f} MB")
    screen.say()
    width = max(map(len, report.seconds))
    for part, seconds in report.seconds.items():
        screen.say(f"{part:{width}}  {seconds:6.1f} s")
    screen.say(f"{'Total':{width}}  {sum(report.seconds.values()):6.1f} s")
