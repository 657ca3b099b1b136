"""Threads of our own: the pool, its code, how loops are handed to it, how many run."""
