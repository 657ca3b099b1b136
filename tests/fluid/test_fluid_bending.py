"""Deformable bodies between heavy particles: impulses are solved for, however light the body is."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine.systems.fluid.met.bodies import MetColumns
from flotsam.engine.systems.fluid.met.contacts import DEFORMABLE, Contacts, contacts_of
from flotsam.engine.systems.fluid.met.exchange import solve_deformable
from flotsam.engine.systems.fluid.wall_table import WallTable, wall_table

PARTICLE, COUNT, SIDE = 1.2, 120, 4


def pressed(corner_mass: float) -> tuple[Contacts, WallTable, MetColumns]:
    """A sheet of 4 x 4 corners of that mass [kg], and particles of 1.2 kg that approach it from both sides."""
    draw = np.random.default_rng(0)
    ids = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    c = ids[:-1, :-1].reshape(-1)
    corner = np.concatenate([np.stack([c, c + SIDE, c + SIDE + 1], 1), np.stack([c, c + SIDE + 1, c + 1], 1)])
    points, none = SIDE * SIDE, np.zeros(0)
    met = MetColumns(
        corner, np.full(len(corner), DEFORMABLE), np.full(points, 1.0 / corner_mass),
        *(np.zeros((points, 3)) for _ in range(3)), np.zeros(points), none, np.zeros((0, 3, 3)), none, none,
        np.zeros((0, 6)), np.zeros((0, 3)), *(np.zeros((0, 6)) for _ in range(3)), none,
    )
    contacts, table = contacts_of(COUNT, 0), wall_table(COUNT, COUNT)
    contacts.row[:] = contacts.wall[:] = table.triangle[:] = np.arange(COUNT)
    table.triangle[:] %= len(corner)
    table.barycentric[:] = draw.dirichlet(np.ones(3), COUNT)
    contacts.mass[:], contacts.solve.target_dv[:] = PARTICLE, draw.uniform(0.0, 2.0, COUNT)
    contacts.arm[:, 2] = np.where(np.arange(COUNT) % 2 == 0, 1.0, -1.0)
    contacts.solve.first[:], contacts.solve.deficit[:] = np.arange(COUNT), contacts.solve.target_dv
    return contacts, table, met


@pytest.mark.parametrize(("corner_mass", "error"), [(100.0, 0.01), (1.0, 0.03), (0.2, 0.06), (0.03, 0.2)])
def test_impulses_stop_what_presses_on_a_light_sheet(corner_mass: float, error: float) -> None:
    """J = m max(0, q + n . v) with the velocities v that all J cause; six iterations erred by 0.08, 0.24 and 0.42."""
    contacts, table, met = pressed(corner_mass)
    solve_deformable(COUNT, contacts, table, met)
    v, received = met.inv_mass[:, None] * met.step_impulse, np.zeros_like(met.step_impulse)
    at = met.corner[table.triangle]
    along = np.einsum("cn,cnk,ck->c", table.barycentric, v[at], contacts.arm[:, :3])
    expected = contacts.mass * np.maximum(contacts.solve.target_dv + along, 0.0)
    assert (contacts.solve.impulse >= 0.0).all()
    assert np.linalg.norm(contacts.solve.impulse - expected) < error * np.linalg.norm(
        contacts.mass * contacts.solve.target_dv
    )
    # Corners receive the momentum that particles lose.
    np.add.at(received, at, -np.einsum("cn,c,ck->cnk", table.barycentric, contacts.solve.impulse, contacts.arm[:, :3]))
    np.testing.assert_allclose(met.step_impulse, received, atol=1e-9)


def test_no_wall_gives_way_so_that_the_particle_passes_another() -> None:
    """Three walls a particle, in any direction: it keeps the required distance to all of them.

    Each impulse once considered its own wall only. Where a particle was pushed off two triangles and one of them
    yielded, it passed back through the other.
    """
    contacts, table, met = pressed(0.03)
    draw = np.random.default_rng(1)
    arms = draw.normal(size=(COUNT, 3)) + [0.0, 0.0, 2.0]
    contacts.arm[:, :3] = arms / np.linalg.norm(arms, axis=1)[:, None]
    contacts.solve.first[:] = np.arange(COUNT) // 3 * 3
    target_dv = (contacts.solve.target_dv[:, None] * contacts.arm[:, :3]).reshape(-1, 3, 3).sum(axis=1)
    contacts.solve.deficit[:] = (np.repeat(target_dv, 3, axis=0) * contacts.arm[:, :3]).sum(axis=1)
    solve_deformable(COUNT, contacts, table, met)
    dv = (contacts.solve.impulse / contacts.mass)[:, None] * contacts.arm[:, :3]
    np.testing.assert_allclose(contacts.solve.dv[::3], dv.reshape(-1, 3, 3).sum(axis=1), atol=1e-9)
    v = met.inv_mass[:, None] * met.step_impulse
    of_wall = np.einsum("cn,cnk,ck->c", table.barycentric, v[met.corner[table.triangle]], contacts.arm[:, :3])
    of_particle = (contacts.solve.dv[contacts.solve.first] * contacts.arm[:, :3]).sum(axis=1)
    assert (contacts.solve.impulse >= 0.0).all()
    assert np.maximum(contacts.solve.deficit + of_wall - of_particle, 0.0).max() < 0.02 * contacts.solve.deficit.max()
