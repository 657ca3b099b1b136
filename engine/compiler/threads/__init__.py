"""Threads: the pool, its machine code, how parallel loops start on it, how many threads a frame uses."""
