"""Random scenes for T21, and the most kinetic energy that each of them may ever show."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from flotsam.engine import ColliderSpec, Controls, SpringGraphSpec, WaterSpec, WorldSpec, build_world, step_frame
from flotsam.engine.collide.response import RECOVERY_SPEED
from flotsam.engine.constraints.volume import AMBIENT
from flotsam.engine.forces.buoyancy import MOST_HEIGHT, MOST_SPREAD
from flotsam.engine.graph.parts import triangle_areas
from flotsam.engine.world import World
from hypothesis import strategies as st
from shapes import FLOOR, FLOOR_TRIANGLES, box, chain, sphere, torus

FRAMES = 6


@dataclass(frozen=True)
class Shape:
    """A mesh of about a metre: vertices (n, 3), triangles (t, 3), edges (e, 2) or None, whether it encloses air."""

    vertices: np.ndarray
    triangles: np.ndarray | None
    edges: np.ndarray | None
    hollow: bool


def _shapes() -> dict[str, Shape]:
    cube, cube_triangles = box(1.0, 1)
    fine, fine_triangles = box(1.0, 2)
    ball, ball_triangles = sphere(0.5, 1)
    ring, ring_triangles, ring_edges = torus(0.4, 0.15, 8, 5)
    rope, rope_edges = chain(6, 1.0, (0.6, 0.0, 0.8))
    lid = fine_triangles[~(fine[fine_triangles][:, :, 2] > 0.49).all(axis=1)]
    sheet = fine * [1.0, 1.0, 0.0] + [0.0, 0.0, 0.001] * np.arange(len(fine))[:, None]
    top = (fine[fine_triangles][:, :, 2] > 0.49).all(axis=1)
    return {
        "cube": Shape(cube, cube_triangles, None, True),
        "fine cube": Shape(fine, fine_triangles, None, True),
        "ball": Shape(ball, ball_triangles, None, True),
        "ring": Shape(ring, ring_triangles, ring_edges, True),
        "bag": Shape(fine, lid, None, True),
        "sheet": Shape(sheet, fine_triangles[top], None, False),
        "rope": Shape(rope, None, rope_edges, False),
    }


SHAPES = _shapes()


@dataclass(frozen=True)
class BodyDraw:
    """One body of a scene. Powers are of ten; `squash` thins it along Z; `pin_count` pins, which move by `jump` [m]."""

    shape: str = "cube"
    size: float = 1.0
    squash: float = 1.0
    at: tuple[float, float, float] = (0.0, 0.0, 1.0)
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    stiffness: float = 3.0
    mass: float = 0.0
    damping: float | None = None
    pressure: float = 0.0
    new_pressure: float | None = None
    rings: int = 1
    struts: int = 0
    thickness: float = 0.0
    friction: float = 0.3
    restitution: float = 0.0
    stretched: float = 1.0
    pin_count: int = 0
    jump: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class SceneDraw:
    """A scene as hypothesis draws and shrinks it."""

    bodies: tuple[BodyDraw, ...] = (BodyDraw(),)
    substeps: int = 10
    iterations: int = 0
    precision: str = "AUTO"
    gravity: float = 9.81
    floor: bool = False
    boulder: bool = False
    water: tuple[float, float, float] | None = None


def _steps(low: float, high: float, step: float) -> st.SearchStrategy[float]:
    """Numbers on a grid: they shrink to something that can be read, and 1e-300 is not a way to find faults."""
    return st.integers(round(low / step), round(high / step)).map(lambda count: count * step)


def _vector(most: float, step: float) -> st.SearchStrategy[tuple[float, float, float]]:
    part = _steps(-most, most, step)
    return st.tuples(part, part, part)


bodies = st.builds(
    BodyDraw,
    shape=st.sampled_from(list(SHAPES)),
    size=st.sampled_from([1.0, 0.3, 3.0, 0.01, 100.0]),
    squash=st.sampled_from([1.0, 0.3, 0.05]),
    at=_vector(1.5, 0.01),
    velocity=st.one_of(st.just((0.0, 0.0, 0.0)), _vector(10.0, 0.5), _vector(100.0, 5.0)),
    stiffness=_steps(0.0, 9.0, 0.5),
    mass=_steps(-3.0, 3.0, 0.5),
    damping=st.one_of(st.none(), _steps(-3.0, 6.0, 0.5)),
    pressure=st.one_of(st.just(0.0), _steps(-1e5, 1e6, 1e4), _steps(0.0, 1e4, 100.0)),
    new_pressure=st.one_of(st.none(), st.none(), _steps(-1e5, 1e6, 1e4)),
    rings=st.integers(1, 4),
    struts=st.integers(0, 3),
    thickness=st.sampled_from([0.0, 0.001, 0.1]),
    friction=st.sampled_from([0.3, 0.0, 1.0, 10.0]),
    restitution=st.sampled_from([0.0, 0.5, 1.0]),
    stretched=st.sampled_from([1.0, 1.0, 1.0, 0.5, 2.0]),
    pin_count=st.sampled_from([0, 0, 0, 1, 3]),
    jump=st.one_of(st.just((0.0, 0.0, 0.0)), _vector(2.0, 0.1)),
)

scenes = st.builds(
    SceneDraw,
    bodies=st.lists(bodies, min_size=1, max_size=3).map(tuple),
    substeps=st.sampled_from([10, 1, 2, 4, 20]),
    iterations=st.sampled_from([0, 0, 1, 5]),
    precision=st.sampled_from(["AUTO", "SINGLE", "DOUBLE"]),
    gravity=st.sampled_from([9.81, 0.0, 9.81, 100.0]),
    floor=st.booleans(),
    boulder=st.booleans(),
    water=st.one_of(
        st.none(), st.none(), st.tuples(_steps(-2.0, 2.0, 0.1), _steps(-5.0, 5.0, 0.5), st.sampled_from([1.0, 0.0]))
    ),
)


def body_spec(draw: BodyDraw, name: str) -> SpringGraphSpec:
    shape = SHAPES[draw.shape]
    vertices = shape.vertices * [1.0, 1.0, draw.squash] * draw.size + draw.at
    surface = shape.triangles is not None
    rest = None
    if draw.stretched != 1.0 and shape.edges is not None:
        rest = draw.stretched * np.linalg.norm(vertices[shape.edges[:, 0]] - vertices[shape.edges[:, 1]], axis=1)
    return SpringGraphSpec(
        name, vertices, shape.triangles, shape.edges,
        graph="SURFACE" if surface else "EDGES", rings=draw.rings, struts=draw.struts,
        stiffness=10.0**draw.stiffness, mass=10.0**draw.mass,
        damping=0.0 if draw.damping is None else 10.0**draw.damping,
        pressure=draw.pressure if shape.hollow else 0.0, thickness=draw.thickness, friction=draw.friction,
        restitution=draw.restitution, velocity=draw.velocity, rest_lengths=rest,
        pins=range(min(draw.pin_count, len(vertices) - 1)),
    )


def world_spec(scene: SceneDraw) -> WorldSpec:
    systems: list = [body_spec(draw, f"body {k}") for k, draw in enumerate(scene.bodies)]
    if scene.floor:
        systems.append(ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES))
    if scene.boulder:
        systems.append(ColliderSpec("boulder", *sphere(0.7, 1)))
    if scene.water is not None:
        systems.append(WaterSpec("water", scene.water[0], flow=(scene.water[1], 0.0, 0.0), drag=scene.water[2]))
    return WorldSpec(
        systems=tuple(systems), gravity=(0.0, 0.0, -scene.gravity), substeps=scene.substeps,
        iterations=scene.iterations, precision=scene.precision, threads=1,
    )


def controls(scene: SceneDraw, frame: int) -> Controls:
    """Pins jump in the second frame, pressures change in the fourth."""
    pins, values = {}, {}
    for k, draw in enumerate(scene.bodies):
        if draw.pin_count and frame == 1:
            vertices = body_spec(draw, "").vertices
            pins[f"body {k}"] = vertices[: min(draw.pin_count, len(vertices) - 1)] + draw.jump
        if draw.new_pressure is not None and SHAPES[draw.shape].hollow and frame == 3:
            values[f"body {k}"] = {"pressure": draw.new_pressure}
    return Controls(pins, values)


def air_energy(pressure: float, volume: float) -> float:
    """What enclosed air gives at most when it expands or shrinks to the outer pressure [J]."""
    amount = (AMBIENT + pressure) * volume
    return amount * math.log(amount / (AMBIENT * volume)) - (amount - AMBIENT * volume)


class Ledger:
    """The most kinetic energy a scene may show: all that was put in, less what lies in height.

    Springs and air are counted as if they gave all they hold. Contacts part bodies that overlap at RECOVERY_SPEED,
    which bends springs: each by no more than both its ends are moved since the start, and in a substep gives back no
    more than what moves its ends so fast.
    """

    def __init__(self, scene: SceneDraw, world: World) -> None:
        self.scene = scene
        self.mass = world.model.mass
        self.start = world.state.x.copy()
        self.given = kinetic(world) + self._springs(world) + self._water(world)
        self.given += sum(
            air_energy(draw.pressure, volume)
            for draw, volume in zip(scene.bodies, self._volumes(world), strict=True)
            if draw.pressure != 0.0 and SHAPES[draw.shape].hollow
        )
        self.meets = len(scene.bodies) > 1 or scene.boulder or scene.floor
        self.links = world.systems[0].springs.links

    def _recovery(self, world: World) -> float:
        """What contacts bent springs by until now, and the speed at which they part [J]."""
        if not self.meets:
            return 0.0
        way = 2.0 * RECOVERY_SPEED * world.state.frame / world.spec.frame_rate
        weight = np.maximum(world.model.inv_mass[self.links.pairs].sum(axis=1), 1e-12)
        often = world.state.frame * world.substeps * 0.5 * (2.0 * RECOVERY_SPEED) ** 2 / weight
        bent = np.minimum(0.5 * self.links.stiffness * way**2, often)
        return float(bent.sum()) + 0.5 * self.mass.sum() * (2.0 * RECOVERY_SPEED) ** 2

    @staticmethod
    def _springs(world: World) -> float:
        links = world.systems[0].springs.links
        apart = world.state.x[links.pairs[:, 0]] - world.state.x[links.pairs[:, 1]]
        return float((0.5 * links.stiffness * (np.linalg.norm(apart, axis=1) - links.rest) ** 2).sum())

    def _volumes(self, world: World) -> list[float]:
        """Volume of the air in each body, 0 for those without [m³]."""
        springs = world.systems[0]
        springs.rows.take(world.state)
        springs.gas.measure(springs.rows.at)
        return [float(springs.gas.volume[springs.gas.body == k].sum()) for k in range(len(self.scene.bodies))]

    def _water(self, world: World) -> float:
        """Lift of a ball of the largest area that water sees of each body, from its deepest point; the flow's pull.

        Ten times that: a hull too limp for water folds into lobes, and forces that are held to what a substep can
        follow (`forces.buoyancy.MOST_STIFF`) have no energy that could be written down.
        """
        if self.scene.water is None:
            return 0.0
        height, flow, _drag = self.scene.water
        sizes = [np.linalg.norm(np.ptp(world.positions(f"body {k}"), axis=0)) for k in range(len(self.scene.bodies))]
        deepest = max(0.0, height - float(self.start[:, 2].min()))
        room = sum((MOST_SPREAD * area) ** 1.5 * 0.094 * (deepest + MOST_HEIGHT * size) for area, size in zip(
            self._areas(world), sizes, strict=True
        ))
        return 10.0 * 1000.0 * self.scene.gravity * room + 0.5 * self.mass.sum() * (2.0 * flow) ** 2

    def _areas(self, world: World) -> list[float]:
        """Area of each body's surface, 0 without one [m²]."""
        areas = []
        for k, draw in enumerate(self.scene.bodies):
            triangles = SHAPES[draw.shape].triangles
            areas.append(0.0 if triangles is None else triangle_areas(world.positions(f"body {k}"), triangles).sum())
        return areas

    def before_frame(self, world: World, moved: Controls) -> None:
        """Count what this frame's controls bring."""
        springs, volumes = world.systems[0], self._volumes(world)
        for k in range(len(self.scene.bodies)):
            name = f"body {k}"
            if name in moved.values:
                self.given += air_energy(moved.values[name]["pressure"], abs(volumes[k]) + 1e-12)
            if name in moved.pins:
                pulled = np.isin(self.links.pairs, springs.pins[name]).any(axis=1)
                way = float(np.linalg.norm(moved.pins[name] - world.state.x[springs.pins[name]], axis=1).max())
                apart = world.state.x[self.links.pairs[:, 0]] - world.state.x[self.links.pairs[:, 1]]
                stretch = np.abs(np.linalg.norm(apart, axis=1) - self.links.rest) + way
                self.given += float((0.5 * self.links.stiffness * stretch**2)[pulled].sum())
                # What is tied to pins that move at 24 way [m/s] is thrown at twice that, and air pushes all the way.
                fastest = float(np.linalg.norm(world.state.v, axis=1).max()) + 2.0 * 24.0 * way
                push = self._areas(world)[k] * abs(self.scene.bodies[k].pressure)
                self.given += 0.5 * self.mass.sum() * fastest**2 + push * way

    def most(self, world: World) -> float:
        """The most kinetic energy allowed now [J], rounding included."""
        weight = (self.mass * self.scene.gravity)[world.model.inv_mass > 0.0]
        height = world.state.x[world.model.inv_mass > 0.0, 2]
        fallen = self.start[world.model.inv_mass > 0.0, 2] - height
        # Rows are rounded to 6e-8 of a body; over a substep that is a speed.
        shiver = 1e-6 * max(draw.size for draw in self.scene.bodies) / world.h
        # A substep's fall is only known to half a substep.
        rise = world.h * self.scene.gravity
        speed = np.linalg.norm(world.state.v, axis=1)
        coarse = float((self.mass * rise * np.minimum(speed, 200.0 + rise)).sum())
        rounding = 1e-6 * (self.given + float((weight * np.abs(height)).sum()))
        rounding += coarse + 0.5 * self.mass.sum() * shiver**2
        return self.given + self._recovery(world) + float((weight * fallen).sum()) + rounding


def excess(scene: SceneDraw, frames: int = FRAMES) -> float:
    """Largest share of the allowed kinetic energy that a scene shows at the end of a frame; above 1 it has exploded.

    Raises:
        Diverged: it left the finite numbers.
    """
    world = build_world(world_spec(scene))
    ledger = Ledger(scene, world)
    worst = 0.0
    for frame in range(frames):
        moved = controls(scene, frame)
        ledger.before_frame(world, moved)
        step_frame(world, moved)
        most = ledger.most(world)
        worst = max(worst, kinetic(world) / most if most > 0.0 else np.inf)
    return worst


def kinetic(world: World) -> float:
    """Kinetic energy of all free particles [J]."""
    free = world.model.inv_mass > 0.0
    return float((0.5 * world.model.mass * (world.state.v**2).sum(axis=1))[free].sum())
