"""Arrays that the overlay draws, and when they are recomputed."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from flotsam.addon.overlay.legend import newtons, words
from flotsam.addon.overlay.marks import DENSE, REST
from flotsam.addon.overlay.picture import (
    AT_REST,
    LONGER,
    SHORTER,
    DisplaySettings,
    Picture,
    Subject,
    full_stretch,
    paint,
    stretch_colors,
    stretch_of,
)
from flotsam.addon.overlay.subjects import display_settings, signature, subjects
from flotsam.addon.paths import kernel_cache_folder
from flotsam.addon.solver.spheres import Spheres, nearest
from flotsam.addon.solver.thread import idle
from flotsam.engine import prepare
from make_scene import cube, fresh_scene, ground, mesh_object, pin, ring, sheet, soft, world_positions


def rope(lengths: list[float], **fields: object) -> Subject:
    """A chain along X of springs with a rest length of one metre."""
    x = np.concatenate([[0.0], np.cumsum(lengths)])
    positions = np.stack([x, 0.0 * x, 0.0 * x], axis=1)
    edges = np.stack([np.arange(len(lengths)), np.arange(len(lengths)) + 1], axis=1)
    return Subject("Rope", positions, edges, np.ones(len(lengths)), np.zeros(0, dtype=np.int64), **fields)


def particles(count: int, compression: np.ndarray) -> Subject:
    """Particles of a fluid along X."""
    places = np.stack([np.arange(count), np.zeros(count), np.zeros(count)], axis=1)
    none = np.zeros(0, dtype=np.int64)
    return Subject("Water", places, none.reshape(0, 2), np.zeros(0), none, compression=compression, size=0.5)


def all_subjects() -> list[Subject]:
    context = bpy.context
    return subjects(context.scene, context.view_layer, context.evaluated_depsgraph_get())


def now() -> tuple[object, ...]:
    return signature(bpy.context.scene, bpy.context.view_layer, 0)


def test_short_springs_are_red_long_ones_blue() -> None:
    subject = rope([0.9, 1.0, 1.1])
    assert np.allclose(stretch_of(subject), [-0.1, 0.0, 0.1])
    picture = paint([subject], DisplaySettings(springs=True))
    assert np.isclose(picture.limit, 0.1) and np.allclose((picture.shortest, picture.longest), (-0.1, 0.1))
    lines = picture.layers["springs"]
    assert lines.points.dtype == lines.colors.dtype == np.float32 and len(lines.points) == len(lines.colors) == 6
    assert np.allclose(lines.colors[::2], [SHORTER, AT_REST, LONGER], atol=1e-5)
    assert np.allclose(lines.points[2:4, 0], [0.9, 1.9])


def test_the_full_colour_is_a_round_number_unless_it_is_chosen() -> None:
    assert [full_stretch(np.array([most, -most])) for most in (0.0, 0.013, 0.2, 0.21, 0.9)] == pytest.approx(
        [1e-4, 0.02, 0.2, 0.5, 1.0]
    )
    assert paint([rope([1.1])], DisplaySettings(springs=True, full_stretch=50.0)).limit == 0.5
    # Values beyond the limits get the colour of the limit.
    assert np.allclose(stretch_colors(np.array([-9.0, 9.0]), 0.5), [SHORTER, LONGER])


def test_one_wild_spring_does_not_pale_the_others() -> None:
    assert full_stretch(np.array([0.01] * 99 + [5.0])) == pytest.approx(0.01)


def test_particles_are_red_where_they_are_dense_and_not_too_many_are_drawn() -> None:
    """Crosses of three strokes, blue at rest and red from 5 % on; of 20,000 particles every fourth."""
    few = particles(3, np.array([0.0, 0.05, 0.9]))
    lines = paint([few], DisplaySettings(compression=True)).layers["compression"]
    assert np.allclose(lines.colors[::6], [REST, DENSE, DENSE]) and len(lines.points) == 18
    assert np.allclose(lines.points[:6].mean(axis=0), few.positions[0])
    lines = paint([particles(20000, np.zeros(20000))], DisplaySettings(compression=True)).layers["compression"]
    assert len(lines.points) == 6 * 5000
    assert "compression" not in paint([rope([1.0])], DisplaySettings(compression=True)).layers


def test_pins_spheres_and_arrows_are_where_they_belong() -> None:
    v = np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    subject = rope([1.0, 1.0], velocities=v, spheres=Spheres(np.array([0, 0, 1]), np.array([0.5, 0.25])))
    subject = Subject(**{**subject.__dict__, "pins": np.array([2])})
    layers = paint([subject], DisplaySettings(pins=True, spheres=True, velocities=True, arrow_seconds=0.5)).layers
    assert set(layers) == {"pins", "spheres", "velocities"}
    assert np.allclose(layers["pins"].points.mean(axis=0), (2.0, 0.0, 0.0)) and len(layers["pins"].points) == 24
    from_middles = np.linalg.norm(layers["spheres"].points - (0.5, 0.0, 0.0), axis=1)
    assert np.isclose(from_middles[: 3 * 64], 0.5, atol=1e-6).all()
    # One vertex moves: the arrow has a shaft of a metre upwards, and two strokes for the head.
    arrow = layers["velocities"].points
    assert len(arrow) == 6 and np.allclose(arrow[:2], [(0, 0, 0), (0, 0, 1)])


def test_nothing_wished_or_nothing_there_is_an_empty_picture() -> None:
    assert paint([rope([1.0])], DisplaySettings()).layers == {}
    assert paint([], DisplaySettings(True, True, True, True)).layers == {}


def test_the_legend_has_numbers() -> None:
    marks, below = words(Picture({}, 0.02, -0.0123456, 0.034))
    assert marks == [(0.0, "-2 %"), (0.5, "0 %"), (1.0, "+2 %")]
    assert below == ["Shortest -1.23 %, longest +3.4 %"]
    assert words(Picture({}, 0.02, 0.0, 0.0, 0.0, 12345.6))[1][1] == "Push up to 0 N, pull up to 12.3 kN"
    assert newtons(0.00042) == "0.42 mN" and newtons(7.0) == "7 N"


def test_forces_are_stiffness_times_what_a_spring_is_longer_or_shorter_by() -> None:
    subject = rope([0.9, 1.0, 1.2])
    subject = Subject(**{**subject.__dict__, "stiffness": np.array([1000.0, 50.0, 10.0])})
    picture = paint([subject, rope([5.0])], DisplaySettings(springs=True))
    assert (picture.push, picture.pull) == pytest.approx((100.0, 2.0))
    assert paint([rope([0.9])], DisplaySettings(springs=True)).push is None, (
        "no number where the stiffness is not known"
    )


def test_struts_are_drawn_through_the_body_and_apart() -> None:
    fresh_scene()
    soft(cube(size=1.0), struts=1, stiffness=200.0)
    prepare(None, kernel_cache_folder())
    (subject,) = all_subjects()
    # 12 edges, both diagonals of 6 faces, and a strut between each pair of opposite corners.
    assert len(subject.edges) == 28 and subject.strut.sum() == 4
    assert subject.rest_lengths[subject.strut] == pytest.approx(np.full(4, 3.0**0.5))
    assert subject.stiffness == pytest.approx(np.full(28, 200.0))
    layers = paint([subject], DisplaySettings(springs=True)).layers
    assert len(layers["springs"].points) == 48 and len(layers["struts"].points) == 8
    bpy.context.object.flotsam.spring_graph.struts = 0
    (subject,) = all_subjects()
    assert not subject.strut.any() and set(paint([subject], DisplaySettings(springs=True)).layers) == {"springs"}


def test_struts_wait_while_something_is_solved() -> None:
    """Two solvers at once are not safe: meanwhile edges are shown without forces."""
    fresh_scene()
    soft(cube(size=0.7), struts=1)
    with idle() as free:
        assert free
        (subject,) = all_subjects()
    assert len(subject.edges) == 12 and subject.stiffness is None
    assert len(all_subjects()[0].edges) == 28


def test_an_open_rim_and_weights_make_springs_weaker() -> None:
    fresh_scene()
    body = soft(sheet(count=3), stiffness=100.0)
    body.vertex_groups.new(name="stiffness").add(list(range(9)), 0.5, "REPLACE")
    (subject,) = all_subjects()
    rim = (subject.edges != 4).all(axis=1) & (subject.rest_lengths < 0.6)
    assert len(subject.edges) == 20 and rim.sum() == 8
    assert np.allclose(subject.stiffness, np.where(rim, 25.0, 50.0))


def test_nearest() -> None:
    assert list(nearest(np.array([[0.0, 0, 0], [3.0, 0, 0]]), np.array([[2.0, 0, 0], [0.5, 0, 0]]))) == [1, 0]


def test_baked_frames_are_shown_with_their_pins_and_velocities(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 12))
    body = soft(ring(z=2.0))
    body.rotation_euler.z = 0.3
    pin(body, [0, 5])
    bpy.ops.flotsam.bake()
    body.flotsam.spring_graph.stiffness = 1.0
    for frame in (1, 12, 40):
        (subject,) = (scene.frame_set(frame), all_subjects())[1]
        assert np.allclose(subject.positions, world_positions(body, frame), atol=1e-5)
        assert list(subject.pins) == [0, 5] and len(subject.edges) == len(body.data.edges) + 2 * 128
        assert np.allclose(subject.stiffness, 1.0)
    scene.frame_set(1)
    (first,) = all_subjects()
    assert np.abs(stretch_of(first)).max() < 1e-5 and np.allclose(first.velocities, 0.0)
    scene.frame_set(12)
    (last,) = all_subjects()
    before = np.array(world_positions(body, 11))
    assert np.allclose(last.velocities, 24.0 * (last.positions - before), atol=1e-3) and last.velocities.min() < -1.0
    assert np.allclose(last.velocities[[0, 5]], 0.0, atol=1e-4) and stretch_of(last).max() > 1e-3


def test_the_signature_changes_with_what_is_seen_and_with_nothing_else(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 4))
    body = soft(ring())
    bpy.ops.flotsam.bake()
    scene.frame_set(1)
    seen = [now()]
    assert now() == seen[0]
    scene.frame_set(2)
    seen.append(now())
    body.location.x = 1.0
    bpy.context.view_layer.update()
    seen.append(now())
    body.flotsam.spring_graph.release_pins = True
    seen.append(now())
    scene.flotsam.overlay.springs = True
    seen.append(now())
    body.hide_set(True)
    seen.append(now())
    assert all(a != b for a, b in zip(seen, seen[1:], strict=False))
    assert display_settings(scene).springs and not display_settings(scene).pins


def test_a_modifier_that_adds_vertices_after_flotsam_does_no_harm(tmp_path: Path) -> None:
    scene = fresh_scene(tmp_path, (1, 3))
    body = soft(ring())
    bpy.ops.flotsam.bake()
    body.modifiers.new("Finer", "SUBSURF")
    scene.frame_set(3)
    (subject,) = all_subjects()
    assert len(subject.positions) == 128 and len(subject.edges) == 512


def test_bodies_that_are_not_baked_are_at_rest() -> None:
    fresh_scene()
    soft(mesh_object("Wire", [(0, 0, 1), (1, 0, 1)], edges=[(0, 1)]))
    ground()
    (subject,) = all_subjects()
    assert subject.name == "Wire" and stretch_of(subject) == 0.0 and subject.velocities is None


def test_spheres_of_a_ring_lie_in_its_tube(tmp_path: Path) -> None:
    fresh_scene(tmp_path, (1, 2))
    body = soft(ring(major=32, minor=12), contact="PROXIES")
    assert bpy.ops.flotsam.bake() == {"FINISHED"}
    (subject,) = all_subjects()
    spheres = subject.spheres
    assert len(spheres.group) == len(body.data.vertices) and len(spheres.radius) > 4
    assert np.allclose(spheres.radius, 0.15, atol=0.05)
    middles = np.array([subject.positions[spheres.group == k].mean(axis=0) for k in range(len(spheres.radius))])
    assert np.allclose(np.linalg.norm(middles[:, :2], axis=1), 0.5, atol=0.05)
    body.flotsam.spring_graph.contact = "SURFACE"
    assert all_subjects()[0].spheres is None
