"""Contacts held sixteen at a time do what each does by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from flotsam.engine.solver.constraints.contact import contacts as plain
from flotsam.engine.solver.constraints.momentum import GIVEN
from flotsam.engine.solver.vector import contacts as vector

ROWS, BLOCK, STEPS, H = 200, 100, 7, 1e-3


@dataclass
class Table:
    """Rows, and contacts in the order of blocks, as `tables.contact_rows` makes them."""

    start: np.ndarray
    rows: np.ndarray
    sides: np.ndarray
    planes: np.ndarray
    room: np.ndarray
    creep: np.ndarray

    def sixteens(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        count = len(self.room)
        own, columns = np.zeros(count, dtype=np.int32), np.zeros((vector.COLUMNS, count))
        is_even = np.zeros(count, dtype=bool)
        vector.begin_sixteens(self.start, self.rows, self.sides, self.planes, self.creep, own, columns, is_even)
        return own, columns, is_even


def contacts(draw: np.random.Generator) -> Table:
    """Most rows have one contact, some of the second block two, and two lie between rows."""
    rows, sides = np.full((240, 4), ROWS, dtype=np.int32), np.zeros((240, 4))
    first = np.sort(draw.choice(BLOCK, 90, replace=False))
    second = np.sort(np.append(np.arange(BLOCK, 2 * BLOCK), draw.integers(150, 200, 40)))
    rows[:230, 0] = np.concatenate([first, second])
    sides[:230, 0] = draw.choice([1.0, -1.0, 0.3, -0.01], 230)
    rows[228:230, 1], sides[228:230, 1] = 199, -0.5
    rows[230:, :2], sides[230:, :2] = draw.integers(0, 200, (10, 2)), (1.0, -1.0)
    normal = draw.standard_normal((240, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    planes = np.column_stack([normal, draw.choice([0.0, 0.3, 5.0], 240)])
    creep = np.where(draw.random(240) < 0.5, 1e-4, 0.0)[:, None] * draw.standard_normal((240, 3))
    return Table(
        np.array([0, 90, 230, 240]), rows, sides, planes, np.maximum(draw.normal(0.0, 1e-4, 240), 0.0), creep
    )


@pytest.mark.parametrize("seed", range(5))
def test_sixteen_contacts_at_a_time_do_what_each_does(seed: int) -> None:
    """To rounding of rows in single precision, and of sums in another order."""
    draw = np.random.default_rng(seed)
    table = contacts(draw)
    at = np.column_stack([draw.standard_normal((ROWS + 1, 3)), np.zeros(ROWS + 1)])
    weight = np.append(draw.choice([0.0, 1.0, 20.0], ROWS, p=[0.1, 0.5, 0.4]), 0.0)
    start, predicted, moved = (
        np.column_stack([draw.normal(0.0, size, (ROWS + 1, 3)), weight]).astype(np.float32)
        for size in (1e-4, 3e-4, 3e-4)
    )
    block = np.append(np.repeat([0, 1], BLOCK), 1).astype(np.int32)
    own, columns, is_even = table.sixteens()
    evens = [int(is_even[a:b:16].sum()) for a, b in ((0, 80), (90, 218))]
    assert evens[0] == 5 and 1 < evens[1] < 8
    found = []
    for law in (plain, vector):
        rows, held, energy, given = moved.copy(), np.zeros(240), np.zeros(3), np.zeros((2, GIVEN))
        law.hold_apart(
            table.start, at, rows, predicted, start, table.rows, table.sides, table.planes, table.room, table.creep,
            own, columns, is_even, block, 2, STEPS - 2, STEPS, H, held, energy, given,
        )
        found.append((rows, held, energy, given))
    (rows, held, energy, given), (rows_16, held_16, energy_16, given_16) = found
    assert np.count_nonzero(held) > 60
    assert np.abs(rows - moved)[:, :3].max() > 1e-4
    assert np.abs(rows_16 - rows).max() <= 2.0 * np.finfo(np.float32).eps * np.abs(rows[:, :3]).max()
    assert held_16 == pytest.approx(held, rel=1e-6, abs=1e-9)
    assert energy_16 == pytest.approx(energy, rel=1e-5, abs=1e-12)
    assert given_16 == pytest.approx(given, rel=1e-5, abs=1e-6)
