"""Scene's list of joints → joints between systems."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np

from ...engine.spec import Joint
from ..names import SETTINGS
from ..properties.joints import trouble_with
from .interactions import values_of
from .mesh import transform


def capture_joints(
    scene: bpy.types.Scene, names: set[str], matrices: Mapping[str, np.ndarray], warnings: list[str]
) -> tuple[Joint, ...]:
    """Joints of the rows that are not muted, in their order.

    Args:
        scene: whose list it is.
        names: of the participating systems; matrices: of rigid bodies at the start, (4, 4) by name.
        warnings: receives a sentence for each invalid row, which is skipped.
    """
    found = []
    for row in getattr(scene, SETTINGS).joints:
        if row.mute:
            continue
        trouble = trouble_with(row, scene)
        both = [row.a_object] if row.to_world else [row.a_object, row.b_object]
        if not trouble:
            absent = next((obj.name for obj in both if obj.name_full not in names), None)
            trouble = "" if absent is None else (
                f"The joint {row.name} is left out, because {absent} takes no part in this bake."
            )
        if not trouble and row.kind == "HINGE" and not any(row.axis):
            trouble = f"The joint {row.name} has no axis; set one that is not nought."
        if trouble:
            warnings.append(trouble)
            continue
        matrix = matrices[row.a_object.name_full]
        point = transform(matrix, np.array([row.place], dtype=np.float64))[0]
        axis = matrix[:3, :3] @ np.array(row.axis, dtype=np.float64)
        other = "" if row.to_world else row.b_object.name_full
        found.append(Joint(row.a_object.name_full, other, point, axis, **values_of(row, Joint)))
    return tuple(found)
