"""Joints, springs and rods between rigid bodies."""
