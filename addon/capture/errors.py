"""`CaptureError`: the scene cannot be solved in its present state."""

from __future__ import annotations


class CaptureError(Exception):
    """One sentence for the artist: which object, what is wrong, what to do. Nothing has been changed."""
