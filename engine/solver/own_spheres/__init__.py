"""Contact of a body with itself by spheres at its vertices: how wide they are, which are near, and which touch."""
