"""Joints, springs and rods between rigid bodies, and ties of soft particles to them."""
