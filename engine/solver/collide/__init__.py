"""Who is near whom and what keeps them apart: pure kernels."""
