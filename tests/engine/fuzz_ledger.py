"""Upper bound on the kinetic energy of a random scene."""

from __future__ import annotations

import math

import numpy as np
from flotsam.engine import Controls, build_world, step_frame
from flotsam.engine.mesh.graph.parts import triangle_areas
from flotsam.engine.solver.collide.response.response import RECOVERY_SPEED
from flotsam.engine.solver.constraints.gas.volume import AMBIENT
from flotsam.engine.solver.forces.buoyancy import MAX_HEIGHT, MAX_SPREAD
from flotsam.engine.systems.spring_graph.tables.springs import Links
from flotsam.engine.world.world import World
from fuzz_scenes import FRAMES, SHAPES, SceneDraw, controls, world_spec


def air_energy(pressure: float, rest_volume: float, volume: float) -> float:
    """Energy that air with this overpressure at its rest volume releases when it expands to ambient pressure [J]."""
    amount = (AMBIENT + pressure) * rest_volume
    return amount * math.log(amount / (AMBIENT * volume)) - (amount - AMBIENT * volume)


def links_of(world: World) -> Links:
    """The links of a world's springs, with stiffness and rest length but without damping."""
    graphs = world.systems[0]
    springs = graphs.springs.columns
    elastic = 1.0 - springs.follow if len(springs.follow) else 1.0
    h = (world.h / graphs.inner_steps.each)[graphs.rows.piece[springs.i]]
    stiffness = springs.kappa * elastic / h**2
    real = graphs.springs.rest > 0.0
    pairs = np.stack([graphs.rows.ids[rows[real]] for rows in (springs.i, springs.j)], axis=1)
    return Links(pairs, graphs.springs.rest[real].astype(float), stiffness[real], np.zeros(len(pairs)))


