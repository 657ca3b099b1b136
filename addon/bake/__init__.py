"""The bake: one job at a time, its states, the worker thread that solves, the files it leaves."""
