"""Compiles kernels ahead of their first call, in other processes, after a check of the compiler on this machine."""
