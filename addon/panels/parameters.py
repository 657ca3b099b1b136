"""The sub-panels of the Physics tab that hold an object's parameters: one for each group the specs declare."""

from __future__ import annotations

import bpy

from ...engine.spec import GROUPS, KINDS, Group, Param, params_of
from ..names import OP_COPY_TO_SELECTED, SETTINGS, panel_of_group, settings_field
from ..properties.pointers import POINTERS
from .lattice import draw_lattice
from .pins import draw_pins
from .tab import PhysicsTab, draw_parameter, draw_sentence, kind_of
from .voxels import draw_voxels
from .warnings import air_warnings, tear_warnings


def _by_group(spec_class: type) -> dict[str, dict[str, Param]]:
    found: dict[str, dict[str, Param]] = {}
    for field, declared in params_of(spec_class).items():
        found.setdefault(declared.group, {})[field] = declared
    return found


# The specs never change while Blender runs: kind, then group, then field.
PARAMETERS = {kind: _by_group(spec_class) for kind, spec_class in KINDS.items()}


class GroupPanel(PhysicsTab):
    """One group of parameters, for the kinds of object that have any in it."""

    group: str

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only if the object's kind has parameters of this group."""
        return cls.group in PARAMETERS.get(kind_of(context), {})

    def draw_header_preset(self, _context: bpy.types.Context) -> None:
        """Draw the button that copies these settings to all selected objects."""
        self.layout.operator(OP_COPY_TO_SELECTED, text="", icon="COPYDOWN", emboss=False).group = self.group

    def draw(self, context: bpy.types.Context) -> None:
        """Draw a row for each parameter in the order of declaration, then what belongs to this group only."""
        kind = kind_of(context)
        settings = getattr(getattr(context.object, SETTINGS), settings_field(kind))
        layout = self.layout
        layout.use_property_split = True
        if self.group == "pins":
            draw_pins(layout, context)
        for field, declared in PARAMETERS[kind][self.group].items():
            draw_parameter(layout, settings, field, declared)
        for field, pointed in POINTERS.get(kind, {}).items():
            if pointed.group == self.group:
                draw_parameter(layout, settings, field, pointed)
        if self.group == "inflation":
            for sentence in air_warnings(context.object):
                draw_sentence(layout, context, sentence)
        if self.group == "tearing":
            for sentence in tear_warnings(context.object):
                draw_sentence(layout, context, sentence)
        if self.group == "lattice":
            draw_lattice(layout, context)
        if self.group == "voxels":
            draw_voxels(layout, context)


def _panel(group: str, shown: Group) -> type[bpy.types.Panel]:
    name = panel_of_group(group)
    return type(name, (GroupPanel, bpy.types.Panel), {
        "__doc__": shown.tip, "bl_idname": name, "bl_label": shown.label, "group": group,
        "bl_options": {"DEFAULT_CLOSED"} if shown.closed else set(),
    })


CLASSES = tuple(
    _panel(group, shown) for group, shown in GROUPS.items()
    if any(group in groups for groups in PARAMETERS.values())
)
