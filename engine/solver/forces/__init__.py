"""Explicit forces as pure kernels, one law per file."""
