"""Operators, one a file."""
