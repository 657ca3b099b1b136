"""The command line. Empty, so that what makes it known to Blender, at every start, brings no parser with it."""
