"""The engine's folders: how many there are, how many files they hold, and which files may name a kind of system."""

from __future__ import annotations

import ast
from pathlib import Path

from flotsam.engine.spec import KINDS, OUTSIDE_KINDS

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "engine"
MOST_NAMES = MOST_FILES = 12
# Where kinds may be named: their specs, and the registries of code for a kind.
REGISTRIES = (
    "engine/spec/", "engine/systems/__init__.py", "engine/fields/__init__.py", "engine/build/small_worlds.py",
    "addon/capture/kinds/__init__.py", "addon/scenes/", "addon/bake/version_0_1.py",
)


def files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]


def subfolders(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.iterdir()) if path.is_dir() and path.name != "__pycache__"]


def test_the_engine_has_at_most_twelve_names() -> None:
    names = [path.name for path in (*files(ENGINE), *subfolders(ENGINE))]
    assert len(names) <= MOST_NAMES, names


def test_no_room_is_too_full() -> None:
    """A folder of more than twelve files is divided into folders."""
    full = {
        str(folder.relative_to(ROOT)): count
        for folder in (ENGINE, *(path for path in ENGINE.rglob("*") if path.is_dir()))
        if (count := len(files(folder))) > MOST_FILES and not subfolders(folder)
    }
    assert not full


def test_nobody_asks_for_a_kind_by_name() -> None:
    """Traits and the registries describe a kind; its name appears in its spec and in registries only."""
    kinds = {*KINDS, *OUTSIDE_KINDS}
    named = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.value}"
        for path in sorted((*ENGINE.rglob("*.py"), *(ROOT / "addon").rglob("*.py")))
        if not str(path.relative_to(ROOT)).startswith(REGISTRIES)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in kinds
    ]
    assert not named, named
