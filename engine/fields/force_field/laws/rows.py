"""Row format of a force field for kernels."""

from __future__ import annotations

import numpy as np

LAWS = (
    "FORCE", "WIND", "VORTEX", "MAGNET", "HARMONIC", "CHARGE", "LENNARDJ", "TURBULENCE", "DRAG", "TEXTURE",
)
FORCE, WIND, VORTEX, MAGNET, HARMONIC, CHARGE, LENNARDJ, TURBULENCE, DRAG, TEXTURE = range(len(LAWS))
SHAPES = ("POINT", "LINE", "PLANE", "SURFACE", "POINTS")
POINT, LINE, PLANE, SURFACE, POINTS = range(len(SHAPES))
FALLOFFS = ("SPHERE", "TUBE", "CONE")
SPHERE, TUBE, CONE = range(len(FALLOFFS))
SIDES = {"BOTH": 0, "POSITIVE": 1, "NEGATIVE": -1}
MODES = ("RGB", "GRADIENT", "CURL")
RGB, GRADIENT, CURL = range(len(MODES))

_NUMBERS = (
    "strength", "damping", "length", "flow", "wind", "noise", "power", "least", "most", "radial_power",
    "radial_least", "radial_most", "nabla", "sharp", "stiff",
)
_CODES = (
    "law", "form", "falloff", "side", "seed", "inverse_square", "global_coords", "mode", "object_coords", "flat",
    "has_color", "first_vertex", "stop_vertex", "first_cluster", "stop_cluster", "first_sample", "screen",
)

# `origin` [m] and `axis` are the object's position and its Z axis; `to_object` maps world to object space. `damping` is
# that of HARMONIC or the linear one of DRAG, `length` the rest length of HARMONIC or the size of TURBULENCE. Distances
# `least` and `most` are 0 and infinite where they are not set. Vertices, clusters and samples are rows of the tables of
# all fields; `screen` is the field's column in the table of fractions that colliders let through, -1 for none. `sharp`
# and `stiff` [1/s²]: see `hold`.
ROW = np.dtype(
    [(name, np.float64) for name in _NUMBERS]
    + [(name, np.int64) for name in _CODES]
    + [("origin", np.float64, 3), ("axis", np.float64, 3), ("to_object", np.float64, (3, 4)),
       ("grid_origin", np.float64, 3), ("grid_cell", np.float64, 3), ("grid_shape", np.int64, 3)],
    align=True,
)
