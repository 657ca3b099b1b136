"""Settings in Blender, generated from the engine's specs, where each parameter is declared once."""
