"""Particles that are created and removed: ids, capacity, memory."""

from __future__ import annotations

import numpy as np
from flotsam.engine.world.living import Living


def test_ids_never_change_and_places_are_not_taken_again() -> None:
    """Five are born, two removed, one born: its id is new, and the others keep theirs."""
    living = Living(start=100, capacity=8)
    living.spawn(5)
    assert living.remove(np.array([False, True, False, True, False]))
    assert living.spawn(1) == slice(5, 6)
    assert living.ids.tolist() == [100, 102, 104, 105]
    assert (living.born, living.gone, living.room, living.stop) == (6, 2, 2, 108)


def test_removing_the_same_particle_twice_removes_nothing() -> None:
    """`remove` returns whether anything changed."""
    living = Living(0, 3)
    living.spawn(2)
    lost = np.array([True, False])
    assert living.remove(lost)
    assert not living.remove(lost)
    assert living.gone == 1


def test_memory_is_a_copy_and_recall_keeps_the_arrays() -> None:
    """Owners hold references to columns, so `recall` must write into them."""
    living = Living(0, 4)
    age = living.add_column("age")
    living.spawn(2)
    age[:2] = 1.5
    saved = living.memory()
    living.spawn(1)
    living.remove(np.array([True, True, False]))
    age[:] = 9.0
    living.recall(saved)
    assert living.ids.tolist() == [0, 1]
    assert living.born == 2
    assert age is living.columns["age"]
    assert age.tolist() == [1.5, 1.5, 0.0, 0.0]
