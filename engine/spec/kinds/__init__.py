"""One specification a kind of system."""
