"""Maps operators and settings to headings of the manual, for Blender's *Online Manual*.

The manual comes with the extension, as a page of its own; in a clone it is docs/manual.md.
"""

from __future__ import annotations

from pathlib import Path

import bpy

_FOLDER = Path(__file__).parent.parent / "docs"

# Heading in the manual, as the anchor of a link, by group of parameters.
_GROUPS = {
    "springs": "shape", "lattice": "lattice", "pins": "pins-and-weights", "pin_noise": "pins-and-weights",
    "voxels": "rigid-bodies", "fluid": "fluids", "foam": "foam-and-spray",
    "flocking": "flocks", "flight": "flocks", "inflation": "air",
    "plasticity": "yielding-and-breaking", "tearing": "tearing", "body": "body", "contact": "contact",
    "water": "water", "quality": "quality",
    "field": "wind-and-force-fields", "field_weights": "field-weights", "air": "air-and-wind",
}
# Patterns, of which the first match applies. Blender passes names in lower case.
_ROWS = (
    ("bpy.ops.flotsam.add_body", "first-inflatable"),
    ("bpy.ops.flotsam.add_scene", "recipes"),
    ("bpy.ops.flotsam.add_surface", "fluids"),
    ("bpy.ops.flotsam.bake_surface", "fluids"),
    ("bpy.ops.flotsam.add_instances", "flocks"),
    ("bpy.ops.flotsam.add", "kind-and-material"),
    ("bpy.ops.flotsam.remove", "kind-and-material"),
    ("bpy.ops.flotsam.apply_preset", "kind-and-material"),
    ("bpy.ops.flotsam.save_material", "kind-and-material"),
    ("bpy.ops.flotsam.copy_to_selected", "kind-and-material"),
    ("bpy.ops.flotsam.live*", "live"),
    ("bpy.ops.flotsam.rest_shape", "live"),
    ("bpy.ops.flotsam.bake*", "baking"),
    ("bpy.ops.flotsam.resume", "baking"),
    ("bpy.ops.flotsam.clear_cache", "cache"),
    ("bpy.ops.flotsam.match_levels", "cache"),
    ("bpy.ops.flotsam.select", "cache"),
    ("bpy.ops.flotsam.show_stress", "attributes"),
    ("bpy.ops.flotsam.edit_interactions", "interactions"),
    ("bpy.ops.flotsam.compile", "install"),
    ("bpy.ops.flotsam.pin", "pins-and-weights"),
    ("bpy.ops.flotsam.rigid_to_colliders", "rigid-bodies"),
    ("bpy.ops.flotsam.attach", "attachments"),
    ("bpy.ops.flotsam.detach", "attachments"),
    ("bpy.ops.flotsam.join", "joints"),
    ("bpy.ops.flotsam.unjoin", "joints"),
    ("bpy.ops.flotsam.voxel_preview", "rigid-bodies"),
    ("bpy.types.object.flotsam", "the-physics-tab"),
    ("bpy.types.flotsamobject.effector_weights", "field-weights"),
    ("bpy.types.flotsamobject.pin_*", "pins-and-weights"),
    ("bpy.types.flotsamobject.surface_*", "fluids"),
    ("bpy.types.flotsamobject.*", "kind-and-material"),
    ("bpy.types.flotsambaked.*", "cache"),
    ("bpy.types.scene.flotsam", "the-scene-tab"),
    ("bpy.types.flotsamscene.frame_*", "cache"),
    ("bpy.types.flotsamscene.cache_folder", "cache"),
    ("bpy.types.flotsamscene.bakes", "cache"),
    ("bpy.types.flotsambake.*", "cache"),
    ("bpy.types.flotsamscene.attributes", "attributes"),
    ("bpy.types.flotsamscene.range_choice", "cache"),
    ("bpy.types.flotsamscene.follow_scene", "cache"),
    ("bpy.types.flotsamscene.fitted_substeps", "quality"),
    ("bpy.types.flotsamscene.grab_strength", "live"),
    ("bpy.types.flotsamscene.overlay", "looking-inside"),
    ("bpy.types.flotsamoverlay.*", "looking-inside"),
    ("bpy.types.flotsamscene.interaction*", "interactions"),
    ("bpy.types.flotsaminteraction.*", "interactions"),
    ("bpy.types.flotsamscene.attachment*", "attachments"),
    ("bpy.types.flotsamattachment.*", "attachments"),
    ("bpy.types.flotsamlink.*", "attachments"),
    ("bpy.types.flotsamscene.joint*", "joints"),
    ("bpy.types.flotsamjoint.*", "joints"),
    ("bpy.types.flotsameffectorweights.*", "field-weights"),
    ("bpy.types.flotsamscene.air", "air-and-wind"),
    ("bpy.types.flotsamair.*", "air-and-wind"),
    ("bpy.types.flotsamflock.*", "flocks"),
    ("bpy.types.flotsamfluid.nozzle", "fluids"),
)

CLASSES: tuple[type, ...] = ()


def manual_map() -> tuple[str, tuple[tuple[str, str], ...]]:
    """The page, and the heading for each of our names; called by Blender when an artist opens the manual."""
    page = _FOLDER / "manual.html"
    if not page.exists():
        page = _FOLDER / "manual.md"
    return f"{page.as_uri()}#", (*_ROWS, *_parameters())


def keyable_table() -> str:
    """The manual's table of settings that can be animated, one row for each kind."""
    from ..engine.spec import KINDS, keyable_params

    rows = ["| Type | Keyframes and drivers change |", "| --- | --- |"]
    for spec in KINDS.values():
        labels = [declared.label for declared in keyable_params(spec).values()]
        rows += [f"| {spec.label} | {', '.join(labels)} |"] if labels else []
    return "\n".join(rows)


def _parameters() -> list[tuple[str, str]]:
    """A row for each parameter of the kinds and the scene, by its group."""
    from ..engine.spec import KINDS, WorldSpec, params_of
    from .properties.interactions import GROUPS_OF
    from .properties.kinds import SETTINGS_OF
    from .properties.scene import FlotsamScene

    owners = [(SETTINGS_OF[kind], spec) for kind, spec in KINDS.items()] + [(FlotsamScene, WorldSpec)]
    rules = [
        (f"bpy.types.{group.__name__.lower()}.*", "interactions")
        for group in GROUPS_OF.values() if group.__annotations__
    ]
    return rules + [
        (f"bpy.types.{owner.__name__.lower()}.{field}", _GROUPS[declared.group])
        for owner, spec in owners for field, declared in params_of(spec).items()
    ]


def register() -> None:
    """Register the mapping with Blender."""
    bpy.utils.register_manual_map(manual_map)


def unregister() -> None:
    """Unregister the mapping."""
    bpy.utils.unregister_manual_map(manual_map)
