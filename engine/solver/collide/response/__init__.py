"""Contact response: separation, friction, restitution."""
