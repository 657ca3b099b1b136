"""Walls of a fluid's particles lie in parts of a table, one for each task, with the capacity that each needed last."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, FluidSpec, WorldSpec, build_world, step_frame
from flotsam.engine.systems.fluid.wall_table import WallTable, wall_table
from flotsam.engine.systems.fluid.walls import MOST_WALLS, WallFinder
from fluid_naive import box

SIDE = 14


def arguments(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    """Arguments of the last search for walls in a frame: a cube of particles in a tank, in two tasks."""
    calls: list[tuple[Any, ...]] = []
    find = WallFinder.find

    def note(self: WallFinder, *known: Any) -> WallTable:
        found = find(self, *known)
        # Later parts of the step write to these arrays.
        calls.append((*copy.deepcopy(known[:5]), copy.deepcopy(found), known[6]))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(WallFinder, "find", note)
        points, faces = box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
        tank = ColliderSpec("tank", 1.02 * points - 0.01, faces)
        water = FluidSpec("water", points, faces, spacing=1.0 / SIDE)
        step_frame(build_world(WorldSpec(systems=(water, tank))))
    return calls[-1]


def walls_of(table: WallTable, count: int) -> list[list[tuple[float, ...]]]:
    """Triangle and plane of each wall of each particle."""
    return [
        [(float(table.triangle[w]), *table.plane[w].tolist()) for w in range(table.first[i], table.stop[i])]
        for i in range(count)
    ]


def check_parts(table: WallTable, count: int) -> None:
    """Each part holds the walls of its particles, in their order, within its capacity; no two share a row."""
    rows = [np.arange(first, stop) for first, stop in zip(table.first[:count], table.stop[:count], strict=True)]
    used = [np.arange(begin, begin + found) for begin, found in zip(table.begin, table.found, strict=True)]
    np.testing.assert_array_equal(np.concatenate(rows), np.concatenate(used))
    np.testing.assert_array_equal(table.owner[np.concatenate(rows)], np.repeat(np.arange(count), list(map(len, rows))))
    assert (table.found <= table.end - table.begin).all()
    order = np.argsort(table.begin)
    assert (table.end[order][:-1] + MOST_WALLS <= table.begin[order][1:]).all()
    assert table.end.max() + MOST_WALLS <= len(table.triangle)


def test_walls_do_not_depend_on_the_room_that_they_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a table without capacity, with too little for one task or for all, and with far too much, they are equal."""
    *known, table, scratch = arguments(monkeypatch)
    count, finder = int(known[0].stop.max()), WallFinder()
    assert len(table.found) == 2 and (table.found > 300).all()
    expected = walls_of(table, count)
    check_parts(table, count)
    # Where the previous tasks had found nothing, the parts of the current ones are empty.
    for had in ((0, 0), (0, 700), (700, 0), (5, 5), (100_000, 9)):
        for other in (wall_table(len(table.first)), table.of_walls(5000)):
            other = other.of_tasks(2)
            other.found[:] = had
            other = finder.find(*known, other, scratch)
            check_parts(other, count)
            assert walls_of(other, count) == expected


def test_a_table_that_grows_is_filled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of walls beyond its capacity is known then: they are counted once, and set once."""
    *known, table, scratch = arguments(monkeypatch)
    finder, calls = WallFinder(), []
    find = finder._find
    monkeypatch.setattr(finder, "_find", lambda *arguments: calls.append(int(find(*arguments))) or calls[-1])
    grown = finder.find(*known, wall_table(len(table.first)), scratch)
    # First for tasks about which nothing is known; then counted; then with capacity for these or those beside them.
    assert len(calls) <= 4 and calls[-1] <= len(grown.triangle)
    counted = grown.found.tolist()
    calls.clear()
    again = finder.find(*known, grown.of_rows(len(table.first)).of_walls(0), scratch)
    assert len(calls) == 2 and again.found.tolist() == counted


def test_other_tasks_keep_what_is_known_of_their_number() -> None:
    """As the fluid spreads there are more tasks: earlier ones start with the capacity that they had."""
    table = wall_table(10, 4).of_tasks(2)
    table.found[:] = 7, 9
    assert table.of_tasks(3).found.tolist() == [7, 9, 0]
    assert table.of_tasks(1).found.tolist() == [7]
    assert table.of_tasks(2) is table
