"""Online Manual: each operator and each property leads to an existing heading of the manual."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlparse

import bpy
import pytest
from flotsam.addon import MODULES
from flotsam.addon.manual import manual_map
from make_scene import fresh_scene

fresh_scene()
MANUAL = Path(__file__).parents[2] / "docs" / "manual.md"
HEADINGS = {
    heading.lower().replace(" ", "-")
    for heading in re.findall(r"^#+ (.*)", MANUAL.read_text(encoding="utf-8"), flags=re.M)
}
CLASSES = [shown for name in MODULES for shown in import_module(f"flotsam.addon.{name}").CLASSES]


def identifiers() -> list[str]:
    """Identifiers that Blender looks up for each button and field of Flotsam."""
    operators = [shown for shown in CLASSES if issubclass(shown, bpy.types.Operator)]
    buttons = [operator.bl_idname for operator in operators]
    # As in the panel Adjust Last Operation.
    choices = [
        f"{operator.bl_rna.identifier}.{field}" for operator in operators for field in operator.bl_rna.properties.keys()
    ]
    fields = [
        f"{shown.bl_rna.identifier}.{field}"
        for shown in CLASSES if issubclass(shown, bpy.types.PropertyGroup) for field in shown.__annotations__
        # Blender passes a row's name as a property of any PropertyGroup, so it has no entry.
        if field != "name"
    ]
    return [*buttons, *choices, *fields, "Object.flotsam", "Scene.flotsam"]


def opened(doc_id: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address that Blender opens for the item under the mouse."""
    pages: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: bool(pages.append(url)))
    assert bpy.ops.wm.doc_view_manual(doc_id=doc_id) == {"FINISHED"}, doc_id
    return pages[0]


def test_every_operator_and_property_opens_a_heading_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh_scene()
    found = {doc_id: urlparse(opened(doc_id, monkeypatch)) for doc_id in identifiers()}
    assert len(found) > 150
    assert {Path(unquote(address.path)).resolve() for address in found.values()} == {MANUAL}
    assert {doc_id: address.fragment for doc_id, address in found.items() if address.fragment not in HEADINGS} == {}


@pytest.mark.parametrize(("doc_id", "heading"), [
    ("flotsam.bake_selected", "baking"), ("FLOTSAM_OT_add_body.material", "first-inflatable"),
    ("flotsam.attach", "attachments"), ("flotsam.live_control", "live"),
    ("FlotsamSpringGraph.bending", "shape"), ("FlotsamVoxelBody.fill", "rigid-bodies"),
    ("FlotsamScene.substeps", "quality"), ("FlotsamInteraction.exponent", "interactions"),
])
def test_it_is_the_heading_that_tells_of_it(doc_id: str, heading: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh_scene()
    assert opened(doc_id, monkeypatch).endswith(f"#{heading}")


def test_every_row_leads_somewhere_and_none_is_left_over() -> None:
    """Entries for items that no longer exist would be misleading."""
    fresh_scene()
    names = [
        f"bpy.ops.{name}" if name.startswith("flotsam.") else f"bpy.types.{name.lower()}" for name in identifiers()
    ]
    rows = manual_map()[1]
    assert [row for row in rows if row[1] not in HEADINGS or not any(fnmatchcase(name, row[0]) for name in names)] == []


def test_an_extension_opens_its_own_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "manual.html").write_text("")
    monkeypatch.setattr("flotsam.addon.manual._FOLDER", tmp_path)
    assert manual_map()[0] == f"{(tmp_path / 'manual.html').as_uri()}#"


def test_other_add_ons_are_left_their_own() -> None:
    """No pattern of Flotsam matches names of other add-ons."""
    theirs = ("bpy.ops.mesh.bevel", "bpy.types.object.location", "bpy.types.scene.frame_start")
    assert not [row for row in manual_map()[1] for name in theirs if fnmatchcase(name, row[0])]
