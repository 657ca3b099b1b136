"""The thread that solves, for bakes and for Live: it knows the engine and queues, and never calls Blender."""
