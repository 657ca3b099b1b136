"""Counts the inner steps that contacts between unequal masses need.

In one pass of an inner step of length h a spring acts no harder than one of stiffness m / h², where m is the mass of a
vertex. Let a body of mass M press with speed v on vertices of total mass m, whose springs of length l have to stop it
within a fraction s of their length. Then m / h² (s l)² must be about M v², so

    1 / h = sqrt(M / m) v / (s l)

inner steps a second. A body at rest needs about sqrt(M / m) in a substep of 1/240 s; with fewer, edges stretch slowly.
More than a few times sqrt(k / m) a second have no effect, because springs of stiffness k are then resolved.

Only bodies that move towards the contact or press on it by their weight count: a ring on a crate counts, and the crate
is its ground. For a rigid body at rest, M is the part of its mass that soft bodies supported in the last substep. A
crate under a cloth rests on the floor: a fold of the cloth that hangs below its rim supports next to nothing of it.

Measured with a pinned cloth of 2.7 kg, 3 m wide, edges of 7.5 cm, and a crate of 0.4 m that falls 0.3 m: the fewest
inner steps a substep that support it are 2 for 0.64 kg, 4 to 6 for 2.56 kg and 8 for 10.2 kg. Three rings of 4,608
vertices and 2.7 kg each under a crate of 5 kg need ten to twelve.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....compiler.kernels import kernel
from ....compiler.typed_call import TypedCall
from ....solver.constraints.contact.contact_order import row_of
from ....spec import SpringGraphSpec, VoxelBodySpec
from ....world.world import Model, World
from .islands import IslandFinder
from .springs import Links

# Inner steps a second for each unit of sqrt(M / m), for a body at rest.
AT_REST = 240.0
# Fraction s of a spring's length within which a pressing body is to be stopped.
STOPPING_STRAIN = 0.3
# A body at rest counts with the speed that gravity adds in this time [s]; bodies below LEAST_SPEED [m/s] are ignored.
WEIGHT_TIME, LEAST_SPEED = 0.1, 0.5
# A soft body counts as pressing if it is this many times heavier than the soft layer under its footprint.
HEAVIER = 8.0
# Inner steps for each radian of the fastest spring's oscillation; more are never needed.
RESOLVED = 2.0
# A body that lands on few vertices needs this many times the inner steps that it needs at rest.
LANDING = 2.5
# A fluid counts as pressing if a body carries more of it than this fraction of the body's own mass.
LEAST_FLUID = 1e-3
# The steps of a body that carries a fluid are proportional to its links from end to end, divided by this number.
LINKS = 4.0
# Columns gathered for each pressing body: mass pressed [kg], speed over spring length [1/s], the highest angular
# frequency of the springs pressed [1/s], and the speed without the part for its weight [m/s].
PRESSED, RATE, FREQUENCY, SPEED = 0, 1, 2, 3


class Pressers(NamedTuple):
    """Properties of bodies that determine how hard they press and what they can support, (bodies,) each.

    Attributes:
        mass: [kg], 0 for immovable bodies; is_soft: bool; footprint: area that each covers [m²].
        layer: area density of soft bodies [kg/m²]; frequency: highest angular frequency of their springs [1/s].
        length: mean length of their springs [m]; is_flock: bool, mass is that of one agent, and each presses alone.
    """

    mass: np.ndarray
    is_soft: np.ndarray
    footprint: np.ndarray
    layer: np.ndarray
    frequency: np.ndarray
    length: np.ndarray
    is_flock: np.ndarray


class Encounters:
    """Counts the inner steps that the contacts of a substep need."""

    def __init__(self, world: World, links: Links, of_piece: np.ndarray) -> None:
        """Args: world: the world; links: the springs of all its soft bodies; of_piece: (pieces,) body of each piece."""
        model = world.model
        count = len(model.bodies)
        self._of_piece = of_piece
        # For contacts of particles, and of rigid bodies.
        self._gather = TypedCall(gather_pressed), TypedCall(gather_pressed)
        self._raise, self._find_rates = (TypedCall(raise_islands), TypedCall(raise_islands)), TypedCall(required_rates)
        self._found, self._rate = np.zeros((count, 4)), np.zeros(count)
        # A world without rigid bodies.
        self._no_rigid = np.zeros(0), np.zeros(0, dtype=np.int64)
        own = self._pressers = Pressers(
            np.zeros(count), np.zeros(count, dtype=bool), *(np.zeros(count) for _ in range(4)),
            np.zeros(count, dtype=bool),
        )
        for spec in world.spec.systems:
            traits, index = spec.traits, model.bodies.index(world.body(spec.name)) if spec.traits.moves else 0
            if traits.steers:
                own.mass[index], own.is_flock[index] = spec.mass, True
            if not (traits.is_springy or traits.is_rigid):
                continue
            area = surface_area(spec)
            # The projected area of a convex body, averaged over all directions, is a quarter of its surface (Cauchy).
            own.mass[index], own.footprint[index] = world.mass(spec.name), 0.25 * area
            own.is_soft[index] = spec.traits.is_springy
            own.layer[index] = own.mass[index] / max(area, 1e-300) if spec.traits.is_springy else 0.0
        of = model.body[links.pairs[:, 0]]
        own.frequency[:] = highest_frequency(links, model)
        held = np.bincount(model.body, weights=model.inv_mass == 0.0, minlength=count) > 0.0
        self._landing_rate = self._rate_for_landing(held & own.is_soft)
        # Nothing heavy presses on a single body, with or without colliders.
        self._can_press = bool(own.is_soft.any()) and np.count_nonzero(own.mass) > 1
        number = np.bincount(of, minlength=count)
        own.length[:] = np.bincount(of, weights=links.rest, minlength=count) / np.maximum(number, 1)

    def _rate_for_landing(self, pinned: np.ndarray) -> np.ndarray:
        """Inner steps a second that pinned bodies need for the heaviest one that may land on them, (bodies,); else 0.

        A pinned sheet sags under its own weight before anything touches it. With fewer inner steps it would be too soft
        and sag too low, and would throw up a body that lands on it as soon as more steps make it stiff.
        """
        own = self._pressers
        pressed = np.outer(own.footprint, own.layer)
        is_heavy = own.mass[:, None] >= HEAVIER * np.minimum(pressed, own.mass)
        is_pair = np.outer(own.mass > 0.0, pinned) & (pressed > 0.0) & (is_heavy | ~own.is_soft[:, None])
        np.fill_diagonal(is_pair, False)
        ratio = np.divide(own.mass[:, None], pressed, out=np.zeros_like(pressed), where=is_pair)
        return np.minimum(np.sqrt(ratio) * LANDING * AT_REST, RESOLVED * own.frequency).max(axis=0, initial=0.0)

    def steps(self, world: World, finder: IslandFinder) -> np.ndarray:
        """Inner steps that contacts need in this substep, (pieces,); 0 where no heavy body presses on a soft one.

        Args: world: the world; finder: of its islands. `springs.most_steps` is not applied here.
        """
        model, found, own = world.model, self._found, self._pressers
        most = (
            self._landing_rate if world.added.fluid == 0.0
            else np.maximum(self._landing_rate, self._steps_for_fluid(world))
        )
        most = most[self._of_piece]
        if self._can_press:
            found[:] = 0.0
            wanted = np.zeros(finder.count)
            buffers = [world.contact_buffer, *([] if world.rigid is None else [world.rigid.contact_buffer])]
            for buffer, gather in zip(buffers, self._gather, strict=False):
                if buffer.count == 0:
                    continue
                table = buffer.columns
                gather(
                    buffer.count, table.contact, table.weight, table.normal, model.body, model.mass, world.state.v,
                    WEIGHT_TIME * model.gravity, own, found,
                )
            rigid = self._no_rigid if world.rigid is None else (world.rigid.borne, world.rigid.system)
            self._find_rates(found, own, *rigid, self._rate)
            for buffer, raise_rates in zip(buffers, self._raise, strict=False):
                if buffer.count == 0:
                    continue
                table = buffer.columns
                raise_rates(
                    buffer.count, table.contact, table.weight, model.body, own, self._rate, finder.graph, finder.label,
                    wanted,
                )
            most = np.maximum(most, wanted[finder.of_piece])
        return np.floor(world.h * most).astype(np.int64)

    def _steps_for_fluid(self, world: World) -> np.ndarray:
        """Inner steps a second that bodies need to carry fluid, (bodies,): their vertices stop all of it."""
        added, own = world.added, self._pressers
        bodies = slice(world.integrated, world.moving)
        mass = np.bincount(world.model.body[bodies], world.model.mass[bodies], minlength=len(own.mass)) - own.mass
        some = own.is_soft & (mass > LEAST_FLUID * own.mass)
        rate = np.divide(added.speed, STOPPING_STRAIN * own.length, out=np.zeros_like(mass), where=own.length > 0.0)
        # The whole weight is supported at the rim, this many links away.
        links = np.divide(2.0 * np.sqrt(own.footprint), own.length, out=np.zeros_like(mass), where=own.length > 0.0)
        at_rest = AT_REST * np.maximum(links / LINKS, 1.0)
        required = np.sqrt(added.fluid / np.where(some, mass, np.inf)) * (at_rest + rate)
        return np.minimum(required, RESOLVED * own.frequency)


def highest_frequency(links: Links, model: Model) -> np.ndarray:
    """The highest angular frequency of the springs of each body [1/s], (bodies,); 0 for a body without springs."""
    frequency = np.zeros(len(model.bodies))
    of, light = model.body[links.pairs[:, 0]], model.inv_mass[links.pairs].sum(axis=1)
    np.maximum.at(frequency, of, np.sqrt(links.stiffness * light))
    return frequency


def surface_area(spec: SpringGraphSpec | VoxelBodySpec) -> float:
    """Area of the faces of a body at rest [m²]; 0 for a body without faces."""
    if spec.triangles is None or len(spec.triangles) == 0:
        return 0.0
    a, b, c = (np.asarray(spec.vertices, dtype=np.float64)[np.asarray(spec.triangles)[:, k]] for k in range(3))
    return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


@kernel
def gather_pressed(count, contact, weight, normal, body, mass, v, gravity_dv, own, found):
    """Gather from contacts how bodies press on soft bodies.

    Args:
        count, contact, weight, normal: see `contact_buffer`; body, mass, v: (n,), (n,), (n, 3) of all particles.
        gravity_dv: (3,) velocity that gravity adds to every body [m/s]; own: see `Pressers`.
        found: in and out (bodies, 4), see PRESSED, RATE, FREQUENCY, SPEED.
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
            weight_speed = 0.0
            speed = 0.0
            pressed = 0.0
            for k in range(3):
                weight_speed += sign * normal[m, k] * gravity_dv[k]
            for e in range(4):
                i = contact[m, e]
                part = abs(weight[m, e])
                if (weight[m, e] > 0.0) == (side == 0):
                    for k in range(3):
                        speed += sign * part * normal[m, k] * v[i, k]
                else:
                    pressed += part * mass[i]
            if speed + weight_speed > LEAST_SPEED:
                is_least = own.is_flock[a] and found[a, PRESSED] > 0.0
                found[a, PRESSED] = min(found[a, PRESSED], pressed) if is_least else found[a, PRESSED] + pressed
                found[a, SPEED] = max(found[a, SPEED], speed)
                found[a, RATE] = max(found[a, RATE], (speed + weight_speed) / own.length[b])
                found[a, FREQUENCY] = max(found[a, FREQUENCY], own.frequency[b])


