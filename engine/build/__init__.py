"""Builds a world from a specification, and transfers state from one world to another."""
