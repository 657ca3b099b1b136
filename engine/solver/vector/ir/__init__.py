"""LLVM IR for sixteen single-precision lanes, which all vector kernels are written with."""
