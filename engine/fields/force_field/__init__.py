"""Force fields after those of Blender: what each does, where from, and to whom."""
