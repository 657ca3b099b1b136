"""Random scenes for the energy fuzz test (T21)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flotsam.engine import ColliderSpec, Controls, SpringGraphSpec, WaterSpec, WorldSpec
from hypothesis import strategies as st
from shapes import FLOOR, FLOOR_TRIANGLES, box, chain, sphere, torus

FRAMES = 6


@dataclass(frozen=True)
class Shape:
    """A mesh of about 1 m: vertices (n, 3), triangles (t, 3), edges (e, 2) or None, and whether it encloses air."""

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
    """One body of a scene.

    `stiffness`, `mass` and `damping` are powers of ten; `squash` thins it along Z; `pin_count` pins jump by `jump` [m].
    """

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
    spring_steps: int = 0
    precision: str = "AUTO"
    gravity: float = 9.81
    floor: bool = False
    boulder: bool = False
    water: tuple[float, float, float] | None = None


def _steps(low: float, high: float, step: float) -> st.SearchStrategy[float]:
    """Numbers on a grid, which shrink to readable values; extremes such as 1e-300 find no real faults."""
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
    spring_steps=st.sampled_from([0, 0, 1, 5]),
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
        spring_steps=scene.spring_steps, precision=scene.precision, threads=1,
    )


def controls(scene: SceneDraw, frame: int) -> Controls:
    """Pins jump in the second frame; pressures change in the fourth."""
    pins, values = {}, {}
    for k, draw in enumerate(scene.bodies):
        if draw.pin_count and frame == 1:
            vertices = body_spec(draw, "").vertices
            pins[f"body {k}"] = vertices[: min(draw.pin_count, len(vertices) - 1)] + draw.jump
        if draw.new_pressure is not None and SHAPES[draw.shape].hollow and frame == 3:
            values[f"body {k}"] = {"pressure": draw.new_pressure}
    return Controls(pins, values)
