"""Drawing over the 3D view; the content is computed apart from the drawing."""
