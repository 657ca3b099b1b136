"""Interactions between systems; see `base.Interaction`.

A new rule is a file in `spec/rules/` and a line in its `RULES`. A force between particles needs nothing else, see
`pair_forces`. Any other law needs an interaction of its own here, and a line below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..world.builder import Builder
from ..world.world import Model, State
from .anchors import Anchors
from .base import Interaction
from .contact.system import Contacts
from .immersion import Immersion
from .leashes import Leashes
from .pair_forces import PairForces
from .power_repulsion import PowerRepulsions
from .rigid_links import RigidLinks

INTERACTIONS: tuple[type[Interaction], ...] = (
    RigidLinks, Contacts, PowerRepulsions, PairForces, Immersion, Leashes, Anchors,
)


def build_interactions(rules: Sequence[Any], builder: Builder, model: Model, state: State) -> list[Interaction]:
    """Build all interactions, and keep those that may act in this world (`acts`)."""
    built = (interaction(rules, builder, model, state) for interaction in INTERACTIONS)
    return [interaction for interaction in built if interaction.acts()]
