"""Two-way coupling of a fluid with bodies: boundaries, contacts and the exchange of momentum."""

from __future__ import annotations

from .bodies import MetBodies
from .lag import NO_LAG, Lag
from .meeting import Meeting

__all__ = ["NO_LAG", "Lag", "Meeting", "MetBodies"]
