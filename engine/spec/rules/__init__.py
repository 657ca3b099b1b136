"""Rules between systems. A new rule is a file here and a line in RULES."""

from __future__ import annotations

from .adhesion import Adhesion
from .base import CONTACT, FORCE, PairForce, Rule, names_of
from .charge import Charge
from .contact import Contact, Ignore, SpringDashpot
from .drag import Drag
from .flee import Flee
from .follow import Follow
from .power_repulsion import PowerRepulsion
from .seek import Seek

_RULES = (
    Contact,
    Ignore,
    SpringDashpot,
    PowerRepulsion,
    Flee,
    Seek,
    Follow,
    Adhesion,
    Drag,
    Charge,
)
# By name. .blend files store the index of a rule: append new ones at the end.
RULES: dict[str, type[Rule]] = {rule.rule: rule for rule in _RULES}

__all__ = [
    "CONTACT", "FORCE", "RULES", "Adhesion", "Charge", "Contact", "Drag", "Flee", "Follow", "Ignore", "PairForce",
    "PowerRepulsion", "Rule", "Seek", "SpringDashpot", "names_of",
]
