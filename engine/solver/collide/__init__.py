"""Collision detection (broad phase, narrow phase) and contact response: pure kernels."""
