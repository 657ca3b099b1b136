"""Errors and warnings of rigid bodies."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import SpecError, VoxelBodySpec, WorldSpec, build_world, step_frame
from shapes import box, torus

CUBE, SIDES = box(1.0, 1)
FLAT = CUBE * [1.0, 1.0, 0.0]


@pytest.mark.parametrize(("settings", "said"), [
    ({"density": -5.0}, "density"),
    ({"density": 0.0}, "density"),
    ({"voxel_size": 1.5}, r"voxel_size.*1\.5 m.*longest side, 1 m"),
    ({"voxel_size": 1e-4}, r"voxel_size.*voxels.*GB"),
    ({"vertices": FLAT}, "no voxel lies in the mesh"),
    ({"vertices": CUBE * np.nan}, "vertices"),
    ({"triangles": np.zeros((0, 3), dtype=int)}, "triangles.*faces to make a body of"),
    ({"triangles": SIDES + 100}, "triangles"),
    ({"pose": np.diag([2.0, 1.0, 1.0, 1.0])}, "pose.*without scale"),
    ({"pose": np.diag([-1.0, 1.0, 1.0, 1.0])}, "pose.*mirroring"),
    ({"velocity": (0.0, np.nan, 0.0)}, "velocity"),
    ({"angular_velocity": (1.0, 2.0)}, "angular_velocity"),
    ({"friction": -1.0}, "friction"),
])
def test_refuses_in_a_sentence(settings: dict, said: str) -> None:
    values = {"vertices": CUBE, "triangles": SIDES} | settings
    with pytest.raises(SpecError, match=f"(?s)crate.*{said}"):
        build_world(WorldSpec(systems=(VoxelBodySpec("crate", **values),)))


def test_warns_where_voxels_are_another_body_than_the_mesh() -> None:
    """Voxels as wide as the tube of a thin ring differ by more than 5 % and cause a warning; fine ones do not."""
    vertices, triangles, _edges = torus(0.5, 0.08, 40, 12)
    for size, warns in ((0.17, True), (0.02, False)):
        world = build_world(WorldSpec(systems=(VoxelBodySpec("ring", vertices, triangles, voxel_size=size),)))
        warnings = world.systems[0].warnings()
        assert bool(warnings) == warns
        error = step_frame(world).diagnostics["ring"]["voxel_error"][0]
        assert (error > 0.05) == warns
        if warns:
            assert "ring" in warnings[0] and "%" in warnings[0]
