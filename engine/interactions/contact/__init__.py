"""Contact between all bodies, and self-collision."""
