"""Material presets refer to existing settings and stay within their limits."""

from __future__ import annotations

import time
from pathlib import Path

import bpy
import pytest
from flotsam.addon.names import settings_field
from flotsam.addon.panels.materials import FLOTSAM_MT_materials
from flotsam.addon.presets import PresetError, apply_material, material_presets, preset_problems
from flotsam.engine.spec import KINDS, params_of
from make_scene import cube, fresh_scene, soft

MORE = "may have kind, group, icon, size, vertices; nothing else"
ALL = sorted(path.stem for path in (Path(__file__).parents[2] / "presets" / "materials").glob("*.toml"))


@pytest.mark.parametrize("name", ALL)
def test_a_material_arrives_as_written(name: str) -> None:
    """At the size that it is written for; includes those of scene presets and menus."""
    fresh_scene()
    preset = material_presets()[name]
    obj = cube(size=preset.size or 0.5)
    obj.flotsam.kind = preset.kind
    apply_material(obj, name)
    settings = getattr(obj.flotsam, settings_field(preset.kind))
    for key, value in preset.values_at(preset.size, 8).items():
        assert key in params_of(KINDS[preset.kind])
        # Blender clamps values beyond the limits, so an equal value is within them.
        assert getattr(settings, key) == (pytest.approx(value) if isinstance(value, float) else value)


def test_an_unknown_material_changes_nothing():
    fresh_scene()
    obj = cube()
    settings = obj.flotsam.spring_graph
    settings.mass = 3.0
    with pytest.raises(PresetError, match="no material preset 'lead'"):
        apply_material(obj, "lead")
    assert settings.mass == 3.0


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder for materials."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "flotsam" / "presets" / "materials"
    folder.mkdir(parents=True)
    return folder


class Rows:
    """A substitute for a menu that records what is drawn."""

    def __init__(self) -> None:
        self.layout = self
        self.texts: list[str] = []

    def operator(self, _name: str, text: str, icon: str = "NONE") -> Rows:
        self.texts.append(text)
        return self

    def label(self, text: str, icon: str) -> None:
        self.texts.append(f"{icon}: {text}")


def test_a_material_of_the_user_stands_before_ours(own: Path) -> None:
    fresh_scene()
    obj = soft(cube())
    (own / "lead.toml").write_text('label = "Lead"\ntip = "Heavy"\n[values]\nmass = 300.0\n')
    (own / "jelly.toml").write_text('label = "Aspic"\ntip = "Mine"\n[values]\nmass = 7.0\n')
    assert bpy.ops.flotsam.apply_preset(preset="lead") == {"FINISHED"}
    assert obj.flotsam.spring_graph.mass == 300.0
    assert material_presets()["jelly"].label == "Aspic"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("label = ", "cannot be read"),
        ("\udcff", "cannot be read"),
        ('label = "Lead"', "must have label, tip and values"),
        ('label = 1\ntip = "x"\n[values]', "a text as label"),
        ('label = "Lead"\ntip = "x"\ncolour = "grey"\n[values]', MORE),
        ('label = "Lead"\ntip = "x"\nkind = "WATER"\n[values]', "it must be SPRING_GRAPH or VOXEL_BODY"),
        ('label = "Lead"\ntip = "x"\ngroup = "Metals"\n[values]', "it must be one of Inflated, "),
        ('label = "Lead"\ntip = "x"\nsize = -1.0\n[values]', "it must be a length in metres"),
        ('label = "Lead"\ntip = "x"\nkind = "VOXEL_BODY"\n[values]\nstiffness = 3', "unknown setting 'stiffness'"),
        ('label = "Lead"\ntip = "x"\n[values]\nweight = 3', "unknown setting 'weight'"),
        ('label = "Lead"\ntip = "x"\n[values]\nmass = "heavy"', "sets mass to 'heavy'; it must be a number"),
        ('label = "Lead"\ntip = "x"\n[values]\nmass = nan', "it must be a number"),
        ('label = "Lead"\ntip = "x"\n[values]\nrings = 1.5', "it must be a whole number"),
        ('label = "Lead"\ntip = "x"\n[values]\ngraph = "WEB"', "it must be one of SURFACE, EDGES"),
        ('label = "Lead"\ntip = "x"\n[values]\nvelocity = [1, 2]', "it must be 3 numbers"),
    ],
)
def test_a_broken_material_is_one_sentence_and_changes_nothing(own: Path, text: str, sentence: str) -> None:
    fresh_scene()
    obj = soft(cube(), mass=3.0)
    (own / "lead.toml").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(RuntimeError, match=f"lead.toml .*{sentence}"):
        bpy.ops.flotsam.apply_preset(preset="lead")
    assert obj.flotsam.spring_graph.mass == 3.0
    rows = Rows()
    FLOTSAM_MT_materials.draw(rows, bpy.context)
    assert "Jelly" in rows.texts
    (shown,) = (line for line in rows.texts if line.startswith("ERROR"))
    assert sentence in shown and shown.endswith(".") and "\n" not in shown
    assert bpy.ops.flotsam.apply_preset(preset="jelly") == {"FINISHED"}


@pytest.mark.alone
def test_a_menu_reads_a_file_once_and_again_when_it_changes(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = own / "lead.toml"
    path.write_text("broken")
    assert len(preset_problems()) == 1
    read: list[Path] = []
    monkeypatch.setattr(Path, "read_text", lambda file, **_: read.append(file) or 'label = "L"\ntip = "t"\n[values]')
    assert len(preset_problems()) == 1 and not read
    started = time.perf_counter()
    for _ in range(100):
        material_presets()
    assert (time.perf_counter() - started) / 100 < 2e-3
    path.write_text("other")
    assert material_presets()["lead"].label == "L" and read == [path]
