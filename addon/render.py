"""Renders pictures and films with Eevee for the demo; the scene's own render settings are restored."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

_GL_LIBRARIES = ("libEGL.so.1", "libGL.so.1")


class RenderError(Exception):
    """Eevee cannot render here; one sentence."""


def refuse_without_gl() -> None:
    """Check for OpenGL first, because Blender ends the whole process without it.

    Raises:
        RenderError: a system library is missing; it names what to install.
    """
    if not sys.platform.startswith("linux"):
        return
    for library in _GL_LIBRARIES:
        try:
            ctypes.CDLL(library)
        except OSError as error:
            raise RenderError(
                f"Eevee cannot draw without {library}; install the packages libegl1 libgl1 libgl1-mesa-dri "
                "(their names in Debian and Ubuntu)."
            ) from error


def render_still(scene: bpy.types.Scene, path: Path, size: tuple[int, int], samples: int) -> None:
    """Render the scene's current frame as a PNG.

    Raises:
        RenderError: Eevee cannot draw here, or the file cannot be written.
    """
    with _settings(scene, path, size, samples):
        if bpy.app.version >= (5, 0, 0):
            scene.render.image_settings.media_type = "IMAGE"
        scene.render.image_settings.file_format = "PNG"
        _render(scene, path, write_still=True)


def render_film(
    scene: bpy.types.Scene,
    path: Path,
    size: tuple[int, int],
    samples: int,
    frames: range,
    on_frame: Callable[[int], None] = lambda done: None,
) -> None:
    """Render frames of the scene as an H.264 film that plays in real time.

    Args:
        frames: range to render; a step of two renders every second one at half the rate.
        on_frame: called with the number of finished frames.

    Raises:
        RenderError: Eevee cannot draw here, or the file cannot be written.
    """
    done = 0

    def count(*_: Any) -> None:
        nonlocal done
        done += 1
        on_frame(done)

    with _settings(scene, path, size, samples):
        _hurry(scene)
        _choose_film(scene, frames)
        bpy.app.handlers.render_write.append(count)
        try:
            _render(scene, path, animation=True)
        finally:
            bpy.app.handlers.render_write.remove(count)


def _hurry(scene: bpy.types.Scene) -> None:
    """Halve the time of a frame without a GPU, where vertices and shadow map pages cost more than pixels."""
    scene.render.use_simplify, scene.render.simplify_subdivision_render = True, 1
    scene.eevee.shadow_resolution_scale = 0.3
    scene.eevee.shadow_step_count = 3
    scene.eevee.shadow_pool_size = "64"
    # Two samples leave noise in ray-traced reflections, so only water gets them: 0 limits them to roughness 0.2.
    scene.eevee.ray_tracing_options.trace_max_roughness = 0.0
    scene.eevee.clamp_surface_indirect = 0.5


def _choose_film(scene: bpy.types.Scene, frames: range) -> None:
    render = scene.render
    scene.frame_start, scene.frame_end, scene.frame_step = frames[0], frames[-1], frames.step
    render.fps_base *= frames.step
    if bpy.app.version >= (5, 0, 0):
        render.image_settings.media_type = "VIDEO"
    render.image_settings.file_format = "FFMPEG"
    render.ffmpeg.format = "MPEG4"
    render.ffmpeg.codec = "H264"
    render.ffmpeg.constant_rate_factor = "HIGH"


def _render(scene: bpy.types.Scene, path: Path, **options: bool) -> None:
    refuse_without_gl()
    try:
        bpy.ops.render.render(scene=scene.name, **options)
    except RuntimeError as error:
        message = str(error).strip().removeprefix("Error: ")
        raise RenderError(f"{path} could not be rendered; Blender says: {message}") from error
    if not path.is_file():
        raise RenderError(f"Blender rendered nothing to {path}; its log has the reason.")


def _delete_old(path: Path) -> None:
    """Delete an older picture, so that the file is certainly new afterwards."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise RenderError(f"{path} cannot be written, choose another folder: {error.strerror}.") from error


@contextmanager
def _settings(
    scene: bpy.types.Scene, path: Path, size: tuple[int, int], samples: int
) -> Generator[None, None, None]:
    """Context with Eevee, size, samples and file settings."""
    render = scene.render
    image = render.image_settings
    saved = [
        (owner, name, getattr(owner, name))
        for owner, names in (
            (scene, ("frame_start", "frame_end", "frame_step")),
            (image, ("media_type",) if bpy.app.version >= (5, 0, 0) else ()),
            # Setting the format may change the colour mode, so restore that afterwards.
            (image, ("file_format", "color_mode", "color_depth")),
            (render.ffmpeg, ("format", "codec", "constant_rate_factor")),
            (render, ("engine", "filepath", "resolution_x", "resolution_y", "resolution_percentage", "fps_base",
                      "use_simplify", "simplify_subdivision_render")),
            (scene.eevee, ("taa_render_samples", "shadow_resolution_scale", "shadow_step_count", "shadow_pool_size",
                           "clamp_surface_indirect")),
            (scene.eevee.ray_tracing_options, ("trace_max_roughness",)),
        )
        for name in names
    ]
    render.engine = "BLENDER_EEVEE" if bpy.app.version >= (5, 0, 0) else "BLENDER_EEVEE_NEXT"
    render.filepath = str(path.resolve())
    render.resolution_x, render.resolution_y, render.resolution_percentage = *size, 100
    scene.eevee.taa_render_samples = samples
    try:
        _delete_old(path)
        yield
    finally:
        for owner, name, value in saved:
            setattr(owner, name, value)
