"""Contact between all systems, and of those that want it with themselves."""
