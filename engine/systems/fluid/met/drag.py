"""Drag of a viscous fluid on the bodies in contact with it."""

from __future__ import annotations

from ....compiler.kernels import kernel
from ..density import WEIGHT, from_wall
from ..law import grip


@kernel
def find_drag_factors(close, contacts, rows, speeds, law, pass_mass, table, met):
    """Fraction of its drag that each wall exerts, `table.drag_factor`: below 1 if the fluid drags a lighter body along.

    Without it a light body would be dragged faster than the fluid flows. Immovable walls exert all.

    Args: close: number of walls of movable bodies, in `contacts`; pass_mass: mass at `rel_inv_mass` 1 [kg] times
        passes.
    """
    met.body_load[:] = 0.0
    met.point_load[:] = 0.0
    for is_last in (False, True):
        for c in range(close):
            i, w = contacts.close_row[c], contacts.close_wall[c]
            t = table.triangle[w]
            b, distance = met.response[t], from_wall(rows, i, table.plane, w)
            load = pass_mass * speeds[i, 3] * table.plane[w, WEIGHT] * grip(distance, law.per_support)
            if b >= 0:
                if is_last:
                    table.drag_factor[w] = 1.0 / (1.0 + met.body_load[b])
                else:
                    met.body_load[b] += load * met.max_inv_mass[b]
            else:
                for n in range(3):
                    p = met.corner[t, n]
                    if is_last:
                        table.drag_factor[w] = min(table.drag_factor[w], 1.0 / (1.0 + met.point_load[p]))
                    else:
                        met.point_load[p] += table.barycentric[w, n] * load * met.inv_mass[p]


@kernel
def apply_drag(close, contacts, rows, origin, h, unit_mass, rel_inv_mass, table, met):
    """Apply the reaction to the drag of walls, `table.displacement`, to bodies; close: see `find_drag_factors`."""
    for c in range(close):
        i, w = contacts.close_row[c], contacts.close_wall[c]
        t = table.triangle[w]
        b = met.response[t]
        scale = -unit_mass / rel_inv_mass[i] / h
        jx, jy, jz = (
            scale * table.displacement[w, 0], scale * table.displacement[w, 1], scale * table.displacement[w, 2]
        )
        if b >= 0:
            rx = rows[i, 0] + origin[0] - met.centre[b, 0]
            ry = rows[i, 1] + origin[1] - met.centre[b, 1]
            rz = rows[i, 2] + origin[2] - met.centre[b, 2]
            drag = met.drag_impulse[b]
            drag[0] += jx
            drag[1] += jy
            drag[2] += jz
            drag[3] += ry * jz - rz * jy
            drag[4] += rz * jx - rx * jz
            drag[5] += rx * jy - ry * jx
        else:
            for n in range(3):
                p, weight = met.corner[t, n], table.barycentric[w, n]
                dv = weight * met.inv_mass[p]
                met.impulse[p, 0] += weight * jx
                met.impulse[p, 1] += weight * jy
                met.impulse[p, 2] += weight * jz
                met.speed[p, 0] += dv * jx
                met.speed[p, 1] += dv * jy
                met.speed[p, 2] += dv * jz
