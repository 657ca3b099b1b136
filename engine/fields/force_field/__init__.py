"""Force fields modelled on Blender's: their laws, shapes, falloff and receivers."""
