"""`SelfContactSpec`: self-contact of a deformable body."""

from __future__ import annotations

from dataclasses import KW_ONLY

from ..param import choice, param
from ..settings import spec


@spec
class SelfContactSpec:
    """Part of a spec, for bodies whose own parts may touch each other."""

    _: KW_ONLY
    self_collision: bool = param(
        False, "Self Collision", "The body meets itself: folds of cloth lie on each other, opposite walls keep apart",
        group="contact",
    )
    self_contact: str = choice(
        "SURFACE", "Meets Itself By", "What of the body its own other parts touch",
        choices=(
            ("SURFACE", "Surface", "Every face and edge, Thickness apart"),
            ("SPHERES", "Spheres",
             "A sphere at each vertex: many times as fast where cloth crumples or tears, and rough. Folds lie half an "
             "edge to an edge apart, whatever the Thickness; for fine, even meshes"),
        ),
        group="contact", only_with=("self_collision", True),
    )

    @property
    def has_own_spheres(self) -> bool:
        """Whether its self-contact uses spheres at its vertices."""
        return bool(self.self_collision) and self.self_contact == "SPHERES"
