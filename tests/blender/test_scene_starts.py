"""How scene presets begin."""

from __future__ import annotations

from itertools import combinations

import bpy
import pytest
from crossings import boxes, cuts, shells
from flotsam.addon.capture import capture_world
from flotsam.addon.scenes import scene_presets
from flotsam.engine import build_world
from make_scene import fresh_scene


@pytest.mark.parametrize("preset", scene_presets())
def test_no_bodies_begin_in_each_other(preset: str) -> None:
    """No edge of one crosses a face of another: formerly ten balls of the pit did, and a ball and a box by water."""
    fresh_scene()
    assert bpy.ops.flotsam.add_scene(preset=preset) == {"FINISHED"}
    world = build_world(capture_world(bpy.context.scene, bpy.context.evaluated_depsgraph_get()).spec)
    x, all_shells = world.state.x, shells(world)
    around = {one.name: (boxes(x, one.edges), boxes(x, one.faces)) for one in all_shells if len(one.faces)}
    crossing = []
    for one, other in combinations([shell for shell in all_shells if shell.name in around], 2):
        if "COLLIDER" == one.kind == other.kind:
            continue
        for a, b in ((one, other), (other, one)):
            if len(cuts(x, a.edges, b.faces, around[a.name][0], around[b.name][1])):
                crossing.append((a.name, b.name))
    assert crossing == []
