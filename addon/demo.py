"""The demo: a scene preset in an empty file, baked, saved, rendered."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from .bake.job import BakeJob
from .bake.state import Phase
from .render import refuse_without_gl, render_film, render_still
from .scenes import build_scene, scene_plan
from .write.instance_nodes import show_flocks
from .write.surface_nodes import wrap_fluids

if TYPE_CHECKING:
    from .scenes.plan import Timing

STILL_SIZE, STILL_SAMPLES = (960, 540), 24
FILM_SIZE, FILM_SAMPLES = (480, 270), 2

# Called with a part, frames done, total frames, and a sentence about a long operation.
ProgressCallback = Callable[[str, int, int, str], None]


@dataclass
class DemoReport:
    """Results of a demo, and the time of each part [s]."""

    files: list[Path] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timed(self, part: str) -> Generator[None, None, None]:
        """Measure the time of a part."""
        start = time.perf_counter()
        yield
        self.seconds[part] = time.perf_counter() - start


def run_demo(
    preset: str, frames: int | None, out: Path, still_only: bool, size: tuple[int, int] | None,
    progress: ProgressCallback,
) -> DemoReport:
    """Write PRESET.blend, PRESET.png and PRESET.mp4 to `out`; replaces the file open in Blender.

    Args:
        preset: name of a scene preset.
        frames: number of frames to bake and show; None for all of the preset's.
        out: an existing folder.
        still_only: no film.
        size: pixels of picture and film; None for sizes that a slow machine renders in time.
        progress: called with the progress of each part.

    Raises:
        SceneError, CaptureError, EngineError, BakeError, RenderError: one sentence each.
    """
    timing = scene_plan(preset).timing
    refuse_without_gl()
    report = DemoReport()
    end = timing.end if frames is None else min(timing.end, timing.start + frames - 1)
    blend = out / f"{preset}.blend"
    with report.timed("Scene"):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        scene = bpy.context.scene
        made = build_scene(preset, scene)
        wrap_fluids(made)
        show_flocks(made)
        scene.frame_end = scene.flotsam.frame_end = end
        _save(blend)
    _bake(scene, report, progress)
    scene.frame_set(min(timing.still, end))
    _save(blend)
    # Remove Blender's backup, which is the file before the bake.
    blend.with_suffix(".blend1").unlink(missing_ok=True)
    report.files.append(blend)
    _draw(scene, timing, end, out / preset, None if still_only else size or FILM_SIZE, size or STILL_SIZE,
          report, progress)
    return report


def _bake(scene: bpy.types.Scene, report: DemoReport, progress: ProgressCallback) -> None:
    job = BakeJob(scene)
    started, ready = time.perf_counter(), None
    with closing(job.run()) as slices:
        for at in slices:
            if ready is None and job.phase is not Phase.PREPARING:
                ready = time.perf_counter()
            progress("Bake", at.done, at.total, "" if at.done else at.message)
    ended = time.perf_counter()
    report.seconds["Solver made ready"] = (ready or ended) - started
    report.seconds[f"Solve and bake, {job.total} frames"] = ended - (ready or ended)


def _draw(
    scene: bpy.types.Scene, timing: Timing, end: int, stem: Path, film_size: tuple[int, int] | None,
    still_size: tuple[int, int], report: DemoReport, progress: ProgressCallback,
) -> None:
    """Render the picture, then the film unless its size is None."""
    picture = stem.with_suffix(".png")
    progress("Picture", 0, 1, "")
    with report.timed("Picture, shaders compiled"):
        render_still(scene, picture, still_size, STILL_SAMPLES)
    progress("Picture", 1, 1, "")
    report.files.append(picture)
    if film_size is None:
        return
    film = stem.with_suffix(".mp4")
    first, last = timing.film
    shown = range(first, max(min(last, end), first) + 1, timing.film_step)
    with report.timed(f"Film, {len(shown)} frames"):
        render_film(
            scene, film, film_size, FILM_SAMPLES, shown,
            lambda done: progress("Film", done, len(shown), ""),
        )
    report.files.append(film)


def _save(blend: Path) -> None:
    """Save the file; raises OSError when it cannot be written."""
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(blend.resolve()))
    except RuntimeError as error:
        message = str(error).strip().removeprefix("Error: ")
        raise OSError(f"{blend} cannot be saved, choose another folder with --out; Blender says: {message}") from error
