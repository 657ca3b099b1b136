"""Surfaces that tear: which vertices split, when, and the resulting body."""
