"""`CaptureError`: the scene cannot be solved as it stands."""

from __future__ import annotations


class CaptureError(Exception):
    """One sentence for the artist: which object, what is wrong, the way out. Nothing has been changed."""
