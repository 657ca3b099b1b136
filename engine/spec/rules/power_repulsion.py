"""`PowerRepulsion`: segments of two bodies repel each other."""

from __future__ import annotations

from typing import ClassVar

from ..param import param
from ..settings import spec
from .base import FORCE, Rule


@spec
class PowerRepulsion(Rule):
    """Segments of the two bodies repel each other by a power of their distance; replaces contact.

    Two segments whose centres are d apart get a force of max(minimum, d - r_a - r_b) ** -exponent newtons on each of
    their vertices, along the line of centres, r being `segment_radius`. Bodies whose bounding spheres at rest are
    more than 0.01 m apart are skipped. A body that is named must have segments; bodies matched by "*" that have none
    are skipped and keep their contacts.
    """

    rule: ClassVar[str] = "POWER_REPULSION"
    label: ClassVar[str] = "Power Repulsion"
    tip: ClassVar[str] = "Their segments push each other away, the harder the nearer they are; instead of contact"
    sentence: ClassVar[str] = "{a} and {b} repel by segments"
    family: ClassVar[str] = FORCE
    instead_of_contact: ClassVar[bool] = True

    exponent: float = param(
        2.0, "Exponent", "Power of the distance: the larger, the shorter the reach and the harder the push",
        limits=(0.0, 20.0), soft=(0.0, 6.0),
    )
    minimum: float = param(
        0.01, "Nearest", "Least gap that counts: nearer segments are pushed no harder",
        unit="m", limits=(0.0, None), soft=(0.001, 0.1), positive=True,
    )
