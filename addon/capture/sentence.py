"""A sentence for the artist with the object it is about, so that a panel can offer to select the object."""

from __future__ import annotations

from collections.abc import Iterable


class Sentence(str):
    """A sentence; behaves as a plain string.

    Attributes:
        about: full name of the object, empty for none.
    """

    about: str

    def __new__(cls, text: str, about: str = "") -> Sentence:
        """Args: text: the sentence; about: full name of the object that it is about."""
        made = super().__new__(cls, text)
        made.about = about
        return made


def about(name: str, sentences: Iterable[str]) -> list[str]:
    """The sentences, all about one object, by its full name."""
    return [Sentence(text, name) for text in sentences]
