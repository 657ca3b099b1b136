"""Vector kernels in LLVM IR, sixteen lanes at a time; each has a plain twin in `constraints` or `forces`."""
