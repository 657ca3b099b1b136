"""What pushes everybody from outside: water, the hand. A new field is a spec, a file here and a line below."""

from __future__ import annotations

from .hand import Hand
from .water.system import Waters

# By kind, in the order in which they push.
FIELDS = {"WATER": Waters}

__all__ = ["FIELDS", "Hand"]
