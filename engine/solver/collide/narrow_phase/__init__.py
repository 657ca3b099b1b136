"""Narrow phase: distance, normal, contact point and continuous detection of near elements."""
