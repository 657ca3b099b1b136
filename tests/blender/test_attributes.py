"""Attributes stress and velocity: correct values, readable without the add-on, handled like the frames."""

from __future__ import annotations

import shutil
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.errors import BakeError
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.paths import cache_folder
from flotsam.addon.write.attributes import attributes_file, carrier_of
from flotsam.engine import cache
from make_scene import fresh_scene, pin, ring, sheet, soft
from make_stress import in_bare_blender, plate

_VALUES = """
obj = bpy.data.objects["{name}"]
result = []
for frame in {frames}:
    bpy.context.scene.frame_set(frame)
    result.append([told(obj, "velocity"), told(obj, "stress")])
"""


def values(obj: bpy.types.Object, name: str, frame: int) -> np.ndarray | None:
    """An attribute as Blender evaluates it at a frame."""
    bpy.context.scene.frame_set(frame)
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    attribute = mesh.attributes.get(name)
    if attribute is None:
        return None
    assert attribute.domain == "POINT"
    vector = attribute.data_type == "FLOAT_VECTOR"
    flat = np.empty(len(attribute.data) * (3 if vector else 1), np.float32)
    attribute.data.foreach_get("vector" if vector else "value", flat)
    return flat.reshape(-1, 3) if vector else flat


def only_this(obj: bpy.types.Object) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj


def test_a_falling_ring_and_squeezed_plates_tell_what_they_must(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 8))
    falling, squeezed, pulled = soft(ring(z=1.0)), plate("Squeezed", 3.0, 0.8), plate("Pulled", -3.0, 1.25)
    bake_blocking(scene)
    for frame in (1, 2, 8):
        speed = values(falling, "velocity", frame)
        # Single precision rounds positions at 1 m by 6e-8; over one of 64 inner steps of a substep that is 4.6e-4 m/s.
        assert np.abs(speed - [0.0, 0.0, -9.81 * (frame - 1) / 24.0]).max() < 3e-4
    assert values(squeezed, "stress", 5) == pytest.approx(-0.2, abs=1e-4)
    assert values(squeezed, "stress", 3) == pytest.approx(-0.1, abs=1e-4)
    assert values(pulled, "stress", 5) == pytest.approx(0.25, abs=1e-4)
    assert values(squeezed, "stress", 1) == pytest.approx(0.0, abs=1e-5)


def test_velocity_lies_along_the_axes_of_the_object(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 4))
    obj = soft(ring(z=1.0), velocity=(3.0, 0.0, 0.0))
    obj.rotation_euler, obj.scale = (0.0, 0.0, np.pi / 2.0), (2.0, 2.0, 2.0)
    scene.gravity = (0.0, 0.0, 0.0)
    bake_blocking(scene)
    for frame in (1, 4):
        assert values(obj, "velocity", frame) == pytest.approx(np.tile((0.0, -1.5, 0.0), (128, 1)), abs=1e-3)


def test_a_pose_that_was_kept_has_its_stress_from_the_first_frame_on(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 3))
    obj = soft(sheet())
    pin(obj, range(36))
    rest = np.array([tuple(vertex.co) for vertex in obj.data.vertices], dtype=np.float32)
    obj.data.attributes.new("flotsam_rest", "FLOAT_VECTOR", "POINT").data.foreach_set("vector", 2.0 * rest.ravel())
    bake_blocking(scene)
    assert values(obj, "stress", 1) == pytest.approx(-0.5, abs=1e-5)


@pytest.mark.parametrize("chosen", [{"STRESS"}, {"VELOCITY"}, set()])
def test_each_can_be_left_out(tmp_path: Path, chosen: set[str]) -> None:
    scene = fresh_scene(tmp_path, (1, 5))
    obj = plate("Plate", 0.0, 1.25)
    bake_blocking(scene)
    full_size = attributes_file(obj).stat().st_size
    scene.flotsam.attributes = chosen
    bake_blocking(scene)
    stress, speed = values(obj, "stress", 5), values(obj, "velocity", 5)
    assert (stress is not None, speed is not None) == ("STRESS" in chosen, "VELOCITY" in chosen)
    if chosen:
        assert attributes_file(obj).stat().st_size < full_size
        assert stress is None or stress == pytest.approx(0.25, abs=1e-4)
    else:
        assert [modifier.name for modifier in obj.modifiers] == ["Flotsam"]
        assert not list(cache_folder(scene).glob("*.attributes"))
        assert [found.name for found in bpy.data.objects] == ["Plate"], "the object that carried the attributes is gone"


