"""The bake: one job at a time, its states, the solver's worker thread, its files."""
