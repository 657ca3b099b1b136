"""Benchmarks: `python -m flotsam bench`. Every ratio comes from figures of the same run."""
