"""Follows a walk of docs/ literally: applies the code and the changes in its text to a copy of the package."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"`([\w/]+\.py)`[^\n`]*:\n\n```(python|diff)\n(.*?)```", re.S)


def copy_package(folder: Path) -> Path:
    """Copy the package so that it can be imported as `flotsam` from `folder`; returns its path."""
    place = folder / "flotsam"
    for part in ("addon", "engine", "presets", "docs"):
        shutil.copytree(ROOT / part, place / part, ignore=shutil.ignore_patterns("__pycache__", "pictures"))
    for name in ("__init__.py", "__main__.py", "blender_manifest.toml"):
        shutil.copy(ROOT / name, place / name)
    return place


def follow(document: str, place: Path) -> dict[str, str]:
    """Follow the instructions of a document; returns the new files with their text.

    Raises:
        AssertionError: a line to replace is not there, or not only once.
    """
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    new = {}
    for file, language, body in _BLOCK.findall(text):
        path = place / file
        if language == "python":
            assert not path.exists(), f"{file} is there already"
            new[file] = body
            path.write_text(body, encoding="utf-8")
        else:
            path.write_text(_changed(file, path.read_text(encoding="utf-8"), body), encoding="utf-8")
    assert new, f"{document} has no code"
    return new


def _changed(file: str, text: str, diff: str) -> str:
    for old, fresh in re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)+)", diff, re.M):
        before, after = (re.sub(r"^.", "", part, flags=re.M) for part in (old, fresh))
        assert text.count(before) == 1, f"{file} has {before!r} {text.count(before)} times"
        text = text.replace(before, after)
    return text
