"""Laws of force fields: acceleration, place and falloff at a point, as pure maths on rows of numbers."""
