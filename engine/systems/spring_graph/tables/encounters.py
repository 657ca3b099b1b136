"""How many inner steps contacts need: the heavier what presses on how little, and the faster, the more.

In one pass an inner step of h lets a spring pull no harder than about one of stiffness m / h² would, m the mass of a
vertex. Let a body of mass M press with the speed v on vertices of mass m in all, so that springs of length l have to
stop it within a part s of their length: then m / h² (s l)² is to be about M v², or

    1 / h = sqrt(M / m) v / (s l)

steps a second. What lies there at rest needs about sqrt(M / m) / h of the substep of 1/240 s, or it tears edges slowly.
More than a few times the root of k / m a second brings nothing, for springs of stiffness k are resolved then.

Only what presses down or comes along counts: of a ring that lies on a crate, or drops on it, the crate is the ground.

Measured on a pinned cloth of 2.7 kg, 3 m wide, 7.5 cm from vertex to vertex, and a crate of 0.4 m that falls 0.3 m: the
fewest steps a substep that hold are 2 for 0.64 kg, 4 to 6 for 2.56 kg and 8 for 10.2 kg; three rings of 4,608 vertices,
2.7 kg each, under a crate of 5 kg want ten to twelve.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel
from ....spec import SpringGraphSpec, VoxelBodySpec
from ....world.world import World
from .springs import Links

# Steps a second for each unit of the root of M / m, of what lies still.
AT_REST = 240.0
# Share s of a spring's length within which a presser is to be stopped.
WITHIN = 0.3
# Seconds of gravity by which what lies still presses, and who presses less than at this speed [m/s] does not press.
WEIGHS, SLOWEST = 0.1, 0.5
# A soft body presses as a whole if it is so many times heavier than what lies under its footprint.
HEAVIER = 8.0
# Steps in the time in which the fastest spring swings by a radian: more are never needed.
RESOLVED = 2.0
# Never more steps than this, whoever presses.
MOST_STEPS = 64
# What is gathered of a presser: mass pressed, speed over length, fastest swing of what is pressed.
PRESSED, RATE, SWING = 0, 1, 2


class Pressers(NamedTuple):
    """What bodies are to each other where one presses, (bodies,) each.

    Attributes:
        mass: [kg], 0 of those that nobody moves; is_soft: bool; footprint: area that each covers [m²].
        layer: mass of soft ones on a square metre [kg/m²]; swing: fastest swing of soft ones [1/s].
        length: of their springs, as a mean [m].
    """

    mass: np.ndarray
    is_soft: np.ndarray
    footprint: np.ndarray
    layer: np.ndarray
    swing: np.ndarray
    length: np.ndarray


class Encounters:
    """Counts the inner steps that the contacts of a substep need."""

    def __init__(self, world: World, links: Links) -> None:
        """Args: the world; the links of all its soft bodies."""
        model = world.model
        count = len(model.bodies)
        self._found = np.zeros((count, 3))
        own = self._pressers = Pressers(
            np.zeros(count), np.zeros(count, dtype=bool), *(np.zeros(count) for _ in range(4))
        )
        for spec in world.spec.systems:
            if not (spec.traits.is_springy or spec.traits.is_rigid):
                continue
            index, area = model.bodies.index(world.body(spec.name)), surface_area(spec)
            # What a convex body covers is a quarter of its surface, as a mean over all directions (Cauchy).
            own.mass[index], own.footprint[index] = world.mass(spec.name), 0.25 * area
            own.is_soft[index] = spec.traits.is_springy
            own.layer[index] = own.mass[index] / max(area, 1e-300) if spec.traits.is_springy else 0.0
        of, light = model.body[links.pairs[:, 0]], model.inv_mass[links.pairs].sum(axis=1)
        np.maximum.at(own.swing, of, np.sqrt(links.stiffness * light))
        number = np.bincount(of, minlength=count)
        own.length[:] = np.bincount(of, weights=links.rest, minlength=count) / np.maximum(number, 1)

    def steps(self, world: World) -> int:
        """Inner steps that the contacts of this substep need, 0 where nothing heavy presses."""
        model, found, own = world.model, self._found, self._pressers
        found[:] = 0.0
        for buffer in [world.holds] if world.rigid is None else [world.holds, world.rigid.holds]:
            table = buffer.columns
            gather_pressed(
                buffer.count, table.contact, table.weight, table.normal, model.body, model.mass, world.state.v,
                WEIGHS * model.gravity, own, found,
            )
        some = found[:, PRESSED] > 0.0
        if not some.any():
            return 0
        asked = np.sqrt(own.mass[some] / found[some, PRESSED]) * (AT_REST + found[some, RATE] / WITHIN)
        return min(math.floor(world.h * float(np.minimum(asked, RESOLVED * found[some, SWING]).max())), MOST_STEPS)


def surface_area(spec: SpringGraphSpec | VoxelBodySpec) -> float:
    """Of the faces of a body at rest [m²]; nought without any."""
    if spec.triangles is None or len(spec.triangles) == 0:
        return 0.0
    a, b, c = (np.asarray(spec.vertices, dtype=np.float64)[np.asarray(spec.triangles)[:, k]] for k in range(3))
    return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


@kernel
def gather_pressed(count, contact, weight, normal, body, mass, v, fall, own, found):
    """Gather who presses whom in some contacts.

    Args:
        count, contact, weight, normal: see `contact_buffer`; body, mass, v: (n,), (n,), (n, 3) of all particles.
        fall: (3,) speed of which gravity makes whatever lies still press [m/s]; own: see `Pressers`.
        found: in and out (bodies, 3), see PRESSED, RATE, SWING.
    """
    for m in range(count):
        first = body[contact[m, 0]]
        second = body[contact[m, 3]]
        if first == second:
            continue
        for side in range(2):
            a = first if side == 0 else second
            b = second if side == 0 else first
            if not own.is_soft[b] or own.mass[a] == 0.0 or (
                own.is_soft[a] and own.mass[a] < HEAVIER * min(own.layer[b] * own.footprint[a], own.mass[b])
            ):
                continue
            sign = -1.0 if side == 0 else 1.0
            speed = 0.0
            pressed = 0.0
            for k in range(3):
                speed += sign * normal[m, k] * fall[k]
            for e in range(4):
                i = contact[m, e]
                part = abs(weight[m, e])
                if (weight[m, e] > 0.0) == (side == 0):
                    for k in range(3):
                        speed += sign * part * normal[m, k] * v[i, k]
                else:
                    pressed += part * mass[i]
            if speed > SLOWEST:
                found[a, PRESSED] += pressed
                found[a, RATE] = max(found[a, RATE], speed / own.length[b])
                found[a, SWING] = max(found[a, SWING], own.swing[b])
