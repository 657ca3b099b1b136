"""Writers of LLVM IR that all vector kernels use: sixteen single-precision lanes, and vectors of four doubles."""
