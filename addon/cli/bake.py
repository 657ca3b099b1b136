"""`bake`: bakes every Flotsam body of a .blend, in all its scenes, and saves the file with the result."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from ..capture import capture_world
from ..capture.controls import depsgraph_of
from ..names import BODY_KINDS, SETTINGS
from ..properties.kinds import traits_of
from ..properties.scene import bake_range
from .errors import CommandError
from .screen import Screen

if TYPE_CHECKING:
    from ...engine.spec.traits import Traits
    from ..bake.job import BakeJob



def run(file: Path, output: Path | None, frames: tuple[int, int] | None, resume: bool, to: str) -> None:
    """Open `file`, bake, save it or `output`.

    Args:
        file: the .blend to read.
        output: the .blend to save, which then owns the cache; None for `file` itself.
        frames: first and last frame; None for each scene's own settings.
        resume: continue after the last finished frame.
        to: "cache"; "shape-keys" to store frames of soft bodies in their meshes; "keyframes" to turn the keyframes of
            rigid bodies, which play in any case, into the artist's own.

    Raises:
        CommandError, CaptureError, EngineError, OSError: one sentence.
    """
    screen = Screen()
    with tempfile.TemporaryDirectory(prefix="flotsam_") as folder, screen.chatter_to(Path(folder) / "blender.log"):
        open_blend(file)
        scenes = [scene for scene in bpy.data.scenes if bodies_of(scene)]
        if not scenes:
            raise CommandError(
                f"{file} has no Flotsam bodies; give a mesh some in Blender's Physics tab and save the file."
            )
        if output is not None and output.resolve() != file.resolve():
            _refuse_what_cannot_be_baked(scenes, frames)
            save_blend(output)
        try:
            for scene in scenes:
                bake_scene(scene, screen, frames, resume)
        except BaseException:
            # After an interrupt the finished frames play in the saved file, and --resume continues from them.
            save_blend(output or file)
            raise
        if to == "shape-keys":
            _to_shape_keys(scenes, screen)
        elif to == "keyframes":
            _to_keyframes(scenes, screen)
        save_blend(output or file)
        screen.say(f"Saved {output or file}.")


def bake_scene(
    scene: bpy.types.Scene, screen: Screen, frames: tuple[int, int] | None = None, resume: bool = False,
) -> BakeJob:
    """Bake one scene with progress on the screen; finished frames are kept however it ends."""
    from ..bake.job import BakeJob

    start, end = frames or (None, None)
    job = BakeJob(scene, frame_start=start, frame_end=end, resume=resume)
    with screen.progress(f"Baking {scene.name}", job.total) as bar, closing(job.run()) as slices:
        for progress in slices:
            bar.show(progress.done, "" if progress.done else progress.message)
    for warning in job.warnings:
        screen.say(f"Note: {warning}")
    return job


def bodies_of(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Objects of a scene for which a bake writes frames."""
    return [obj for obj in scene.objects if getattr(obj, SETTINGS).kind in BODY_KINDS]


def open_blend(file: Path) -> None:
    """Open a .blend; raises CommandError when it cannot be read."""
    if not file.is_file():
        raise CommandError(f"{file} does not exist; give the path of a .blend file.")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(file.resolve()), load_ui=False)
    except RuntimeError as error:
        raise CommandError(f"{file} cannot be opened as a .blend; Blender says: {_message_of(error)}") from error


def save_blend(file: Path) -> None:
    """Save a .blend; raises CommandError when it cannot be written."""
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(file.resolve()))
    except RuntimeError as error:
        raise CommandError(
            f"{file} cannot be saved, choose another place with --output; Blender says: {_message_of(error)}"
        ) from error


def _message_of(error: RuntimeError) -> str:
    return str(error).strip().removeprefix("Error: ")


def _refuse_what_cannot_be_baked(scenes: list[bpy.types.Scene], frames: tuple[int, int] | None) -> None:
    """Check before another file is overwritten."""
    for scene in scenes:
        before = scene.frame_current
        scene.frame_set(frames[0] if frames else bake_range(getattr(scene, SETTINGS))[0])
        capture_world(scene, depsgraph_of(scene), None)
        scene.frame_set(before)


def _to_shape_keys(scenes: list[bpy.types.Scene], screen: Screen) -> None:
    """Convert all soft bodies, or none."""
    from ..write import write_shape_keys

    for obj, _start, count in write_shape_keys(_all_of(scenes, lambda traits: traits.is_springy)):
        screen.say(f"{obj.name}: {count} shape keys.")


def _to_keyframes(scenes: list[bpy.types.Scene], screen: Screen) -> None:
    """Convert every baked rigid body that belongs to this file; soft bodies keep their cache."""
    from ..bake.connect import hand_over_keys
    from ..capture.keys import has_keys

    rigid = [obj for obj in _all_of(scenes, lambda traits: traits.is_rigid) if has_keys(obj) and obj.library is None]
    if not rigid:
        screen.say("Note: no rigid body was baked, so nothing became keyframes; soft bodies keep their cache.")
    for obj, _start, count in hand_over_keys(rigid):
        screen.say(f"{obj.name}: {count} keyframes.")


def _all_of(scenes: list[bpy.types.Scene], fits: Callable[[Traits], bool]) -> list[bpy.types.Object]:
    """The bodies whose traits match, each once."""
    bodies = dict.fromkeys(obj for scene in scenes for obj in bodies_of(scene))
    return [obj for obj in bodies if fits(traits_of(obj))]
