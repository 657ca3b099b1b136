"""Warns of bodies whose masses differ too much for stable contact; called by the solver thread after the build."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...engine import Ignore
from ...engine.spec import names_of

if TYPE_CHECKING:
    from ...engine.world.world import World

# From this ratio on, contacts may press the lighter of two bodies through the other.
MOST_RATIO = 1000.0


def masses_in(world: World) -> dict[str, float]:
    """Mass of each body that has one, by name [kg]. Fluids are excluded: they push light bodies without contacts."""
    masses = {
        body.name: world.mass(body.name) for body in world.model.bodies if body.name and not body.traits.carries
    }
    return {name: mass for name, mass in masses.items() if mass > 0.0}


def mass_warnings(masses: Mapping[str, float], rules: Sequence[Any]) -> list[str]:
    """A sentence about the two bodies in possible contact with the largest mass ratio; none below the limit.

    Args:
        masses: of all moving bodies, by name [kg].
        rules: of the world; the last one that matches a pair decides whether it collides.
    """
    by_mass = sorted((mass, name) for name, mass in masses.items() if mass > 0.0)
    pairs = (
        (heavy / light, light_name, light, heavy_name, heavy)
        for index, (light, light_name) in enumerate(by_mass)
        for heavy, heavy_name in reversed(by_mass[index + 1 :])
        if heavy > MOST_RATIO * light
    )
    colliding = [pair for pair in pairs if may_collide(pair[1], pair[3], rules)]
    if not colliding:
        return []
    ratio, light_name, light, heavy_name, heavy = max(colliding)
    return [
        f"{heavy_name} ({_rounded(heavy)} kg) weighs {float(f'{ratio:.2g}'):,.0f} times as much as {light_name} "
        f"({_rounded(light)} kg): where they meet, the lighter one may be squeezed through; check their Density, or "
        "let them Ignore each other under Interactions."
    ]


def may_collide(one: str, other: str, rules: Sequence[Any]) -> bool:
    """Whether two bodies, by name, may collide: the last rule that matches the pair decides."""
    for rule in reversed(rules):
        a, b = names_of(rule.a), names_of(rule.b)
        if _fits(one, a) and _fits(other, b) or _fits(other, a) and _fits(one, b):
            return not isinstance(rule, Ignore)
    return True


def _fits(name: str, side: Sequence[str]) -> bool:
    return "*" in side or name in side


def _rounded(mass: float) -> str:
    """Three digits, without an exponent: 3,820 and 0.4."""
    return f"{float(f'{mass:.3g}'):,.10g}"
