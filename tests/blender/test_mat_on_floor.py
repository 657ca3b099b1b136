"""A rigid body that hits the floor through a stretched mat."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from make_scene import fresh_scene, pin, world_positions


def test_a_mat_throws_nobody_up_from_the_floor(tmp_path: Path) -> None:
    """Suzanne falls 0.9 m on a rubber mat 0.9 m above a floor; the energy of her centre only decreases, from 17.4 J/kg.

    Parts of the mat fly up from the floor at 8 m/s. Formerly they counted as static ground and threw her to 30 J/kg.
    """
    scene = fresh_scene(tmp_path, (1, 22))
    scene.flotsam.substeps = 13
    bpy.ops.mesh.primitive_plane_add(size=10.0)
    assert bpy.ops.flotsam.add(kind="COLLIDER") == {"FINISHED"}
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=32, y_subdivisions=32, size=2.4, location=(0.0, 0.0, 0.9))
    mat = bpy.context.object
    assert bpy.ops.flotsam.add(material="rubber_sheet") == {"FINISHED"}
    pin(mat, [vertex.index for vertex in mat.data.vertices if max(abs(vertex.co.x), abs(vertex.co.y)) > 1.199])
    bpy.ops.mesh.primitive_monkey_add(size=0.7, location=(0.1, 0.0, 1.8), rotation=(0.4, 0.3, 0.0))
    monkey = bpy.context.object
    assert bpy.ops.flotsam.add(material="wood") == {"FINISHED"}
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    middle = np.array([np.mean(world_positions(monkey, frame), axis=0) for frame in range(1, 23)])
    speed = np.linalg.norm(np.diff(middle, axis=0), axis=1) * 24.0
    energy = 0.5 * speed**2 + 9.81 * 0.5 * (middle[1:, 2] + middle[:-1, 2])
    assert middle[:, 2].min() < 0.45, "she reaches the floor"
    assert energy.max() < 9.81 * middle[0, 2] + 0.1
    assert energy[15:].max() < 12.0
