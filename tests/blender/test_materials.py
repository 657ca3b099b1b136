"""Materials adapt to mesh and size of an object, and cloth stretches like Blender's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.names import settings_field
from flotsam.addon.operators.fit_steps import fit_steps, needed_substeps
from flotsam.addon.panels.materials import FLOTSAM_MT_made_of
from flotsam.addon.presets import longest_side, material_presets
from flotsam.engine.spec import KINDS
from make_scene import cube, fresh_scene, mesh_object, pin, sheet, soft, world_positions
from recorded import Recorder

MESHES: dict[str, Callable[[float], object]] = {
    "uv_sphere": lambda size: bpy.ops.mesh.primitive_uv_sphere_add(radius=size / 2.0),
    "ico_sphere": lambda size: bpy.ops.mesh.primitive_ico_sphere_add(radius=size / 2.0),
    "cube": lambda size: bpy.ops.mesh.primitive_cube_add(size=size),
    "torus": lambda size: bpy.ops.mesh.primitive_torus_add(major_radius=0.373 * size, minor_radius=0.127 * size),
}
SOFT = list(material_presets("SPRING_GRAPH"))
SHEETS = {"cloth": "Cotton", "silk": "Silk", "denim": "Denim", "leather": "Leather", "rubber_sheet": "Rubber"}


def dropped(mesh: str, size: float, material: str, tmp_path: Path) -> np.ndarray:
    """Dimensions of a body after 1.5 s on the floor, relative to the start, (3,); it falls a tenth of its size."""
    scene = fresh_scene(tmp_path, (1, 37))
    scene.flotsam.property_unset("substeps")
    MESHES[mesh](size)
    body = bpy.context.object
    body.location.z = 0.6 * size
    bpy.context.view_layer.update()
    assert bpy.ops.flotsam.add(material=material) == {"FINISHED"}
    reach = 5.0 * size
    corners = [(-reach, -reach, 0), (reach, -reach, 0), (reach, reach, 0), (-reach, reach, 0)]
    mesh_object("Floor", corners, [(0, 1, 2, 3)]).flotsam.kind = "COLLIDER"
    bake_blocking(scene)
    before, after = (np.ptp(np.array(world_positions(body, frame)), axis=0) for frame in (1, 37))
    return after / before


@pytest.mark.parametrize("size", [0.025, 1.0, 10.0])
@pytest.mark.parametrize("mesh", MESHES)
def test_what_is_of_no_chosen_material_is_not_limp(mesh: str, size: float, tmp_path: Path) -> None:
    sides = dropped(mesh, size, "", tmp_path)
    assert ((sides > 0.85) & (sides < 1.1)).all(), sides


@pytest.mark.parametrize(("material", "size"), [("rubber_ring", 0.025), ("rubber_ring", 10.0), ("bouncy_castle", 10.0)])
def test_air_holds_a_ring_of_any_size(material: str, size: float, tmp_path: Path) -> None:
    """A ring of 25 mm and a castle of 10 m both keep their shape."""
    sides = dropped("torus", size, material, tmp_path)
    assert ((sides > 0.85) & (sides < 1.15)).all(), sides


def hanging(count: int, size: float) -> bpy.types.Object:
    """A sheet in the XZ plane that hangs from its pinned upper edge."""
    step = size / (count - 1)
    vertices = [(i * step - size / 2.0, 0.0, -j * step) for j in range(count) for i in range(count)]
    obj = mesh_object("Sheet", vertices, [
        (j * count + i, j * count + i + 1, (j + 1) * count + i + 1, (j + 1) * count + i)
        for j in range(count - 1) for i in range(count - 1)
    ])
    pin(obj, range(count))
    return obj


def stretch(obj: bpy.types.Object, count: int, size: float, frame: int) -> float:
    """Relative elongation of the sheet at a frame."""
    bpy.context.scene.frame_set(frame)
    lowest = np.array(world_positions(obj, frame))[-count:, 2]
    return float(-lowest.mean() / size - 1.0)


def stretch_of_blenders_own(preset: str, count: int, size: float) -> float:
    """Relative elongation of Blender's Cloth with one of its presets, once it hangs at rest."""
    scene, last = fresh_scene(), 150
    obj = hanging(count, size)
    cloth = obj.modifiers.new("Cloth", "CLOTH")
    cloth.settings.vertex_group_mass = "pins"
    cloth.point_cache.frame_end = scene.frame_end = last
    path = Path(bpy.utils.preset_paths("cloth")[0]) / f"{preset}.py"
    exec(path.read_text(encoding="utf-8").replace("bpy.context.cloth", "cloth"), {"bpy": bpy, "cloth": cloth})  # noqa: S102
    for frame in range(1, last + 1):
        scene.frame_set(frame)
    return stretch(obj, count, size, last)


@pytest.mark.parametrize(("material", "theirs"), SHEETS.items())
def test_a_hanging_sheet_stretches_as_blenders_own_cloth(material: str, theirs: str, tmp_path: Path) -> None:
    """A square metre of 20 by 20 faces. Air drag brings it to rest here within four seconds."""
    wanted = stretch_of_blenders_own(theirs, 21, 1.0)
    scene = fresh_scene(tmp_path, (1, 97))
    scene.flotsam.substeps = 20
    obj = hanging(21, 1.0)
    bpy.ops.flotsam.add(material=material)
    obj.flotsam.spring_graph.air_drag = 2.0
    bake_blocking(scene)
    found = stretch(obj, 21, 1.0, 97)
    print(f"{material}: {found:.5f}, Blender's {theirs}: {wanted:.5f}")
    assert found == pytest.approx(wanted, rel=0.2)


