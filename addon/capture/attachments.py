"""Scene's list of attachments → attachments between systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...engine.spec import Attachment
from ..names import SETTINGS
from ..properties.attachments import FlotsamAttachment, trouble_with
from ..properties.interactions import SIDES
from .interactions import values_of


def capture_attachments(
    scene: bpy.types.Scene, systems: Sequence[Any], warnings: list[str]
) -> tuple[Attachment, ...]:
    """Attachments of the rows that are not muted, in their order.

    Args:
        scene: whose list it is.
        systems: specs of the participants.
        warnings: receives a sentence for each invalid row, which is skipped.
    """
    specs = {system.name: system for system in systems}
    found = []
    for row in getattr(scene, SETTINGS).attachments:
        if row.mute:
            continue
        trouble = trouble_with(row, scene)
        vertices = [_vertices(row, side) for side in SIDES]
        trouble = trouble or _mismatch_at_start(row, vertices, specs)
        if trouble:
            warnings.append(trouble)
            continue
        names = (row.a_object.name_full, row.b_object.name_full)
        found.append(Attachment(*names, *vertices, **values_of(row, Attachment)))
    return tuple(found)


def _vertices(row: FlotsamAttachment, side: str) -> np.ndarray:
    """Vertices of a side, (links,) int32."""
    return np.array([getattr(link, side) for link in row.links], dtype=np.int32)


def _mismatch_at_start(row: FlotsamAttachment, vertices: list[np.ndarray], specs: dict[str, Any]) -> str:
    """A sentence about a row that does not match the meshes at the start; "" for a valid row."""
    if len(row.links) == 0:
        return f"The attachment {row.name} ties no vertices; remove the row and attach again."
    for side, indices in zip(SIDES, vertices, strict=True):
        obj, count = getattr(row, f"{side}_object"), getattr(row, f"{side}_count")
        if obj.name_full not in specs:
            return f"The attachment {row.name} is left out, because {obj.name} takes no part in this bake."
        if int(indices.max()) >= count:
            return (
                f"The attachment {row.name} means vertex {indices.max()} of {obj.name}, which has {count}; "
                "remove the row and attach again."
            )
        if len(specs[obj.name_full].vertices) < count:
            return (
                f"The attachment {row.name} cannot tell its vertices, because a modifier of {obj.name} takes some "
                "away; move that modifier behind Flotsam."
            )
    same = np.flatnonzero(vertices[0] == vertices[1]) if row.a_object == row.b_object else ()
    if len(same):
        return (
            f"The attachment {row.name} ties vertex {vertices[0][same[0]]} of {row.a_object.name} to itself; "
            "remove the row and attach two different ones."
        )
    return ""
