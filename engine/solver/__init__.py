"""The mathematics of a step: pure kernels on arrays, and the tables they work on."""
