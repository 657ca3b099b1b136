"""`LiveError`: a live session cannot start or continue, in one sentence."""

from __future__ import annotations


class LiveError(RuntimeError):
    """One sentence for the artist: what is wrong and what to do."""
