"""Names by which Blender, users' files and scripts refer to Flotsam; existing ones change only with a migration."""

from __future__ import annotations

from ..engine.spec import KINDS

# The property on Object and Scene. Object's has one field per kind, in lower case.
SETTINGS = "flotsam"
NO_KIND = "NONE"
# Kinds for which a bake writes frames.
BODY_KINDS = tuple(kind for kind, spec_class in KINDS.items() if spec_class.output != "NONE")

# On the object: the Mesh Cache modifier, and the pin group.
MODIFIER = "Flotsam"
# The modifier of a live session, removed at its end.
LIVE_MODIFIER = "Flotsam Live"
# Directly after the Mesh Cache modifier: reads attributes of the vertices from a carrier object that plays them.
ATTRIBUTES_MODIFIER = "Flotsam Attributes"
# Around those two on a mesh that tears: one gives every face corners of its own, the other joins what is not torn.
SPLIT_MODIFIER, MERGE_MODIFIER = "Flotsam Split", "Flotsam Merge"
# The same around the modifier of a live session.
LIVE_SPLIT_MODIFIER, LIVE_MERGE_MODIFIER = "Flotsam Live Split", "Flotsam Live Merge"
# At the end of the stack: sets another material for the whole object.
LOOK_MODIFIER = "Flotsam Look"
# After the modifier that plays a fluid's points: builds their surface.
SURFACE_MODIFIER = "Flotsam Surface"
# Also after it: shows an object in place of each point.
INSTANCES_MODIFIER = "Flotsam Instances"
# On an object of a scene preset: the collection for its instances, until they are added.
SHOWN_AS = "flotsam_shown_as"
HAS_REST = "flotsam_has_rest"
# Attributes that a bake stores for each vertex, by the names that materials and geometry nodes read.
ATTRIBUTES = ("velocity", "stress")
PIN_GROUP = "pins"

# On node groups built by us, with their version.
GROUP_MARK = "flotsam_group"
# On actions with keyframes written by a bake.
KEYS_MARK = "flotsam_keys"

# On the mesh: integer attribute, the segment of each vertex.
SEGMENT_ATTRIBUTE = "segment"
# On the mesh: rest positions, where the mesh itself stores a kept pose.
REST_ATTRIBUTE = "flotsam_rest"
# On the mesh: edge attributes, and the corresponding fields of a soft body's specification.
EDGE_ATTRIBUTES = {
    "stiffness": "edge_stiffness", "damping": "edge_damping", "rest_length": "rest_lengths",
    "break_strain": "edge_break", "tear_seam": "seams",
}

# Default folder of frames; "//" is the folder of the .blend.
CACHE_FOLDER = "//flotsam_cache"

OP_ADD = "flotsam.add"
OP_ADD_BODY = "flotsam.add_body"
OP_REMOVE = "flotsam.remove"
OP_LIVE = "flotsam.live"
OP_LIVE_CONTROL = "flotsam.live_control"
OP_REST_SHAPE = "flotsam.rest_shape"
OP_BAKE = "flotsam.bake"
OP_BAKE_SELECTED = "flotsam.bake_selected"
OP_BAKE_CONTROL = "flotsam.bake_control"
OP_RESUME = "flotsam.resume"
OP_BAKE_TO_SHAPE_KEYS = "flotsam.bake_to_shape_keys"
OP_BAKE_TO_KEYFRAMES = "flotsam.bake_to_keyframes"
OP_MATCH_LEVELS = "flotsam.match_levels"
OP_SELECT = "flotsam.select"
OP_SHOW_STRESS = "flotsam.show_stress"
OP_CLEAR_CACHE = "flotsam.clear_cache"
OP_APPLY_PRESET = "flotsam.apply_preset"
OP_SAVE_MATERIAL = "flotsam.save_material"
OP_COPY_TO_SELECTED = "flotsam.copy_to_selected"
OP_ADD_SURFACE = "flotsam.add_surface"
OP_BAKE_SURFACE = "flotsam.bake_surface"
OP_ADD_INSTANCES = "flotsam.add_instances"
OP_ADD_SCENE = "flotsam.add_scene"
OP_EDIT_INTERACTIONS = "flotsam.edit_interactions"
OP_COMPILE = "flotsam.compile"
OP_PIN = "flotsam.pin"
OP_RIGID_TO_COLLIDERS = "flotsam.rigid_to_colliders"
OP_ATTACH = "flotsam.attach"
OP_DETACH = "flotsam.detach"
OP_JOIN = "flotsam.join"
OP_UNJOIN = "flotsam.unjoin"
OP_VOXEL_PREVIEW = "flotsam.voxel_preview"

MENU_MATERIALS = "FLOTSAM_MT_materials"
MENU_ADD = "FLOTSAM_MT_add"
MENU_MADE_OF = "FLOTSAM_MT_made_of"
PANEL_OBJECT = "FLOTSAM_PT_object"
PANEL_LIVE = "FLOTSAM_PT_live"
PANEL_VIEW_LIVE = "FLOTSAM_PT_view_live"
PANEL_VIEW_BODY = "FLOTSAM_PT_view_body"
PANEL_VIEW_BAKE = "FLOTSAM_PT_view_bake"
PANEL_WEIGHTS = "FLOTSAM_PT_weights"
PANEL_FIELD_WEIGHTS = "FLOTSAM_PT_field_weights"
PANEL_AIR = "FLOTSAM_PT_air"
PANEL_QUALITY = "FLOTSAM_PT_quality"
PANEL_CACHE = "FLOTSAM_PT_cache"
PANEL_SCENE = "FLOTSAM_PT_scene"
PANEL_SCENE_CACHE = "FLOTSAM_PT_scene_cache"
PANEL_INTERACTIONS = "FLOTSAM_PT_interactions"
LIST_INTERACTIONS = "FLOTSAM_UL_interactions"
PANEL_ATTACHMENTS = "FLOTSAM_PT_attachments"
LIST_ATTACHMENTS = "FLOTSAM_UL_attachments"
PANEL_JOINTS = "FLOTSAM_PT_joints"
LIST_JOINTS = "FLOTSAM_UL_joints"


def settings_field(kind: str) -> str:
    """Name of the field in Object.flotsam that holds the settings of a kind."""
    return kind.lower()


def panel_of_group(group: str) -> str:
    """Name of the sub-panel of a group of parameters."""
    return f"FLOTSAM_PT_{group}"
