"""Everything about numba and threads: tuned and plain mode, options, cache folder, thread pool, precompile."""
