"""Applies the velocities that fields give to particles and to rigid bodies."""

from __future__ import annotations

from ...compiler.kernels import kernel, parallel_kernel, prange
from .laws.plain import BLOCK


@parallel_kernel
def give_particles(ids, given, inv_mass, v):
    """v += given for free particles; args: ids: (m,); given: (m, 6) [m/s]."""
    for block in prange((ids.shape[0] + BLOCK - 1) // BLOCK):
        for m in range(block * BLOCK, min((block + 1) * BLOCK, ids.shape[0])):
            i = ids[m]
            if inv_mass[i] > 0.0:
                v[i, 0] += given[m, 0]
                v[i, 1] += given[m, 1]
                v[i, 2] += given[m, 2]


@kernel
def give_bodies(first, stop, ids, given, x, mass, position, h, force, torque):
    """Force and torque on rigid bodies from the velocities that fields give their particles.

    Args: first, stop: (b,) ranges of `ids`; given: (m, 6) [m/s]; mass: (n,) of particles [kg]; position: (b, 3) of
        centres [m]; force, torque: (b, 3) are added to [N], [N m].
    """
    for b in range(first.shape[0]):
        for m in range(first[b], stop[b]):
            i = ids[m]
            share = mass[i] / h
            fx, fy, fz = share * given[m, 0], share * given[m, 1], share * given[m, 2]
            rx, ry, rz = x[i, 0] - position[b, 0], x[i, 1] - position[b, 1], x[i, 2] - position[b, 2]
            force[b, 0] += fx
            force[b, 1] += fy
            force[b, 2] += fz
            torque[b, 0] += ry * fz - rz * fy
            torque[b, 1] += rz * fx - rx * fz
            torque[b, 2] += rx * fy - ry * fx
