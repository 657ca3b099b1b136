"""Meshes that tear: face corners, the vertices that they belong to, and how a vertex splits."""
