"""House rules that a machine can check: style, sizes, location of files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# What the top level may hold; anything else belongs in a folder.
TOP_LEVEL = {
    ".ci", ".gitignore", "LICENSE", "Makefile", "README.md", "__init__.py", "__main__.py", "addon",
    "blender_manifest.toml", "docs", "engine", "presets", "pyproject.toml", "tests",
}
MOST_LINES = 300
PACKAGES = ("addon", "engine")


def python_files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def test_ruff_finds_nothing():
    found = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise", str(ROOT)],
        capture_output=True, text=True, cwd=ROOT,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_top_level_holds_only_what_it_should():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = {line.split("/")[0] for line in listed.splitlines()}
    assert found <= TOP_LEVEL, f"does not belong here: {sorted(found - TOP_LEVEL)}"


def test_files_stay_short():
    long = {
        str(path.relative_to(ROOT)): count
        for path in python_files("addon", "engine", "tests", ".ci")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > MOST_LINES
    }
    assert not long, f"more than {MOST_LINES} lines: {long}"


def test_every_folder_with_code_is_a_package():
    """Otherwise import-linter does not see it."""
    bare = {
        str(path.parent.relative_to(ROOT))
        for path in python_files(*PACKAGES)
        if not path.with_name("__init__.py").exists()
    }
    assert not bare, f"without __init__.py: {sorted(bare)}"


@pytest.mark.parametrize("word", ["manager", "helper", "utils", "data", "info"])
def test_no_file_has_a_name_that_says_nothing(word):
    named = [
        str(path.relative_to(ROOT))
        for path in python_files(*PACKAGES)
        if word in path.stem.split("_")
    ]
    assert not named


def test_imports_inside_the_package_are_relative():
    """It is `flotsam` in tests and `bl_ext.<repository>.flotsam` when installed."""
    absolute = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in [ROOT / "__init__.py", ROOT / "__main__.py", *python_files(*PACKAGES)]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if line.split()[:2] in (["import", "flotsam"], ["from", "flotsam"])
        or line.lstrip().startswith(("from flotsam.", "import flotsam."))
    ]
    assert not absolute


def test_pictures_hold_no_path():
    """Blender writes where a scene was saved into the pictures that it renders."""
    pictures = [path for path in (ROOT / "docs").rglob("*") if path.suffix in (".jpg", ".png")]
    assert len(pictures) > 5
    named = [path.name for path in pictures if b"Blender:File" in path.read_bytes()]
    assert not named, f"take the comments out of {named}"
