"""What the last bake of each scene had to say: it stays in the panel until the next one. Nothing of it is saved."""

from __future__ import annotations

from collections.abc import Iterable

from ..capture.sentence import Sentence

_said: dict[str, list[Sentence]] = {}


def remember(scene: str, sentences: Iterable[str]) -> None:
    """These are the warnings of the last bake of a scene, by its name; each once."""
    found = dict.fromkeys(text if isinstance(text, Sentence) else Sentence(text) for text in sentences)
    _said[scene] = list(found)


def warnings_of(scene: str) -> list[Sentence]:
    """What the last bake of a scene has warned of."""
    return _said.get(scene, [])


def forget_all() -> None:
    """Another file is open."""
    _said.clear()
