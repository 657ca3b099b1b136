"""Forces: pure kernels, one law a file."""
