"""One specification for each kind of system."""
