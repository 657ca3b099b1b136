"""Keyframes of a bake are replaced in an order that undo can follow."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest
from flotsam.addon.bake.job import bake_blocking
from flotsam.addon.capture.keys import remove_unused
from flotsam.addon.names import KEYS_MARK
from flotsam.addon.write import keyframes
from make_rigid import add_box, add_floor, rigid_scene


def test_keyframes_of_a_second_bake_have_an_address_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Undo compares data-blocks by their stored contents, and pointers are stored as addresses.

    With the new action at the address of the old one, undo kept the object with a pointer to an action that it freed.
    So the old one is removed when the new one is there.
    """
    scene = rigid_scene(tmp_path)
    crate = add_box("Crate", (0.0, 0.0, 1.5), (0.3, 0.2, 0.1))
    add_floor()
    bake_blocking(scene)
    seen = []

    def removed(action: bpy.types.Action) -> None:
        now = crate.animation_data.action
        seen.append(now is not None and KEYS_MARK in now and now != action)
        remove_unused(action)

    monkeypatch.setattr(keyframes, "remove_unused", removed)
    bake_blocking(scene)
    assert seen == [True]
    action = crate.animation_data.action
    assert action.name == "Crate Flotsam" and [one for one in bpy.data.actions if KEYS_MARK in one] == [action]
