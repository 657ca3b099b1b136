"""Invalid values raise errors with system, field, value and what is allowed; a diverged solve names its particle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flotsam.engine import (
    ColliderSpec,
    Controls,
    Diverged,
    SpecError,
    SpringGraphSpec,
    WaterSpec,
    WorldSpec,
    build_world,
    step_frame,
)
from flotsam.engine.compiler import kernel_cache
from shapes import FLOOR, FLOOR_TRIANGLES, chain, torus

VERTICES, TRIANGLES, EDGES = torus(0.5, 0.15, 12, 8)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("stiffness", -1.0), ("stiffness", 0.0), ("stiffness", float("nan")), ("mass", 0.0), ("rings", 1.5),
        ("rings", 0), ("graph", "WEB"), ("pressure", 2e6), ("pins", [999]), ("pins", [-1]), ("velocity", (0.0, 1.0)),
        ("rest_lengths", np.ones(3)), ("edges", np.array([[0, 999]])), ("vertices", np.full((4, 3), np.nan)),
        ("vertices", np.zeros((0, 3))), ("vertices", np.zeros((1, 3))), ("triangles", np.zeros((2, 4), dtype=int)),
    ],
)
def test_a_wrong_value_is_named(field: str, value: Any) -> None:
    values = {"vertices": VERTICES, "triangles": TRIANGLES, "edges": EDGES, field: value}
    if field == "vertices":
        values |= {"triangles": None, "edges": None}
    with pytest.raises(SpecError) as caught:
        build_world(WorldSpec(systems=(SpringGraphSpec("ring", **values),)))
    assert caught.value.system == "ring"
    assert caught.value.field in (field, "velocity" if field == "velocity" else field)
    assert caught.value.allowed
    assert "ring" in str(caught.value)


@pytest.mark.parametrize(("field", "value"), [("substeps", 0), ("frame_rate", 0.0), ("integrator", "MAGIC")])
def test_a_wrong_world_is_named(field: str, value: Any) -> None:
    with pytest.raises(SpecError) as caught:
        build_world(WorldSpec(**{field: value}))
    assert (caught.value.system, caught.value.field) == ("world", field)


def test_names_must_differ() -> None:
    ring = SpringGraphSpec("ring", VERTICES, TRIANGLES)
    with pytest.raises(SpecError, match="no other system"):
        build_world(WorldSpec(systems=(ring, ring)))


@pytest.mark.parametrize(
    ("weights", "said"),
    [({"pressure": VERTICES[:, 0]}, "stiffness, damping"), ({"damping": np.ones(3)}, "one a vertex"),
     ({"bending": np.full(len(VERTICES), 1.5)}, "1.5 at vertex 0")],
)
def test_weights_that_fit_nothing_are_refused(weights: dict[str, np.ndarray], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        build_world(WorldSpec(systems=(SpringGraphSpec("ring", VERTICES, TRIANGLES, weights=weights),)))


def test_pressure_needs_an_inside() -> None:
    with pytest.raises(SpecError, match="encloses no volume"):
        build_world(WorldSpec(systems=(SpringGraphSpec("sheet", FLOOR, FLOOR_TRIANGLES, pressure=10.0),)))


def test_a_collider_and_water_refuse_too() -> None:
    with pytest.raises(SpecError, match="no triangle"):
        build_world(WorldSpec(systems=(ColliderSpec("wall", FLOOR, np.zeros((0, 3), dtype=int)),)))
    with pytest.raises(SpecError, match="density"):
        build_world(WorldSpec(systems=(WaterSpec("sea", 0.0, density=0.0),)))


def test_unknown_controls_are_named() -> None:
    world = build_world(WorldSpec(systems=(SpringGraphSpec("ring", VERTICES, TRIANGLES, pins=[0]),)))
    with pytest.raises(SpecError, match="nobody"):
        step_frame(world, Controls(pins={"nobody": np.zeros((1, 3))}))
    with pytest.raises(SpecError, match="2 targets"):
        step_frame(world, Controls(pins={"ring": np.zeros((2, 3))}))


def test_diverged_names_the_particle() -> None:
    world = build_world(WorldSpec(systems=(SpringGraphSpec("ring", VERTICES, TRIANGLES),)))
    world.state.v[5, 1] = np.nan
    with pytest.raises(Diverged) as caught:
        step_frame(world)
    assert caught.value.system == "ring"
    assert caught.value.frame == 1


def test_pins_follow_their_targets_and_pressure_its_key() -> None:
    world = build_world(WorldSpec(systems=(SpringGraphSpec("ring", VERTICES, TRIANGLES, EDGES, pins=[3, 7]),)))
    target = VERTICES[[3, 7]] + [0.0, 0.1, 0.2]
    step_frame(world, Controls(pins={"ring": target}, values={"ring": {"pressure": 200.0}}))
    assert world.positions("ring")[[3, 7]] == pytest.approx(target, abs=1e-12)
    step_frame(world)
    assert world.positions("ring")[[3, 7]] == pytest.approx(target, abs=1e-12)


def test_degenerate_meshes_step_all_the_same() -> None:
    """Duplicate vertices, faces without area, edges of three faces: unusual but valid."""
    vertices = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0], [0.5, 0.5, 1.0], [0.5, 0, 0]], float)
    triangles = np.array([[0, 1, 2], [0, 2, 3], [0, 2, 5], [0, 4, 1], [0, 6, 1]])
    world = build_world(
        WorldSpec(systems=(SpringGraphSpec("odd", vertices, triangles, rings=2, struts=2), WaterSpec("sea", -1.0)))
    )
    for _ in range(24):
        frame = step_frame(world)
    assert np.isfinite(frame.positions["odd"]).all()


def test_the_kernel_folder_changes_with_the_sources(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name is a hash of every engine source, so an edit in any file opens a new folder."""
    source = tmp_path / "engine"
    (source / "graph").mkdir(parents=True)
    (source / "kernel_cache.py").write_text("a = 1\n")
    (source / "graph" / "edges.py").write_text("b = 1\n")
    monkeypatch.setattr(kernel_cache, "__file__", str(source / "kernel_cache.py"))
    before = kernel_cache.source_hash()
    (source / "graph" / "edges.py").write_text("b = 2\n")
    assert kernel_cache.source_hash() != before


def test_a_fast_vertex_does_not_pass_the_floor() -> None:
    """A rope that arrives at 40 m/s, 17 cm a substep, stays above a floor without thickness."""
    vertices, edges = chain(10, 1.0, (1.0, 0.0, 0.0))
    rope = SpringGraphSpec(
        "rope", vertices + [0.0, 0.0, 2.0], edges=edges, graph="EDGES", velocity=(0, 0, -40.0), thickness=0.02
    )
    world = build_world(WorldSpec(systems=(rope, ColliderSpec("floor", FLOOR, FLOOR_TRIANGLES))))
    for _ in range(24):
        step_frame(world)
        assert world.positions("rope")[:, 2].min() > -1e-9
