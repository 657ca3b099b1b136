"""Springs of bodies and their stiffnesses, from the engine, for the overlay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine import EngineError, SpringGraphSpec, WorldSpec, prepare, springs_of
from ...engine.compiler.kernel_cache import ask_folder, is_complete
from .thread import idle

if TYPE_CHECKING:
    from ...engine.systems.spring_graph.links import BodySprings


def springs_in(spec: WorldSpec) -> dict[str, BodySprings]:
    """Springs by body name; the kernels must be ready."""
    return {body.name: springs_of(body) for body in spec.systems if body.traits.is_springy}


def springs_at_rest(spec: SpringGraphSpec, kernel_folder: str) -> BodySprings | None:
    """Springs of one body; None if it has none. Struts need kernels: None during a solve or before these are compiled.

    Args:
        spec: of the body; kernel_folder: of compiled kernels.
    """
    try:
        if not spec.struts or spec.graph != "SURFACE":
            return springs_of(spec)
        ask_folder(kernel_folder)
        with idle() as free:
            if not free or not is_complete("XPBD"):
                return None
            prepare(None, kernel_folder)
            return springs_of(spec)
    except EngineError:
        return None
