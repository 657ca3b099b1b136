"""A substitute for Blender's UILayout that records what a panel draws."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import bpy
from flotsam.addon import MODULES

PREFIX = "flotsam.addon."


class Recorder:
    """Records the calls of panels; sub-layouts write into the same lists."""

    def __init__(self, parent: Recorder | None = None) -> None:
        """Args: parent: the layout that contains this one."""
        for name in ("props", "labels", "buttons", "menus", "bars", "dimmed"):
            setattr(self, name, getattr(parent, name) if parent else [])
        # Text shown on each menu.
        self.names: dict[str, str] = parent.names if parent else {}
        self.active = True

    def row(self, **options: Any) -> Recorder:
        if "heading" in options:
            self.labels.append(options["heading"])
        return Recorder(self)

    column = box = row

    def prop(self, settings: bpy.types.PropertyGroup, field: str, **options: Any) -> None:
        assert field in settings.bl_rna.properties, f"{settings} has no {field}"
        self.props.append((settings.bl_rna.identifier, field))
        if not self.active:
            self.dimmed.append(field)

    def separator(self, **_options: Any) -> None:
        """Blank space; records nothing."""

    def prop_search(
        self, settings: bpy.types.PropertyGroup, field: str, owner: bpy.types.ID, listed: str, **_options: Any,
    ) -> None:
        assert listed in owner.bl_rna.properties
        self.prop(settings, field)

    def label(self, text: str = "", **_options: Any) -> None:
        self.labels.append(text)

    def operator(self, name: str, **_options: Any) -> SimpleNamespace:
        self.buttons.append(name)
        return SimpleNamespace()

    def menu(self, name: str, text: str = "", **_options: Any) -> None:
        assert hasattr(bpy.types, name)
        self.menus.append(name)
        self.names[name] = text

    def template_list(
        self, name: str, _id: str, owner: bpy.types.PropertyGroup, listed: str, chosen_of: bpy.types.PropertyGroup,
        chosen: str, **_options: Any,
    ) -> None:
        assert hasattr(bpy.types, name)
        for item in getattr(owner, listed):
            getattr(bpy.types, name).draw_item(None, bpy.context, self, owner, item, 0, chosen_of, chosen)

    def progress(self, factor: float, type: str, text: str) -> None:
        assert 0.0 <= factor <= 1.0 and type in ("BAR", "RING")
        self.bars.append(text)


@cache
def panels(tab: str) -> list[type]:
    """Our panels of a tab, in order of registration."""
    from importlib import import_module

    classes = [shown for name in MODULES for shown in import_module(PREFIX + name).CLASSES]
    return [shown for shown in classes if getattr(shown, "bl_context", "") == tab]


def drawn(tab: str) -> dict[str, Recorder]:
    """Recording of each panel whose poll passes now."""
    found: dict[str, Recorder] = {}
    for panel in panels(tab):
        parent = getattr(panel, "bl_parent_id", "")
        if (not parent or parent in found) and getattr(panel, "poll", always)(bpy.context):
            found[panel.bl_idname] = Recorder()
            draw(panel, found[panel.bl_idname])
    return found


def always(_context: bpy.types.Context) -> bool:
    """Poll for panels without one."""
    return True


def draw(panel: type, layout: Recorder) -> None:
    """Draw a panel outside a window."""
    panel.draw(SimpleNamespace(layout=layout, group=getattr(panel, "group", "")), bpy.context)


def all_text(tab: str = "physics") -> str:
    """All labels of a tab as one string."""
    return " ".join(text for layout in drawn(tab).values() for text in layout.labels)
