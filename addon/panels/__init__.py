"""Panels: one a file."""