class Ledger:
    """Upper bound on the kinetic energy of a scene: all energy put in, minus the potential energy of height.

    Springs and air count as if they released all that they store. Contacts separate overlapping bodies at
    RECOVERY_SPEED, which stretches springs: each at most by the displacement of both of its ends since the start. In a
    substep a spring releases at most the kinetic energy of ends that undo their displacement in one inner step.
    """

    def __init__(self, scene: SceneDraw, world: World) -> None:
        self.scene = scene
        self.mass = world.model.mass
        self.start = world.state.x.copy()
        self.energy_in = kinetic(world) + self._springs(world) + self._water(world)
        self.energy_in += sum(
            air_energy(draw.pressure, volume, volume)
            for draw, volume in zip(scene.bodies, self._volumes(world), strict=True)
            if draw.pressure != 0.0 and SHAPES[draw.shape].hollow
        )
        self.can_collide = len(scene.bodies) > 1 or scene.boulder or scene.floor
        self.links = links_of(world)

    def _recovery(self, world: World) -> float:
        """Energy that contacts have put into springs so far, and that of the recovery speed [J]."""
        if not self.can_collide:
            return 0.0
        displacement = 2.0 * RECOVERY_SPEED * world.state.frame / world.spec.frame_rate
        inv_mass = np.maximum(world.model.inv_mass[self.links.pairs].sum(axis=1), 1e-12)
        fastest = 2.0 * RECOVERY_SPEED * int(world.systems[0].inner_steps.each.max())
        repeated = world.state.frame * world.substeps * 0.5 * fastest**2 / inv_mass
        stored = np.minimum(0.5 * self.links.stiffness * displacement**2, repeated)
        return float(stored.sum()) + 0.5 * self.mass.sum() * (2.0 * RECOVERY_SPEED) ** 2

    @staticmethod
    def _springs(world: World) -> float:
        links = links_of(world)
        apart = world.state.x[links.pairs[:, 0]] - world.state.x[links.pairs[:, 1]]
        return float((0.5 * links.stiffness * (np.linalg.norm(apart, axis=1) - links.rest) ** 2).sum())

    def _volumes(self, world: World) -> list[float]:
        """Volume of the air in each body [m³], 0 for bodies without air."""
        springs = world.systems[0]
        springs.rows.read_positions(world.state)
        springs.gas.measure(springs.rows.at)
        return [float(springs.gas.volume[springs.gas.body == k].sum()) for k in range(len(self.scene.bodies))]

    def _water(self, world: World) -> float:
        """Bound on the energy from buoyancy and flow [J].

        Buoyancy: that of a ball with the largest area that water acts on, for each body from its deepest point. Ten
        times that, because a hull too limp for water folds into lobes, and forces that are limited to what a substep
        can integrate (`forces.buoyancy.MAX_STIFF`) have no potential energy.
        """
        if self.scene.water is None:
            return 0.0
        height, flow, _drag = self.scene.water
        sizes = [np.linalg.norm(np.ptp(world.positions(f"body {k}"), axis=0)) for k in range(len(self.scene.bodies))]
        deepest = max(0.0, height - float(self.start[:, 2].min()))
        volume_height = sum((MAX_SPREAD * area) ** 1.5 * 0.094 * (deepest + MAX_HEIGHT * size) for area, size in zip(
            self._areas(world), sizes, strict=True
        ))
        return 10.0 * 1000.0 * self.scene.gravity * volume_height + 0.5 * self.mass.sum() * (2.0 * flow) ** 2

    def _areas(self, world: World) -> list[float]:
        """Area of each body's surface [m²], 0 without a surface."""
        areas = []
        for k, draw in enumerate(self.scene.bodies):
            triangles = SHAPES[draw.shape].triangles
            areas.append(0.0 if triangles is None else triangle_areas(world.positions(f"body {k}"), triangles).sum())
        return areas

    def before_frame(self, world: World, moved: Controls) -> None:
        """Add the energy of this frame's controls."""
        springs, volumes = world.systems[0], self._volumes(world)
        rest, body = springs.gas.rest_volume, springs.gas.body
        for k in range(len(self.scene.bodies)):
            name = f"body {k}"
            if name in moved.values:
                pressure = moved.values[name]["pressure"]
                own = float(rest[body == k].sum())
                self.energy_in += air_energy(pressure, own, max(volumes[k], 1e-3 * own))
            if name in moved.pins:
                pulled = np.isin(self.links.pairs, springs.held.ids[name]).any(axis=1)
                travel = float(np.linalg.norm(moved.pins[name] - world.state.x[springs.held.ids[name]], axis=1).max())
                apart = world.state.x[self.links.pairs[:, 0]] - world.state.x[self.links.pairs[:, 1]]
                stretch = np.abs(np.linalg.norm(apart, axis=1) - self.links.rest) + travel
                self.energy_in += float((0.5 * self.links.stiffness * stretch**2)[pulled].sum())
                # Pins move at 24 travel [m/s]. A body tied to them is thrown at up to twice that, and air pushes it
                # along the whole travel.
                fastest = float(np.linalg.norm(world.state.v, axis=1).max()) + 2.0 * 24.0 * travel
                force = self._areas(world)[k] * abs(self.scene.bodies[k].pressure)
                self.energy_in += 0.5 * self.mass.sum() * fastest**2 + force * travel

    def bound(self, world: World) -> float:
        """Upper bound on the kinetic energy now [J], rounding included."""
        weight = (self.mass * self.scene.gravity)[world.model.inv_mass > 0.0]
        height = world.state.x[world.model.inv_mass > 0.0, 2]
        fallen = self.start[world.model.inv_mass > 0.0, 2] - height
        # Rows round to 6e-8 of a body's size; divided by a substep that is a velocity.
        rounding_speed = 1e-6 * max(draw.size for draw in self.scene.bodies) / world.h
        # The height fallen is only known to within half a substep.
        gravity_dv = world.h * self.scene.gravity
        speed = np.linalg.norm(world.state.v, axis=1)
        coarse = float((self.mass * gravity_dv * np.minimum(speed, 200.0 + gravity_dv)).sum())
        rounding = 1e-6 * (self.energy_in + float((weight * np.abs(height)).sum()))
        rounding += coarse + 0.5 * self.mass.sum() * rounding_speed**2
        return self.energy_in + self._recovery(world) + float((weight * fallen).sum()) + rounding


def excess(scene: SceneDraw, frames: int = FRAMES) -> float:
    """Largest ratio of kinetic energy to its bound at the end of a frame; above 1 the scene has exploded.

    Raises:
        Diverged: a position or a velocity is not finite.
    """
    world = build_world(world_spec(scene))
    ledger = Ledger(scene, world)
    worst = 0.0
    for frame in range(frames):
        moved = controls(scene, frame)
        ledger.before_frame(world, moved)
        step_frame(world, moved)
        bound = ledger.bound(world)
        worst = max(worst, kinetic(world) / bound if bound > 0.0 else np.inf)
    return worst


def kinetic(world: World) -> float:
    """Kinetic energy of all free particles [J]."""
    free = world.model.inv_mass > 0.0
    return float((0.5 * world.model.mass * (world.state.v**2).sum(axis=1))[free].sum())
