"""Applies the sums of fields to free particles and to rigid bodies."""

from __future__ import annotations

from ...compiler.kernels import kernel, part_of_kernel
from .laws.plain import AX, AY, AZ, BLOCK, BX, BY, BZ, RATE, VX, VY, VZ, WEIGHT, WX, WY, WZ


@part_of_kernel
def turn_into_changes(bodies, moving, room, first, stop, h, turns):
    """Replace the accelerations of a block by changes of velocity [m/s]; see `push`."""
    one = bodies.response[moving.body[first]]
    for k in range(BLOCK):
        room[k + WEIGHT] = h * one
    if moving.body[stop - 1] != moving.body[first]:
        for m in range(first, stop):
            room[m - first + WEIGHT] = h * bodies.response[moving.body[m]]
    spin = 1.0 if turns else 0.0
    for k in range(BLOCK):
        share = room[k + WEIGHT]
        rate, half = min(share * room[k + RATE], 1.0), 0.5 * share
        vx, vy, vz = room[k + VX], room[k + VY], room[k + VZ]
        tx, ty, tz = half * room[k + BX], half * room[k + BY], half * room[k + BZ]
        turn = 2.0 / (1.0 + spin * (tx * tx + ty * ty + tz * tz))
        ux = vx + spin * (vy * tz - vz * ty)
        uy = vy + spin * (vz * tx - vx * tz)
        uz = vz + spin * (vx * ty - vy * tx)
        room[k + AX] = share * room[k + AX] - rate * vx + turn * (uy * tz - uz * ty)
        room[k + AY] = share * room[k + AY] - rate * vy + turn * (uz * tx - ux * tz)
        room[k + AZ] = share * room[k + AZ] - rate * vz + turn * (ux * ty - uy * tx)


@part_of_kernel
def give_block(moving, bodies, room, first, stop, h, given):
    """Add the changes of a block to the velocities of free particles; those of others and winds go into `given`."""
    v = moving.v
    for m in range(first, stop):
        i, body, k = moving.ids[m], moving.body[m], m - first
        dx = room[k + AX] + h * bodies.lift[body, 0]
        dy = room[k + AY] + h * bodies.lift[body, 1]
        dz = room[k + AZ] + h * bodies.lift[body, 2]
        if moving.inv_mass[i] > 0.0:
            v[i, 0] += dx
            v[i, 1] += dy
            v[i, 2] += dz
        else:
            given[m, 0], given[m, 1], given[m, 2] = dx, dy, dz
        if moving.on_face[m]:
            given[m, 3], given[m, 4], given[m, 5] = room[k + WX], room[k + WY], room[k + WZ]


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
