"""Renders with Eevee: they are not empty, settings are restored, and each error gives one sentence."""

from __future__ import annotations

import ctypes
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon import render
from flotsam.addon.render import RenderError, render_film, render_still
from make_scene import cube, fresh_scene

SIZE, SAMPLES = (64, 36), 2


@pytest.fixture
def lit_cube() -> bpy.types.Scene:
    """A cube under a light in a grey world, with a camera."""
    scene = fresh_scene()
    cube(size=1.0, z=0.0)
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "SUN"))
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location.z = 4.0
    for thing in (lamp, camera):
        scene.collection.objects.link(thing)
    scene.camera = camera
    return scene


def settings(scene: bpy.types.Scene) -> dict[str, object]:
    """All plain settings that affect a render."""
    eevee = scene.eevee
    owners = (scene, scene.render, scene.render.image_settings, eevee, eevee.ray_tracing_options)
    # Blender itself sets the encoder's other numbers, which are zero until the first film.
    film = {name: getattr(scene.render.ffmpeg, name) for name in ("format", "codec", "constant_rate_factor")}
    return film | {
        f"{type(owner).__name__}.{prop.identifier}": getattr(owner, prop.identifier)
        for owner in owners
        for prop in owner.bl_rna.properties
        if prop.type in {"BOOLEAN", "INT", "FLOAT", "ENUM", "STRING"} and not prop.is_readonly
        and not getattr(prop, "is_array", False) and prop.identifier not in {"frame_current_final", "use_nodes"}
    }


def pixels(path: Path) -> np.ndarray:
    """Red, green and blue of a picture from 0 to 1, shape (height, width, 3)."""
    image = bpy.data.images.load(str(path))
    width, height = image.size
    flat = np.empty(width * height * 4, np.float32)
    image.pixels.foreach_get(flat)
    return flat.reshape(height, width, 4)[..., :3]


def test_a_still_shows_the_scene_and_leaves_its_settings(lit_cube: bpy.types.Scene, tmp_path: Path) -> None:
    before = settings(lit_cube)
    render_still(lit_cube, tmp_path / "cube.png", SIZE, SAMPLES)
    seen = pixels(tmp_path / "cube.png")
    assert seen.shape == (36, 64, 3)
    assert seen.max() > 0.2
    assert seen.std() > 0.05
    assert settings(lit_cube) == before


def test_a_film_leaves_the_settings(lit_cube: bpy.types.Scene, tmp_path: Path) -> None:
    before, counted = settings(lit_cube), []
    render_film(lit_cube, tmp_path / "cube.mp4", SIZE, SAMPLES, range(1, 6, 2), counted.append)
    assert counted == [1, 2, 3]
    assert (tmp_path / "cube.mp4").read_bytes()[4:8] == b"ftyp"
    assert settings(lit_cube) == before


def test_a_path_that_cannot_be_written(lit_cube: bpy.types.Scene, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    before = settings(lit_cube)
    with pytest.raises(RenderError, match=r"picture\.png"):
        render_still(lit_cube, tmp_path / "file" / "picture.png", SIZE, SAMPLES)
    assert settings(lit_cube) == before


def test_a_missing_gl_library_names_the_packages(
    lit_cube: bpy.types.Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(library: str) -> None:
        raise OSError(f"{library}: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", missing)
    monkeypatch.setattr(render.sys, "platform", "linux")
    with pytest.raises(RenderError, match=r"without libEGL\.so\.1; install the packages libegl1") as caught:
        render_still(lit_cube, tmp_path / "cube.png", SIZE, SAMPLES)
    assert "\n" not in str(caught.value)
