"""Force fields and wind for the overlay, sampled in and around the bodies that they act on."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...engine import ForceFieldSpec
from ..capture.errors import CaptureError
from ..capture.fields import capture_fields
from ..capture.mesh import world_matrix
from ..capture.plain import plain_values
from ..live import state as live_state
from ..live.field_look import live_field
from ..live.session import LiveSession
from ..names import SETTINGS
from ..paths import kernel_cache_folder
from ..properties.kinds import traits_of
from ..properties.outside import field_objects
from ..solver.fields import field_now
from .field_lines import FieldArrows

# Number of sample points for all bodies together, and smallest number along a side of each.
_MOST_PLACES, _LEAST_SIDE = 800, 2
# Margin around a body in which the field is shown, as a fraction of its longest side.
_MARGIN = 0.25


def signature(scene: bpy.types.Scene) -> tuple[Any, ...]:
    """Equal as long as fields and wind are unchanged."""
    fields = (
        (obj.name_full, obj.hide_viewport, *plain_values(obj.field), *map(tuple, obj.matrix_world))
        for obj in field_objects(scene)
    )
    return (*fields, tuple(getattr(scene, SETTINGS).air.wind))


def field_arrows(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, depsgraph: bpy.types.Depsgraph, names: set[str] | None
) -> FieldArrows | None:
    """Field samples around all visible bodies, or those of `names`; None where there is nothing to show."""
    session = live_state.current()
    boxes = [
        _bounding_box(obj, depsgraph, session) for obj in view_layer.objects
        if traits_of(obj).moves and obj.type == "MESH" and obj.visible_get()
        and (names is None or obj.name_full in names)
    ]
    places, size = places_in(boxes)
    wind = np.array(scene.evaluated_get(depsgraph).flotsam.air.wind, dtype=np.float64)
    specs = _specs(scene, depsgraph, places)
    if len(places) == 0 or not (specs or wind.any()):
        return None
    if not specs:
        found = np.zeros_like(places)
    elif session is not None:
        found = live_field(session, specs, places)
    else:
        found = field_now(specs, places, kernel_cache_folder())
    return None if found is None or len(found) != len(places) else FieldArrows(places, found, wind, size)


def places_in(boxes: list[np.ndarray]) -> tuple[np.ndarray, float]:
    """A uniform grid of points (n, 3) [m] in and around boxes (2, 3), and its spacing [m].

    Overlapping boxes share points; the more boxes, the coarser the grid.
    """
    if not boxes:
        return np.zeros((0, 3)), 0.0
    grown = [box + np.array([[-1.0], [1.0]]) * _MARGIN * float(np.ptp(box, axis=0).max()) for box in boxes]
    # At least a sixteenth of the longest side, and as coarse as boxes of this volume need if none overlap.
    filled = sum(float(np.prod(np.ptp(box, axis=0))) for box in grown)
    longest = max(float(np.ptp(box, axis=0).max()) for box in grown)
    size = max(longest / 16.0, 0.7 * (filled / _MOST_PLACES) ** (1.0 / 3.0), 1e-3)
    while True:
        cells = [
            np.stack(np.meshgrid(*(
                np.arange(np.floor(low / size), max(np.ceil(high / size), np.floor(low / size) + _LEAST_SIDE - 1) + 1)
                for low, high in box.T
            ), indexing="ij"), axis=-1).reshape(-1, 3) for box in grown
        ]
        every = np.unique(np.concatenate(cells), axis=0)
        if len(every) <= _MOST_PLACES:
            return every * size, size
        size *= 1.1


def _specs(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, places: np.ndarray) -> list[ForceFieldSpec]:
    """Specs of the scene's fields in their current state; textures are sampled around the points."""
    if len(places) == 0:
        return []
    try:
        return capture_fields(scene, depsgraph, [_SamplePoints(places)], set(), [], False)[0]
    except CaptureError:
        return []


class _SamplePoints:
    """The interface of a body that `capture_fields` needs."""

    name = ""

    def __init__(self, vertices: np.ndarray) -> None:
        self.vertices = vertices


def _bounding_box(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, session: LiveSession | None) -> np.ndarray:
    """Bounding box of a body at its current position, (2, 3) [m]."""
    if session is not None and session.frame is not None and obj.name_full in session.frame.positions:
        at = session.frame.positions[obj.name_full].astype(np.float64)
    else:
        evaluated = obj.evaluated_get(depsgraph)
        matrix = world_matrix(evaluated)
        at = np.array(evaluated.bound_box, dtype=np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    return np.array([at.min(axis=0), at.max(axis=0)])
