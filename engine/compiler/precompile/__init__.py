"""Compiling kernels before they are called, in processes of their own."""
