"""Everything about numba and threads: options, cache folder, whole kernels, thread pool, precompile."""
