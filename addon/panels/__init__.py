"""Panels, one per file."""
