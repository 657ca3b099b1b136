"""Meshes as voxels: which are inside, how full each is, and what the whole weighs."""
