"""External influences: force fields, air, water, the hand. A new one is a spec, a file and a line below."""

from __future__ import annotations

from .air.system import Airs
from .force_field.system import ForceFields
from .hand import Hand
from .water.system import Waters

# By kind, in the order of application: water comes first, so that added mass is in effect when other fields act.
FIELDS = {"WATER": Waters, "FORCE_FIELD": ForceFields, "AIR": Airs}

__all__ = ["FIELDS", "Hand"]
