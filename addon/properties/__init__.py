"""Settings in Blender, made from the engine's specs: a parameter is declared there once and nowhere else."""
