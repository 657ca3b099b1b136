"""Mass of a soft body: by total, by area density, by density; and refused settings."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import Contact, SpecError, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world
from flotsam.engine.mesh.graph.parts import find_parts, triangle_areas
from flotsam.engine.spec import params_of
from shapes import box, sphere


def masses(spec: SpringGraphSpec) -> np.ndarray:
    world = build_world(WorldSpec(systems=(spec,)))
    body = world.body(spec.name)
    return world.model.mass[body.start : body.stop]


def test_by_area_density_a_sheet_weighs_its_area() -> None:
    side = np.linspace(0.0, 2.0, 5)
    vertices = np.array([(x, y, 0.0) for y in side for x in side])
    corner = np.array([5 * j + i for j in range(4) for i in range(4)])[:, None]
    triangles = np.concatenate([corner + [0, 1, 6], corner + [0, 6, 5]])
    found = masses(SpringGraphSpec("sheet", vertices, triangles, mass_by="AREA_DENSITY", area_density=0.25))
    assert found.sum() == pytest.approx(0.25 * 4.0, rel=1e-12)
    inner = found.reshape(5, 5)[1:-1, 1:-1]
    # Each interior vertex has the mass of the square around it.
    assert inner == pytest.approx(np.full((3, 3), 0.25 * 0.25), rel=1e-12)


def test_pieces_have_the_volume_and_area_of_their_triangles() -> None:
    """Two spheres, one of them inside out, and a sheet: each about its own first vertex, turned outward."""
    ball, ball_triangles = sphere(0.4, 2)
    sheet = np.array([[0.0, 0, 5], [1, 0, 5], [1, 1, 5], [0, 1, 5]])
    vertices = np.concatenate([sheet, ball, ball + [1e3, 0.0, 0.0]])
    triangles = np.concatenate([
        [[0, 1, 2], [0, 2, 3]], ball_triangles + 4, ball_triangles[:, ::-1] + 4 + len(ball)
    ]).astype(np.int32)
    parts = find_parts(vertices, triangles)
    a, b, c = (ball[ball_triangles[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert parts.volume == pytest.approx([0.0, volume, volume], rel=1e-9)
    assert parts.hollow.tolist() == [False, True, True]
    assert np.all(parts.triangles[:, 0] == parts.triangles.min(axis=1))
    x = vertices[parts.triangles]
    normal = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
    assert triangle_areas(vertices, parts.triangles) == pytest.approx(0.5 * np.linalg.norm(normal, axis=1), rel=1e-15)
    outward = x.mean(axis=1) - np.where(parts.part[:, None] == 2, [1e3, 0.0, 0.0], 0.0)
    assert np.all((normal * outward).sum(axis=1)[parts.part > 0] > 0.0)


def test_by_density_a_solid_weighs_its_volume_as_a_rigid_one_does() -> None:
    vertices, triangles = sphere(0.4, 4)
    soft = SpringGraphSpec("soft", vertices, triangles, mass_by="DENSITY", density=300.0)
    rigid = VoxelBodySpec("rigid", vertices, triangles, density=300.0)
    world = build_world(WorldSpec(systems=(soft, rigid), interactions=(Contact(),)))
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    volume = float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6.0
    assert world.mass("soft") == pytest.approx(300.0 * volume, rel=1e-12)
    assert world.mass("rigid") == pytest.approx(world.mass("soft"), rel=5e-3)


def test_an_opening_counts_as_closed() -> None:
    """A box without a lid has the same mass as one with it."""
    vertices, triangles = box(1.0, 4)
    lid = (vertices[triangles][:, :, 2] > 0.49).all(axis=1)
    found = masses(SpringGraphSpec("box", vertices, triangles[~lid], mass_by="DENSITY", density=10.0))
    assert found.sum() == pytest.approx(10.0, rel=1e-12)


def test_vertices_within_carry_as_much_as_those_outside() -> None:
    vertices, triangles = box(1.0, 2)
    middle = np.vstack([vertices, [(0.0, 0.0, 0.0)]])
    edges = np.array([(index, len(vertices)) for index in range(len(vertices))])
    found = masses(SpringGraphSpec("jelly", middle, triangles, edges, graph="EDGES", mass_by="DENSITY", density=27.0))
    assert found == pytest.approx(np.ones(27), rel=1e-12)


@pytest.mark.parametrize("mass_by", ["VERTEX", "AREA"])
def test_a_total_stays_a_total(mass_by: str) -> None:
    vertices, triangles = box(2.0, 2)
    spec = SpringGraphSpec("box", vertices, triangles, mass=7.0, mass_by=mass_by, density=1.0, area_density=1.0)
    assert masses(spec).sum() == pytest.approx(7.0, rel=1e-12)


def test_what_has_no_area_or_volume_is_refused_with_the_way_out() -> None:
    flat = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    with pytest.raises(SpecError, match="sheet.*mass_by.*AREA_DENSITY or VERTEX, because the mesh encloses no volume"):
        masses(SpringGraphSpec("sheet", flat, np.array([[0, 1, 2]]), mass_by="DENSITY"))
    rope = SpringGraphSpec("rope", flat, edges=np.array([[0, 1], [1, 2]]), graph="EDGES", mass_by="AREA_DENSITY")
    with pytest.raises(SpecError, match="rope.*mass_by.*VERTEX, because the mesh has no surface"):
        masses(rope)


def test_files_of_earlier_versions_keep_their_mass() -> None:
    """Files store the index of a choice: the first two keep their place, and the default remains the first."""
    declared = params_of(SpringGraphSpec)["mass_by"]
    assert [choice[0] for choice in declared.choices[:2]] == ["VERTEX", "AREA"] and declared.default == "VERTEX"
