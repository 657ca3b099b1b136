"""Surfaces that tear: which vertices split, when, and the body that is left."""
