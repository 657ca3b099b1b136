"""The ready-made stress display: compression red, tension blue, rest grey, rendered without the add-on."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.scenes.looks import stress
from make_scene import fresh_scene, ring, soft
from make_stress import in_bare_blender, plate

# An orthographic camera above three plates of a metre, three metres wide; samples the middle of each plate.
_RENDER = """
scene = bpy.context.scene
scene.frame_set(5)
scene.render.resolution_x, scene.render.resolution_y = 192, 64
names = [item.identifier for item in bpy.types.RenderSettings.bl_rna.properties["engine"].enum_items]
scene.render.engine = "BLENDER_EEVEE_NEXT" if bpy.app.version < (5, 0) else "BLENDER_EEVEE"
scene.eevee.taa_render_samples = 4
scene.view_settings.view_transform = "Standard"
scene.render.filepath = PICTURE
bpy.ops.render.render(write_still=True)
image = bpy.data.images.load(PICTURE)
pixels = np.array(image.pixels[:]).reshape(64, 192, 4)
result = [pixels[28:36, middle - 4 : middle + 4, :3].mean(axis=(0, 1)).tolist() for middle in (32, 96, 160)]
"""


def only_these(*objects: bpy.types.Object) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = objects[0]


def seen_on(obj: bpy.types.Object) -> set[str]:
    """Materials of the visible faces."""
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return {mesh.materials[face.material_index].name for face in mesh.polygons}


def test_a_render_without_the_add_on_shows_red_grey_and_blue(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 5))
    plates = [plate("Pressed", -1.0, 0.8), plate("Still", 0.0, 1.0), plate("Pulled", 1.0, 1.25)]
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.type, camera.data.ortho_scale, camera.location.z = "ORTHO", 3.0, 5.0
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy = 2.0
    for thing in (camera, sun):
        scene.collection.objects.link(thing)
    scene.camera = camera
    bake_blocking(scene)
    only_these(*plates)
    assert bpy.ops.flotsam.show_stress(full_stretch=0.2) == {"FINISHED"}
    bpy.ops.wm.save_mainfile()
    picture = tmp_path / "stress.png"
    pressed, still, pulled = in_bare_blender(
        tmp_path / "scene.blend", _RENDER.replace("PICTURE", repr(str(picture)))
    )
    assert pressed[0] > 0.6 and pressed[0] > 2.0 * max(pressed[1:]), pressed
    assert pulled[2] > 0.6 and pulled[2] > 1.5 * max(pulled[:2]), pulled
    assert np.ptp(still) < 0.05 and min(still) > 0.4, still


def test_the_own_materials_come_back(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 5))
    obj, ball = plate("Plate", 0.0, 0.8), soft(ring(z=3.0))
    rubber = bpy.data.materials.new("Rubber")
    obj.data.materials.append(rubber)
    only_these(obj, ball)
    assert not bpy.ops.flotsam.show_stress.poll(), "nothing is baked"
    bake_blocking(scene)
    assert bpy.ops.flotsam.show_stress() == {"FINISHED"}
    shown = bpy.data.materials[stress.NAME]
    full = shown.node_tree.nodes[stress.FULL].outputs[0]
    assert full.default_value == pytest.approx(0.2), "a round number for what is baked"
    assert seen_on(obj) == {stress.NAME}
    assert list(obj.data.materials) == [rubber]
    bpy.ops.flotsam.show_stress(full_stretch=0.03)
    assert len([found for found in bpy.data.materials if found.name.startswith(stress.NAME)]) == 1
    assert full.default_value == pytest.approx(0.03)
    bpy.ops.flotsam.show_stress(show=False)
    assert [modifier.name for modifier in obj.modifiers] == ["Flotsam", "Flotsam Attributes"]
    assert seen_on(obj) == {"Rubber"}
