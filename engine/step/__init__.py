"""A frame: its stages, integrators, stability bound and accuracy."""
