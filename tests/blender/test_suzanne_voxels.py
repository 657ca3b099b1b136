"""Blender's monkey: three pieces, with holes behind the eyes."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from flotsam.engine.mesh.graph.parts import find_parts
from flotsam.engine.mesh.voxel.grid import is_closed, voxelize
from flotsam.engine.mesh.voxel.mass import voxel_mass


def test_the_monkey_has_its_volume() -> None:
    """Within 2 % at 64 voxels across; the eyes, a fiftieth, overlap the head, whose holes are capped for comparison."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_monkey_add()
    mesh = bpy.context.object.data
    mesh.calc_loop_triangles()
    vertices = np.array([vertex.co for vertex in mesh.vertices])
    triangles = np.array([triangle.vertices for triangle in mesh.loop_triangles])
    assert not is_closed(triangles)
    voxels = voxelize("monkey", vertices, triangles, np.ptp(vertices, axis=0).max() / 64.0)
    head = find_parts(vertices, triangles).volume.max()
    assert voxel_mass(voxels, 1.0).mass == pytest.approx(head, rel=0.02)
