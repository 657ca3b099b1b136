"""`Attachment`: links between vertices of two systems, or of one: rope to dock, tarp to frame, crate to crane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .param import Unset, param
from .settings import spec

if TYPE_CHECKING:
    import numpy as np


@spec
class Attachment:
    """Link k joins vertex `a_vertices[k]` of system `a` and vertex `b_vertices[k]` of system `b`.

    Links connect two spring graphs, two rigid bodies, or one of either and a collider, which holds what is tied to it
    and carries it along. Soft vertices that are tied closer than their rest separation do not collide with each other.

    Attributes:
        a, b: names of systems; the same name twice for links within a body.
        a_vertices, b_vertices: indices of their vertices, shape (links,) each.
        is_pin: whether the links are elastic pins of `a`, a spring graph; its `release_pins` releases them.
    """

    a: str
    b: str
    a_vertices: Sequence[int] | np.ndarray
    b_vertices: Sequence[int] | np.ndarray

    stiffness: float | None = param(
        Unset(1000.0), "Stiffness",
        "Force of each link for each metre it is stretched; without it, or with 0, they are tied fast and keep their "
        "distance",
        unit="N/m", limits=(0.0, 1e9), soft=(1.0, 1e6), precision=1,
    )
    damping: float = param(
        0.0, "Damping", "Force of each link against each metre a second of stretching",
        unit="N·s/m", limits=(0.0, 1e6), soft=(0.0, 10.0),
    )
    rest_length: float | None = param(
        Unset(0.0), "Length", "Length that each link wants to have; without it, the one it has at the start",
        unit="m", limits=(0.0, 1e4), soft=(0.0, 1.0), precision=4,
    )
    is_pin: bool = False
