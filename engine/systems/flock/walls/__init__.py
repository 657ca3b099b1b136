"""Walls that agents keep off: which there are, whether any is near, and what they leave of a wish."""
