"""Elastic solids of cubic cells, and surfaces embedded in them."""
