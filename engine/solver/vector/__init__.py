"""Sixteen springs at a time, as LLVM vector code that the plain kernels of `constraints` are the twins of."""
