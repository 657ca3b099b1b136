"""Benchmarks: `python -m flotsam bench`. Every ratio is of figures from the same run."""
