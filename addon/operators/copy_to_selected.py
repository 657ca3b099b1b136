"""`flotsam.copy_to_selected`: copies the active object's settings, all or one panel, to the selected objects."""

from __future__ import annotations

import bpy
from bpy.props import StringProperty

from ...engine.spec import GROUPS, KINDS, params_of
from ..names import NO_KIND, OP_COPY_TO_SELECTED, SETTINGS, settings_field
from .add import add_kind, why_not_kind
from .poll_reasons import baking, is_grey


class FLOTSAM_OT_copy_to_selected(bpy.types.Operator):
    """Give all selected objects the settings of the active one"""

    bl_idname = OP_COPY_TO_SELECTED
    bl_label = "Copy to Selected"
    bl_options = {"REGISTER", "UNDO"}

    group: StringProperty(
        name="Panel", description="Which settings, by the name of their panel; empty for all, and the kind",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """The active object must take part, others must be selected, and no bake be running."""
        source = context.object
        kind = NO_KIND if source is None else getattr(source, SETTINGS).kind
        return not is_grey(
            cls, baking(),
            "The active object takes no part in Flotsam" if kind == NO_KIND else None,
            "Select other objects too; the active one's settings go to them" if not _others(context) else None,
        )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tip names the copied settings."""
        if properties.group in GROUPS:
            return f"Give all selected objects of this kind the settings of {GROUPS[properties.group].label}"
        return "Give all selected objects the kind and all settings of the active one"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Copy to all objects that can take the settings; report the reason for each of the others."""
        source = context.object
        kind = getattr(source, SETTINGS).kind
        fields = [
            name for name, declared in params_of(KINDS[kind]).items() if self.group in ("", declared.group)
        ]
        done = 0
        for obj in _others(context):
            reason = self._refusal(obj, kind)
            if reason is not None:
                self.report({"WARNING"}, reason)
                continue
            if getattr(obj, SETTINGS).kind != kind:
                add_kind(obj, kind)
            _copy(source, obj, kind, fields)
            done += 1
        self.report({"INFO"}, f"Settings of {source.name} given to {done} object{'' if done == 1 else 's'}.")
        return {"FINISHED"} if done else {"CANCELLED"}

    def _refusal(self, obj: bpy.types.Object, kind: str) -> str | None:
        """Why an object cannot take them; one panel is for objects of the same kind only."""
        if self.group and getattr(obj, SETTINGS).kind != kind:
            return f"{obj.name} is of another kind and was left out."
        return why_not_kind(obj, kind)


def _others(context: bpy.types.Context) -> list[bpy.types.Object]:
    return [obj for obj in context.selected_objects if obj != context.object]


def _copy(source: bpy.types.Object, target: bpy.types.Object, kind: str, fields: list[str]) -> None:
    values, settings = (getattr(getattr(obj, SETTINGS), settings_field(kind)) for obj in (source, target))
    for name in fields:
        if hasattr(values, name):
            setattr(settings, name, getattr(values, name))


CLASSES = (FLOTSAM_OT_copy_to_selected,)
