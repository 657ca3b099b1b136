"""Objects that take part in the simulation, and reasons why others with a kind do not."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ...engine.spec import KINDS
from ..names import SETTINGS


def participants(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph
) -> Iterator[tuple[bpy.types.Object, str | None]]:
    """Objects with a kind, each with the reason that excludes it; None for participants.

    The reason is the rest of a sentence that starts with the object's name.

    Args:
        scene: whose objects they are.
        depsgraph: of the view layer that is simulated, up to date.
    """
    layer = depsgraph.view_layer
    present = {obj.name_full for obj in layer.objects}
    disabled = {found.name for found in bpy.data.collections if found.hide_viewport}
    for obj in scene.objects:
        if getattr(obj, SETTINGS).kind not in KINDS:
            continue
        if obj.library is not None and KINDS[getattr(obj, SETTINGS).kind].traits.moves:
            file = bpy.path.basename(obj.library.filepath)
            yield obj, f"is linked from {file} and cannot be solved (Object > Relations > Make Local changes that)"
        elif obj.hide_viewport:
            yield obj, "is disabled in viewports"
        elif obj.name_full not in present:
            yield obj, _by_collection(obj, "excluded from the view layer", _excluded_in(layer.layer_collection))
        # An object that a row of the scene's lists refers to is evaluated even in a disabled collection.
        elif not obj.evaluated_get(depsgraph).is_evaluated or (disabled and _is_all_disabled(obj)):
            yield obj, _by_collection(obj, "disabled in viewports", disabled)
        else:
            yield obj, None


def _by_collection(obj: bpy.types.Object, what: str, switched_off: set[str]) -> str:
    """The reason, with the name of the collection if it contains the object directly."""
    responsible = next((found.name for found in obj.users_collection if found.name in switched_off), None)
    return f"is {what}" if responsible is None else f"is in the collection {responsible}, which is {what}"


def _is_all_disabled(obj: bpy.types.Object) -> bool:
    return bool(obj.users_collection) and all(found.hide_viewport for found in obj.users_collection)


def _excluded_in(layer: bpy.types.LayerCollection) -> set[str]:
    """Names of collections nested in a layer collection that are excluded from the view layer."""
    found: set[str] = set()
    for below in layer.children:
        found |= ({below.name} if below.exclude else set()) | _excluded_in(below)
    return found
