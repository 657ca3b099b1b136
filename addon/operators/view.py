"""The 3D view under the mouse: rays through the mouse, points at the depth of another point; several views work."""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy


class View(NamedTuple):
    """One 3D view of a window.

    Attributes:
        region: of the window; space: its RegionView3D, one of four in Quad View.
    """

    region: bpy.types.Region
    space: bpy.types.RegionView3D

    def ray(self, event: bpy.types.Event) -> tuple[Any, Any, bool]:
        """Origin and direction (3,) of the ray through the mouse, in world space, and whether it is perspective."""
        import numpy as np
        from bpy_extras import view3d_utils

        at = self._at(event)
        origin = view3d_utils.region_2d_to_origin_3d(self.region, self.space, at)
        direction = view3d_utils.region_2d_to_vector_3d(self.region, self.space, at)
        return np.array(origin), np.array(direction.normalized()), bool(self.space.is_perspective)

    def point(self, event: bpy.types.Event, depth: Any) -> Any:
        """The point (3,) under the mouse at the same depth as another point."""
        import numpy as np
        from bpy_extras import view3d_utils

        return np.array(view3d_utils.region_2d_to_location_3d(self.region, self.space, self._at(event), depth))

    def _at(self, event: bpy.types.Event) -> tuple[float, float]:
        return event.mouse_x - self.region.x, event.mouse_y - self.region.y


def view_under(context: bpy.types.Context, event: bpy.types.Event) -> View | None:
    """The 3D view under the mouse; None over anything else, such as a sidebar over the view."""
    for area in context.window.screen.areas if context.window is not None else ():
        if area.type != "VIEW_3D" or not _contains(area, event):
            continue
        shown = [region for region in area.regions if region.width > 1 and _contains(region, event)]
        if any(region.type != "WINDOW" for region in shown):
            return None
        for region in shown:
            return View(region, region.data)
    return None


def redraw(context: bpy.types.Context, editors: set[str]) -> None:
    """Redraw all editors of these types, in all windows."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in editors:
                area.tag_redraw()


def _contains(box: bpy.types.Area | bpy.types.Region, event: bpy.types.Event) -> bool:
    inside_x = box.x <= event.mouse_x < box.x + box.width
    return inside_x and box.y <= event.mouse_y < box.y + box.height
