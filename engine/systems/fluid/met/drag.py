"""Drag of a viscous fluid on the bodies that it meets."""

from __future__ import annotations

from ....compiler.kernels import kernel
from ..density import WEIGHT, from_wall
from ..law import grip


@kernel
def find_yields(close, contacts, rows, speeds, law, passed, table, met):
    """How much of its drag each wall exerts, `table.give`: less where the fluid drags more mass along than a body has.

    Without it a light body would be dragged faster than the fluid flows. Walls that stand exert all.

    Args: close: walls of bodies that answer, in `contacts`; passed: mass at lightness 1 [kg] times passes.
    """
    met.whole_load[:] = 0.0
    met.point_load[:] = 0.0
    for is_last in (False, True):
        for c in range(close):
            i, w = contacts.close_row[c], contacts.close_wall[c]
            t = table.triangle[w]
            b, distance = met.answers[t], from_wall(rows, i, table.plane, w)
            load = passed * speeds[i, 3] * table.plane[w, WEIGHT] * grip(distance, law.per_support)
            if b >= 0:
                if is_last:
                    table.give[w] = 1.0 / (1.0 + met.whole_load[b])
                else:
                    met.whole_load[b] += load * met.lightest[b]
            else:
                for n in range(3):
                    p = met.corner[t, n]
                    if is_last:
                        table.give[w] = min(table.give[w], 1.0 / (1.0 + met.point_load[p]))
                    else:
                        met.point_load[p] += table.share[w, n] * load * met.light[p]


@kernel
def react(close, contacts, rows, origin, h, unit, lightness, table, met):
    """Bodies take what walls dragged particles along by, `table.push`; close: see `find_yields`."""
    for c in range(close):
        i, w = contacts.close_row[c], contacts.close_wall[c]
        t = table.triangle[w]
        b = met.answers[t]
        scale = -unit / lightness[i] / h
        jx, jy, jz = scale * table.push[w, 0], scale * table.push[w, 1], scale * table.push[w, 2]
        if b >= 0:
            rx = rows[i, 0] + origin[0] - met.centre[b, 0]
            ry = rows[i, 1] + origin[1] - met.centre[b, 1]
            rz = rows[i, 2] + origin[2] - met.centre[b, 2]
            tow = met.tow[b]
            tow[0] += jx
            tow[1] += jy
            tow[2] += jz
            tow[3] += ry * jz - rz * jy
            tow[4] += rz * jx - rx * jz
            tow[5] += rx * jy - ry * jx
        else:
            for n in range(3):
                p, share = met.corner[t, n], table.share[w, n]
                dv = share * met.light[p]
                met.impulse[p, 0] += share * jx
                met.impulse[p, 1] += share * jy
                met.impulse[p, 2] += share * jz
                met.speed[p, 0] += dv * jx
                met.speed[p, 1] += dv * jy
                met.speed[p, 2] += dv * jz