@kernel
def required_rates(found, own, supported, system, rate):
    """Inner steps a second that pressing bodies require: out rate (bodies,), 0 for others.

    A rigid body at rest presses with the part of its mass that soft bodies support.

    Args: found, own: see `gather_pressed`; supported: (b,) of rigid bodies [kg]; system: (b,) body of each.
    """
    for a in range(rate.shape[0]):
        rate[a] = own.mass[a]
    for b in range(system.shape[0]):
        if found[system[b], SPEED] <= LEAST_SPEED:
            rate[system[b]] = min(supported[b], own.mass[system[b]])
    for a in range(rate.shape[0]):
        presses = rate[a]
        rate[a] = 0.0
        if found[a, PRESSED] > 0.0 and presses > 0.0:
            required = math.sqrt(presses / found[a, PRESSED]) * (AT_REST + found[a, RATE] / STOPPING_STRAIN)
            rate[a] = min(required, RESOLVED * found[a, FREQUENCY])


@kernel
def raise_islands(count, contact, weight, body, own, rate, graph, island, wanted):
    """Raise the inner steps of the islands of soft bodies to those that touching bodies require.

    Args:
        count, contact, weight, body: see `gather_pressed`; own: `Pressers`.
        rate: (bodies,) inner steps a second that each pressing body requires, 0 for others.
        graph, island: see `constraints.islands`; wanted: in and out (islands,), the largest rate.
    """
    for m in range(count):
        first = body[contact[m, 0]]
        second = body[contact[m, 3]]
        required = max(rate[first], rate[second])
        if first == second or required == 0.0 or not (own.is_soft[first] or own.is_soft[second]):
            continue
        for e in range(4):
            r = row_of(contact[m, e], graph.row, graph.spare[0])
            if weight[m, e] != 0.0 and r != graph.spare[0]:
                g = island[graph.block_piece[graph.row_block[r]]]
                wanted[g] = max(wanted[g], required)
