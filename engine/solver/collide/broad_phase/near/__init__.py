"""Columns of the search for near pairs, and its tests of pairs."""
