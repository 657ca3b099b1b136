"""Proxy spheres of bodies in a built world, for the overlay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...engine import EngineError, SpringGraphSpec, WorldSpec, build_world, prepare
from ...engine.compiler.kernel_cache import ask_folder, is_complete
from .thread import idle

if TYPE_CHECKING:
    from ...engine.world.world import World


@dataclass(frozen=True, eq=False)
class Spheres:
    """Spheres of one body.

    Attributes:
        group: index of the nearest sphere of each vertex, (n,); radius: of each sphere [m], (k,).
    """

    group: np.ndarray
    radius: np.ndarray


def spheres_in(world: World) -> dict[str, Spheres]:
    """Spheres by body name, called in the thread of the world; bodies that collide by their surface have none."""
    found = {}
    wanted = {spec.name for spec in world.spec.systems if getattr(spec, "contact", "") == "PROXIES"}
    for body in world.model.bodies:
        if body.kind == "PROXIES" and body.name in wanted:
            own = slice(body.start, body.stop)
            found[body.name] = Spheres(
                nearest(world.positions(body.name), world.state.x[own]), world.model.radius[own].copy()
            )
    return found


def spheres_of(spec: SpringGraphSpec, kernel_folder: str) -> Spheres | None:
    """Spheres of one body; None during a solve, or before kernels are compiled: the overlay does not wait.

    Args:
        spec: of the body; kernel_folder: of compiled kernels.
    """
    ask_folder(kernel_folder)
    with idle() as free:
        if not free or not is_complete("XPBD"):
            return None
        prepare(None, kernel_folder)
        try:
            return spheres_in(build_world(WorldSpec(systems=(spec,)))).get(spec.name)
        except EngineError:
            return None


def nearest(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Index of the nearest of some centres (k, 3) to each point (n, 3), (n,)."""
    best, index = np.full(len(points), np.inf), np.zeros(len(points), dtype=np.int64)
    for number, centre in enumerate(centres):
        distance_squared = ((points - centre) ** 2).sum(axis=1)
        closer = distance_squared < best
        best[closer], index[closer] = distance_squared[closer], number
    return index
