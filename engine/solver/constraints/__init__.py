"""Constraints as pure kernels, one law per file."""
