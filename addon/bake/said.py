"""Warnings of the last bake of each scene; the panel shows them until the next bake. They are not saved."""

from __future__ import annotations

from collections.abc import Iterable

from ..capture.sentence import Sentence

_warnings: dict[str, list[Sentence]] = {}


def remember(scene: str, sentences: Iterable[str]) -> None:
    """Store the warnings of the last bake of a scene, by its name, without duplicates."""
    found = dict.fromkeys(text if isinstance(text, Sentence) else Sentence(text) for text in sentences)
    _warnings[scene] = list(found)


def warnings_of(scene: str) -> list[Sentence]:
    """Warnings of the last bake of a scene."""
    return _warnings.get(scene, [])


def forget_all() -> None:
    """Discard all warnings when another file is opened."""
    _warnings.clear()
