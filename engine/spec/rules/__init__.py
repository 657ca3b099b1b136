"""What may happen where systems meet. A new rule is a file here and a line in RULES."""

from __future__ import annotations

from .base import CONTACT, FORCE, PairForce, Rule, names_of
from .contact import Contact, Ignore, SpringDashpot
from .power_repulsion import PowerRepulsion

_RULES = (
    Contact,
    Ignore,
    SpringDashpot,
    PowerRepulsion,
)
# By name. The place of a rule is stored in .blend files: a new one goes to the end.
RULES: dict[str, type[Rule]] = {rule.rule: rule for rule in _RULES}

__all__ = [
    "CONTACT", "FORCE", "RULES", "Contact", "Ignore", "PairForce", "PowerRepulsion", "Rule", "SpringDashpot",
    "names_of",
]
