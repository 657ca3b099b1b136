"""What a fluid meets, and the momentum that both exchange."""

from __future__ import annotations

from .bodies import MetBodies
from .lag import NO_LAG, Lag
from .meeting import Meeting

__all__ = ["NO_LAG", "Lag", "Meeting", "MetBodies"]