def test_the_menu_has_a_dozen_soft_materials_and_eight_rigid_ones_with_icons() -> None:
    fresh_scene()
    cube()
    icons = set(bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items.keys())
    assert len(material_presets("SPRING_GRAPH")) >= 12 and len(material_presets("VOXEL_BODY")) >= 8
    assert {preset.icon for preset in material_presets().values()} <= icons - {"NONE"}
    rows = Recorder()
    FLOTSAM_MT_made_of.draw(type("Menu", (), {"layout": rows})(), bpy.context)
    assert rows.buttons.count("flotsam.add") == len(material_presets()) + len(KINDS) - 2
    assert {"Inflated", "Sheets", "Solids", "Rigid"} <= set(rows.labels)


@pytest.mark.parametrize("material", list(material_presets()))
def test_adding_with_a_material_decides_the_kind(material: str) -> None:
    fresh_scene()
    obj, preset = cube(size=2.0), material_presets()[material]
    assert bpy.ops.flotsam.add(material=material) == {"FINISHED"}
    assert obj.flotsam.kind == preset.kind
    settings = getattr(obj.flotsam, settings_field(preset.kind))
    for field, value in preset.values_at(2.0, 8).items():
        assert getattr(settings, field) == (pytest.approx(value, rel=1e-6) if isinstance(value, float) else value)


def test_values_grow_with_the_size() -> None:
    """Weight grows as the square of the size for sheets, the cube for solids; forces as weight, thickness as size."""
    ring, foam, jelly = (material_presets()[name] for name in ("rubber_ring", "foam", "jelly"))
    once, twice = ring.values_at(ring.size), ring.values_at(2.0 * ring.size)
    assert once == dict(ring.values)
    ratios = {field: twice[field] / once[field] for field in ("thickness", "stiffness", "pressure", "area_density")}
    assert ratios == pytest.approx({"thickness": 2.0, "stiffness": 2.0, "pressure": 1.0, "area_density": 1.0})
    once, twice = foam.values_at(foam.size), foam.values_at(2.0 * foam.size)
    assert twice["stiffness"] / once["stiffness"] == pytest.approx(4.0)
    assert foam.values_at(1.0, 8)["stiffness"] / foam.values["stiffness"] == pytest.approx(foam.vertices / 8)
    assert jelly.values_at(2.0 * jelly.size)["young"] / jelly.values["young"] == pytest.approx(2.0)


def test_the_size_is_that_of_the_scaled_object() -> None:
    fresh_scene()
    obj = cube(size=0.5)
    obj.scale = (1.0, 4.0, 1.0)
    bpy.context.view_layer.update()
    assert longest_side(obj) == pytest.approx(2.0)


def test_settings_that_were_touched_stay() -> None:
    """Adding again, or after a script has changed a setting, assigns no material unasked."""
    fresh_scene()
    obj = cube()
    obj.flotsam.spring_graph.stiffness = 77.0
    bpy.ops.flotsam.add()
    assert obj.flotsam.spring_graph.stiffness == 77.0 and obj.flotsam.spring_graph.struts == 0
    bpy.ops.flotsam.add(material="foam")
    assert obj.flotsam.spring_graph.struts == 3


def test_a_material_suits_the_mesh() -> None:
    fresh_scene()
    found = []
    for obj in (cube(), sheet(), mesh_object("Rope", [(0, 0, 1), (1, 0, 1)], edges=[(0, 1)])):
        bpy.ops.object.select_all(action="DESELECT")
        obj.select_set(True)
        bpy.ops.flotsam.add()
        found.append((obj.flotsam.spring_graph.graph, obj.flotsam.spring_graph.mass_by))
    assert found == [("SURFACE", "DENSITY"), ("SURFACE", "AREA_DENSITY"), ("EDGES", "VERTEX")]


def test_a_small_body_gets_more_substeps_unless_the_artist_has_set_them() -> None:
    scene = fresh_scene()
    scene.flotsam.property_unset("substeps")
    cube(size=0.04)
    bpy.ops.flotsam.add(material="jelly")
    assert scene.flotsam.substeps == needed_substeps(0.04) == 50
    cube("Smaller", size=0.025)
    bpy.ops.flotsam.add(material="jelly")
    assert scene.flotsam.substeps == 64
    scene.flotsam.substeps = 7
    bpy.ops.flotsam.apply_preset(preset="foam")
    assert scene.flotsam.substeps == 7
    assert needed_substeps(10.0) == 10 and needed_substeps(1e-4) == 100


def test_without_a_soft_body_nothing_is_said_of_substeps() -> None:
    scene = fresh_scene()
    scene.flotsam.substeps = 2
    assert fit_steps(scene, []) is None and scene.flotsam.substeps == 2
    crate = cube("Crate", size=0.04)
    assert bpy.ops.flotsam.add(kind="VOXEL_BODY") == {"FINISHED"}
    assert fit_steps(scene, [crate]) is None
    bpy.ops.flotsam.add(kind="SPRING_GRAPH")
    assert fit_steps(scene, [crate]).startswith("Crate is 0.04 m long")


def test_a_written_mass_counts() -> None:
    """A total mass that is set takes effect, also where the mass came from a density."""
    fresh_scene()
    settings = soft(cube()).flotsam.spring_graph
    for before, after in (("DENSITY", "VERTEX"), ("AREA_DENSITY", "AREA"), ("AREA", "AREA")):
        settings.mass_by = before
        settings.mass = 3.0
        assert settings.mass_by == after