def test_they_play_without_the_add_on_where_file_and_cache_were_moved_to(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    scene = fresh_scene(here, (1, 5))
    obj = plate("Plate", 0.0, 0.8)
    bake_blocking(scene)
    expected = [[values(obj, name, frame).tolist() for name in ("velocity", "stress")] for frame in (1, 3, 5)]
    bpy.ops.wm.save_mainfile()
    shutil.move(here, there)
    seen = in_bare_blender(there / "scene.blend", _VALUES.format(name="Plate", frames=(1, 3, 5)))
    assert seen == expected
    assert np.mean(seen[2][1]) == pytest.approx(-0.2, abs=1e-4)


def test_modifiers_after_flotsam_get_them_and_another_mesh_is_left_alone(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 5))
    obj = plate("Plate", 0.0, 0.8)
    obj.modifiers.new("Smooth", "SUBSURF").levels = 1
    bake_blocking(scene)
    assert [modifier.name for modifier in obj.modifiers] == ["Flotsam", "Flotsam Attributes", "Smooth"]
    stress = values(obj, "stress", 5)
    assert len(stress) == 81 and stress == pytest.approx(-0.2, abs=1e-4)
    only_this(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert values(obj, "stress", 5) is None, "attributes baked for other vertices are not shown on these"


def test_a_copy_has_its_own_once_it_is_baked_and_clearing_it_keeps_those_of_the_original(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 5))
    obj = plate("Plate", 0.0, 0.8)
    bake_blocking(scene)
    only_this(obj)
    bpy.ops.object.duplicate()
    twin = bpy.context.object
    bpy.context.view_layer.update()
    assert carrier_of(twin) is None, "a copy is not baked"
    assert values(obj, "stress", 5) == pytest.approx(-0.2, abs=1e-4)
    bake_blocking(scene, objects=[twin])
    assert carrier_of(twin) != carrier_of(obj) and attributes_file(twin) != attributes_file(obj)
    assert values(twin, "stress", 5) == pytest.approx(-0.2, abs=1e-4)
    only_this(twin)
    bpy.ops.flotsam.clear_cache()
    assert values(obj, "stress", 5) == pytest.approx(-0.2, abs=1e-4)
    only_this(obj)
    bpy.ops.flotsam.clear_cache()
    assert not list(cache_folder(scene).iterdir())
    assert not [found.name for found in bpy.data.objects if "Attributes" in found.name]


def test_a_renamed_object_keeps_them_and_a_deleted_one_takes_them_along(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 5))
    obj = plate("Plate", 0.0, 0.8)
    bake_blocking(scene)
    obj.name = "Renamed"
    assert values(obj, "stress", 5) == pytest.approx(-0.2, abs=1e-4)
    bake_blocking(scene)
    assert attributes_file(obj).name == "Renamed.attributes"
    only_this(obj)
    bpy.ops.object.delete()
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    assert not bpy.data.objects


def test_resume_goes_on_with_them_and_not_with_others(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 10))
    obj = soft(ring(z=1.0))
    bake_blocking(scene)
    uninterrupted = attributes_file(obj).read_bytes()
    bake_blocking(scene, frame_end=6)
    with attributes_file(obj).open("ab") as file:
        file.write(b"cut off in the middle")
    scene.flotsam.attributes = {"STRESS"}
    with pytest.raises(BakeError, match="have other Attributes"):
        bake_blocking(scene, resume=True)
    scene.flotsam.attributes = {"STRESS", "VELOCITY"}
    bake_blocking(scene, resume=True)
    assert attributes_file(obj).read_bytes() == uninterrupted
    attributes_file(obj).unlink()
    with pytest.raises(BakeError, match=r"missing from .*Ring\.pc2"):
        bake_blocking(scene, frame_end=12, resume=True)


def test_a_bake_of_the_time_before_goes_on_without_them(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 4))
    soft(ring(z=1.0))
    scene.flotsam.attributes = set()
    bake_blocking(scene)
    index = cache_folder(scene) / cache.INDEX_NAME
    text = index.read_text()
    assert '"attributes": []' in text
    index.write_text(text.replace(',\n   "attributes": []', ""))
    assert bake_blocking(scene, frame_end=6, resume=True).progress.done == 6


def test_shape_keys_take_them_into_the_file(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 5))
    obj = plate("Plate", 0.0, 0.8)
    bake_blocking(scene)
    only_this(obj)
    assert bpy.ops.flotsam.bake_to_shape_keys() == {"FINISHED"}
    shutil.rmtree(cache_folder(scene))
    bpy.ops.wm.save_mainfile()
    seen = in_bare_blender(tmp_path / "scene.blend", _VALUES.format(name="Plate", frames=(1, 3, 5)))
    assert [np.mean(stress) for _speed, stress in seen] == pytest.approx([0.0, -0.1, -0.2], abs=1e-4)


def test_removing_flotsam_leaves_nothing_of_them(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 3))
    obj = soft(ring())
    bake_blocking(scene)
    only_this(obj)
    bpy.ops.flotsam.remove()
    assert not obj.modifiers and not bpy.data.node_groups
    assert [found.name for found in bpy.data.objects] == ["Ring"]
