"""What contacts do: push apart, friction, restitution."""
