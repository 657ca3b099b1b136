"""Constraints: pure kernels, one law a file."""
