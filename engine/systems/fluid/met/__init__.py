"""What a fluid meets, and the momentum that both exchange."""

from __future__ import annotations

from .bodies import MetBodies
from .meeting import Meeting

__all__ = ["Meeting", "MetBodies"]
