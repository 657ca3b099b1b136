"""From a specification to a world, and from one world to another."""
