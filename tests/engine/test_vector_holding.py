"""Contacts solved sixteen at a time, compared with the plain kernel."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine.solver.constraints.columns import ContactColumns, MovingRows
from flotsam.engine.solver.constraints.contact import contacts as plain
from flotsam.engine.solver.constraints.momentum import CONTACT_SUMS
from flotsam.engine.solver.vector import contacts as vector
from one_island import island_of

ROWS, BLOCK, STEPS, H = 200, 100, 7, 1e-3


def contacts(draw: np.random.Generator) -> ContactColumns:
    """Most rows have one contact, some of the second block two, and two contacts lie between rows."""
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
    separation, block = np.maximum(draw.normal(0.0, 1e-4, 240), 0.0), np.append(np.repeat([0, 1], BLOCK), 1)
    table = ContactColumns(
        np.array([0, 90, 230, 240, 240]), rows, sides, planes, separation, creep, np.zeros(240, dtype=np.int32),
        np.zeros((vector.COLUMNS, 240)), np.zeros(240, dtype=bool), block.astype(np.int32), np.zeros(240), np.zeros(3),
        np.zeros((2, CONTACT_SUMS)),
    )
    vector.begin_sixteens(table)
    return table


@pytest.mark.parametrize("seed", range(5))
def test_sixteen_contacts_at_a_time_do_what_each_does(seed: int) -> None:
    """Within rounding of rows in single precision, and of sums in another order."""
    draw = np.random.default_rng(seed)
    table = contacts(draw)
    at = np.column_stack([draw.standard_normal((ROWS + 1, 3)), np.zeros(ROWS + 1)])
    weight = np.append(draw.choice([0.0, 1.0, 20.0], ROWS, p=[0.1, 0.5, 0.4]), 0.0)
    began, reached, moved = (
        np.column_stack([draw.normal(0.0, size, (ROWS + 1, 3)), weight]).astype(np.float32)
        for size in (1e-4, 3e-4, 3e-4)
    )
    evens = [int(table.is_even[a:b:16].sum()) for a, b in ((0, 80), (90, 218))]
    assert evens[0] == 5 and 1 < evens[1] < 8
    found = []
    for kernels in (plain, vector):
        own = table._replace(held=np.zeros(240), energy=np.zeros(3), impulse=np.zeros((2, CONTACT_SUMS)))
        rows = MovingRows(at, moved.copy(), reached, began, *np.zeros((3, ROWS + 1, 4), dtype=np.float32))
        kernels.hold_apart(rows, own, island_of(2, STEPS), 0, 2, STEPS - 2, H)
        found.append((rows.moved, own))
    (rows, each), (rows_16, sixteen) = found
    assert np.count_nonzero(each.held) > 60
    assert np.abs(rows - moved)[:, :3].max() > 1e-4
    assert np.abs(rows_16 - rows).max() <= 2.0 * np.finfo(np.float32).eps * np.abs(rows[:, :3]).max()
    assert sixteen.held == pytest.approx(each.held, rel=1e-6, abs=1e-9)
    assert sixteen.energy == pytest.approx(each.energy, rel=1e-5, abs=1e-12)
    assert sixteen.impulse == pytest.approx(each.impulse, rel=1e-5, abs=1e-6)
