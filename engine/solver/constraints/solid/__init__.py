"""Elastic solids of cubic cells, and surfaces that ride on them."""
