"""Convex rigid bodies and walls: separating axes, manifolds, contact rows."""
