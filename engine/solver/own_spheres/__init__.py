"""Self-contact of a body by spheres at its vertices: their diameters, near pairs, and pairs that touch."""
