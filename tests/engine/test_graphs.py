"""Spring graphs by distance and with values per edge; truss forces (T17)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flotsam.engine import Controls, SpecError, SpringGraphSpec, WorldSpec, build_world, step_frame
from shapes import chain


def points(cells: int) -> np.ndarray:
    """Grid points of a cube of 1 m, (n, 3)."""
    line = np.linspace(-0.5, 0.5, cells + 1)
    return np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)


def sag(vertices: np.ndarray, **values: Any) -> float:
    """Sag of the lowest points of a body that hangs by its highest ones [m]."""
    top = vertices[:, 2].max()
    body = SpringGraphSpec(
        "body", vertices, pins=np.flatnonzero(vertices[:, 2] > top - 1e-6), air_drag=20.0, **values,
    )
    world = build_world(WorldSpec(systems=(body,), spring_steps=12))
    for _frame in range(40):
        step_frame(world, Controls())
    low = vertices[:, 2] < vertices[:, 2].min() + 1e-6
    return float((vertices - world.positions("body"))[low, 2].mean())


def test_a_body_by_distance_sags_alike_at_any_resolution() -> None:
    """Links reach to the diagonals of grid cells, at two resolutions: both represent the same material."""
    found = [
        sag(points(cells), graph="RADIUS", reach=1.8 / cells, max_links=200, stiffness=2000.0, mass=10.0)
        for cells in (4, 8)
    ]
    assert found[0] == pytest.approx(found[1], rel=0.1)


def test_no_vertex_has_more_links_than_asked() -> None:
    x = np.random.default_rng(1).uniform(-1.0, 1.0, (300, 3))
    body = SpringGraphSpec("body", x, graph="RADIUS", reach=0.6, max_links=6)
    pairs = build_world(WorldSpec(systems=(body,))).systems[0]._keyed.links.links.pairs
    assert 3 <= np.bincount(pairs.reshape(-1)).max() <= 6
    assert np.linalg.norm(x[pairs[:, 0]] - x[pairs[:, 1]], axis=1).max() <= 0.6


def test_links_that_leave_the_volume_go() -> None:
    """The two arms of a horseshoe are not linked through the air between them."""
    across = np.array([[x, y, z] for x in (0.0, 0.1, 0.3, 0.4) for y in np.linspace(0.0, 0.8, 9) for z in (0.0, 0.1)])
    of = {tuple(np.round(point, 6)): k for k, point in enumerate(across)}

    def box(x0: float, x1: float) -> list[list[int]]:
        faces = []
        for j in range(8):
            y0, y1 = 0.1 * j, 0.1 * (j + 1)
            a, b, c, d = ([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
            low, high = ([of[(round(x, 6), round(y, 6), z)] for x, y in (a, b, c, d)] for z in (0.0, 0.1))
            quads = [low[::-1], high, [low[0], low[3], high[3], high[0]][::-1], [low[1], low[2], high[2], high[1]]]
            if j == 0:
                quads.append([low[0], low[1], high[1], high[0]])
            if j == 7:
                quads.append([low[2], low[3], high[3], high[2]])
            faces += [[q[0], q[k], q[k + 1]] for q in quads for k in (1, 2)]
        return faces

    arms = np.array(box(0.0, 0.1) + box(0.3, 0.4))
    crossing = []
    for keep_inside in (False, True):
        body = SpringGraphSpec("body", across, arms, graph="RADIUS", reach=0.32, max_links=200, keep_inside=keep_inside)
        pairs = build_world(WorldSpec(systems=(body,))).systems[0]._keyed.links.links.pairs
        crossing.append(int(np.count_nonzero((across[pairs, 0] < 0.2).sum(axis=1) == 1)))
    assert crossing[0] > 0 and crossing[1] == 0


def test_values_of_edges_replace_those_of_the_body() -> None:
    """T4 for a chain with a stiffer upper half: each spring extends by the load below it over its own stiffness."""
    vertices, edges = chain(4, 0.4, (0.0, 0.0, -1.0))
    own = np.array([100.0, 100.0, 400.0, 400.0])[: len(edges)]
    body = SpringGraphSpec(
        "rope", vertices, edges=edges, graph="EDGES", mass=len(vertices) * 0.1, pins=[0], edge_stiffness=own,
        edge_damping=np.full(len(edges), 2.0), air_drag=5.0,
    )
    world = build_world(WorldSpec(systems=(body,)))
    for _frame in range(96):
        step_frame(world, Controls())
    x = world.positions("rope")
    extension = np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1) - 0.1
    below = np.arange(len(edges), 0, -1) * 0.1 * 9.81
    np.testing.assert_allclose(extension, below / own, rtol=0.005)


def test_only_the_weak_edge_breaks() -> None:
    vertices, edges = chain(4, 0.4, (0.0, 0.0, -1.0))
    weak = np.array([0.0, 0.0, 0.01, 0.0])
    body = SpringGraphSpec(
        "rope", vertices, edges=edges, graph="EDGES", mass=0.5, pins=[0], stiffness=20.0, edge_break=weak,
    )
    world = build_world(WorldSpec(systems=(body,)))
    for _frame in range(24):
        step_frame(world, Controls())
    x = world.positions("rope")
    length = np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1)
    assert int(np.count_nonzero(length > 0.5)) == 1 and length[2] > 0.5


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"edge_stiffness": [1.0]}, "edge_stiffness"), ({"edge_break": [-1.0] * 4}, "edge_break"),
        ({"edge_damping": [np.nan] * 4}, "edge_damping"),
        ({"edges": [[0, 1], [1, 2], [1, 0], [2, 3]], "edge_stiffness": [1.0, 2.0, 3.0, 4.0]}, "edge_stiffness"),
        ({"edges": [[0, 1], [1, 2], [1, 0], [2, 3]], "rest_lengths": [1.0, 2.0, 3.0, 4.0]}, "rest_lengths"),
        ({"graph": "RADIUS"}, "reach"), ({"graph": "RADIUS", "reach": 1e-3}, "reach"),
        ({"graph": "RADIUS", "reach": 1.0, "keep_inside": True}, "keep_inside"),
    ],
)
def test_what_contradicts_is_refused(values: dict[str, Any], field: str) -> None:
    vertices, edges = chain(4, 0.4, (0.0, 0.0, -1.0))
    with pytest.raises(SpecError) as caught:
        own = {"edges": edges, "graph": "EDGES"} | values
        build_world(WorldSpec(systems=(SpringGraphSpec("rope", vertices, **own),)))
    assert caught.value.field == field


def truss(panels: int) -> tuple[np.ndarray, np.ndarray]:
    """A bridge of square panels, its right end on a long rod: vertices, the last one holding the rod, and edges."""
    low = np.array([[k, 0.0, 0.0] for k in range(panels + 1)], dtype=float)
    top = np.array([[k, 0.0, 1.0] for k in range(1, panels)], dtype=float)
    lower, upper = np.arange(panels + 1), panels + np.arange(panels)
    bars = [(lower[k], lower[k + 1]) for k in range(panels)] + [(upper[k], upper[k + 1]) for k in range(1, panels - 1)]
    bars += [(lower[k], upper[k]) for k in range(1, panels)]
    bars += [(lower[0], upper[1]), (lower[panels], upper[panels - 1])]
    bars += [
        (upper[k], lower[k + 1]) if k < panels // 2 else (lower[k], upper[k + 1]) for k in range(1, panels - 1)
    ]
    vertices = np.concatenate([low, top, [[panels, 0.0, 40.0]]])
    return vertices, np.array([*bars, (panels, len(vertices) - 1)])


def forces_by_joints(vertices: np.ndarray, edges: np.ndarray, held: list[int], weight: float) -> np.ndarray:
    """Tension of each bar [N] from the plane equilibrium of all joints, each with the given weight [N]."""
    matrix = np.zeros((len(vertices), 2, len(edges)))
    for bar, (i, j) in enumerate(edges):
        direction = (vertices[j] - vertices[i])[[0, 2]] / np.linalg.norm(vertices[j] - vertices[i])
        matrix[i, :, bar] += direction
        matrix[j, :, bar] -= direction
    free = np.setdiff1d(np.arange(len(vertices)), held)
    load = np.tile([0.0, -weight], len(free))
    return np.linalg.solve(matrix[free].reshape(2 * len(free), len(edges)), -load)


def test_t17_a_truss_bridge_of_200_members(truth: Any) -> None:
    """A truss under its own weight: forces by the method of joints.

    It is statically determinate, so forces do not depend on stiffness; one end is pinned, the other on a long rod.
    """
    vertices, edges = truss(51)
    assert len(edges) == 202
    mass, stiffness, pins = 0.01, 5e4, [0, len(vertices) - 1]
    forces = forces_by_joints(vertices, edges, pins, 9.81 * mass)
    world = build_world(WorldSpec(
        systems=(SpringGraphSpec(
            "bridge", vertices, edges=edges, graph="EDGES", mass=mass * len(vertices), stiffness=stiffness, pins=pins,
            air_drag=6.0, damping=1.0,
        ),),
        spring_steps=64, substeps=20,
    ))
    for _frame in range(150):
        step_frame(world, Controls())
    x = world.positions("bridge")
    length, rest = (np.linalg.norm(at[edges[:, 0]] - at[edges[:, 1]], axis=1) for at in (x, vertices))
    error = np.abs(stiffness * (length - rest) - forces).max() / np.abs(forces).max()
    truth("T17", "members, of the largest force", error, 0.0, 0.01, relative=False)


def test_noise_shakes_each_pin_alike_at_any_substeps() -> None:
    """Two pins move independently within the amplitude, start at rest, and take the same path at other substeps."""
    vertices, edges = chain(1, 1.0, (1.0, 0.0, 0.0))
    found = []
    for substeps in (5, 10):
        body = SpringGraphSpec(
            "rod", vertices, edges=edges, graph="EDGES", pins=[0, 1], pin_noise=(0.0, 0.1, 0.2),
            pin_noise_frequency=2.0, pin_noise_seed=4,
        )
        world = build_world(WorldSpec(systems=(body,), substeps=substeps))
        displacements = []
        for _frame in range(24):
            step_frame(world, Controls())
            displacements.append(world.positions("rod") - vertices)
        found.append(np.array(displacements))
    np.testing.assert_allclose(found[0], found[1], atol=1e-12)
    displacement = found[0]
    assert np.abs(displacement[:, :, 0]).max() < 1e-12
    assert np.abs(displacement[0]).max() < 0.08 and 0.02 < np.abs(displacement[:, :, 2]).max() < 0.4
    assert np.abs(displacement[:, 0] - displacement[:, 1]).max() > 0.02


def test_pins_tell_the_force_and_the_torque_on_them() -> None:
    """Two pins carry a load off their middle: their forces sum up to its weight, their torques to its torque."""
    vertices = np.array([[0.0, 0.0, 1.0], [3.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    body = SpringGraphSpec(
        "swing", vertices, edges=np.array([[0, 2], [1, 2]]), graph="EDGES", mass=3.0, stiffness=1e4, pins=[0, 1],
        air_drag=8.0, damping=20.0,
    )
    world = build_world(WorldSpec(systems=(body,)))
    for _frame in range(72):
        frame = step_frame(world, Controls())
    found = frame.diagnostics["swing"]
    assert found["pin_force"] == pytest.approx((0.0, 0.0, -9.81), abs=0.03)
    own = frame.pins["swing"]
    assert own["vertex"].tolist() == [0, 1] and own["force"].sum(axis=0) == pytest.approx(found["pin_force"], abs=1e-4)
    # Each pin is pulled along its own spring.
    springs = world.positions("swing")[2] - vertices[:2]
    assert np.abs(np.cross(own["force"], springs)).max() < 0.01 and (own["force"] * springs).sum(axis=1).min() > 1.0
    lever = world.positions("swing")[2, 0] - 1.5
    assert found["pin_torque"] == pytest.approx((0.0, 9.81 * lever, 0.0), abs=0.1)
