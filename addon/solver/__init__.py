"""The solver thread of bakes and Live: it uses the engine and queues, and never calls Blender."""
