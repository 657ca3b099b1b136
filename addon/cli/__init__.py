"""The command line. This file is empty, so that registering the command at Blender's start loads no parser."""
