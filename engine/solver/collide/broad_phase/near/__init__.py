"""What the search for near pairs works on, and its tests of pairs."""
