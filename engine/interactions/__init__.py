"""What happens where systems meet. A new rule is a spec in `spec/rules.py`, a file here, and one line below.

An interaction has begin_frame(world), acts(), apply(stage, world, h), memory() and recall(memory); it knows bodies,
phases and arrays, never classes of systems. acts() says whether it may ever do anything; else the world goes without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..world.builder import Builder
from ..world.world import Model, State
from .anchors import Anchors
from .contact.system import Contacts
from .power_repulsion import PowerRepulsions
from .rigid_links import RigidLinks

INTERACTIONS = (RigidLinks, Contacts, PowerRepulsions, Anchors)


def build_interactions(rules: Sequence[Any], builder: Builder, model: Model, state: State) -> list[Any]:
    """Every interaction that may act, with the rules that concern it."""
    built = (interaction(rules, builder, model, state) for interaction in INTERACTIONS)
    return [interaction for interaction in built if interaction.acts()]
