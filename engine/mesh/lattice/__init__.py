"""Lattices of cubic cells that fill a mesh, and the embedding of its vertices."""
