"""Bodies with too different masses give a warning in a bake and in Live; similar masses do not."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.capture.errors import CaptureError
from flotsam.addon.solver.masses import MOST_RATIO, mass_warnings, masses_in
from flotsam.engine import Contact, FluidSpec, Ignore, SpringGraphSpec, WorldSpec, build_world
from make_scene import cube, fresh_scene, mesh_object, sheet, soft


def test_the_pair_that_differs_most_is_named() -> None:
    (sentence,) = mass_warnings({"Feather": 0.01, "Ball": 1.0, "Anvil": 500.0}, (Contact(),))
    assert "Anvil (500 kg) weighs 50,000 times as much as Feather (0.01 kg)" in sentence
    assert mass_warnings({"Ball": 1.0, "Anvil": 0.9 * MOST_RATIO}, ()) == []
    assert mass_warnings({"Floor": 0.0, "Anvil": 500.0}, ()) == []


def test_fluids_are_left_out() -> None:
    """They move light bodies without contacts, so there is nothing to warn about."""
    corners = [[x, y, z] for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)]
    faces = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2],
             [2, 4, 6], [1, 3, 5], [3, 7, 5]]
    shell = SpringGraphSpec("shell", np.array(corners), np.array(faces), mass=0.1)
    water = FluidSpec("water", 2.0 + np.array(corners), np.array(faces), spacing=0.25)
    assert masses_in(build_world(WorldSpec(systems=(shell, water)))) == {"shell": pytest.approx(0.1)}


def test_those_that_never_meet_are_not_named() -> None:
    masses = {"Feather": 0.01, "Anvil": 500.0}
    assert mass_warnings(masses, (Contact(), Ignore("Anvil", "*"))) == []
    assert mass_warnings(masses, (Contact(), Ignore("Feather", "Anvil"))) == []
    assert len(mass_warnings(masses, (Ignore(), Contact("Feather", ("Anvil", "Other"))))) == 1


def test_a_bake_says_it(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 2))
    soft(cube("Heavy", size=1.0, z=3.0), mass_by="DENSITY", density=2000.0)
    soft(sheet("Light"), mass_by="AREA_DENSITY", area_density=0.1)
    (sentence,) = [warning for warning in bake_blocking(scene).warnings if "times as much" in warning]
    assert "Heavy (2,000 kg) weighs 20,000 times as much as Light (0.1 kg)" in sentence


def test_a_sheet_has_no_volume() -> None:
    scene = fresh_scene()
    soft(sheet(), mass_by="DENSITY")
    with pytest.raises(CaptureError, match="Sheet encloses no volume to take its mass from; set Mass From to Area D"):
        bake_blocking(scene)


def test_a_rope_has_no_area() -> None:
    scene = fresh_scene()
    soft(mesh_object("Rope", [(0, 0, 1), (1, 0, 1)], edges=[(0, 1)]), mass_by="AREA_DENSITY", graph="EDGES")
    with pytest.raises(CaptureError, match="Rope has no surface to take its mass from; set Mass From to Total"):
        bake_blocking(scene)


def test_old_files_keep_their_mass(tmp_path: Path) -> None:
    """A file of an earlier version stores the numbers of its choices, and no untouched settings."""
    fresh_scene(tmp_path)
    untouched, by_area = cube("Untouched"), cube("ByArea")
    by_area.flotsam.spring_graph.mass_by = "AREA"
    by_area.flotsam.spring_graph.mass = 4.0
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    untouched, by_area = bpy.data.objects["Untouched"], bpy.data.objects["ByArea"]
    assert (untouched.flotsam.spring_graph.mass_by, untouched.flotsam.spring_graph.mass) == ("VERTEX", 1.0)
    assert (by_area.flotsam.spring_graph.mass_by, by_area.flotsam.spring_graph.mass) == ("AREA", 4.0)
