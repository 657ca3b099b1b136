"""`python -m flotsam bench`: a quick run leaves figures from which every ratio and verdict follow."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flotsam.addon.cli import bench as command
from flotsam.addon.cli.errors import CommandError
from flotsam.engine import prepare

from bench import heap, machine, report, truths
from bench.measure import Ledger
from bench.seed_tick import NoCompilerError, Ticker, build
from bench.torus import stretch, torus

CONFTEST = Path(__file__).resolve().parents[1] / "conftest.py"


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "flotsam", "bench", *arguments], capture_output=True, text=True, timeout=300
    )


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Results of a quick run of all benchmarks but the truths, which run other tests."""
    # Compile first, so that the run does not include it.
    prepare()
    file = tmp_path_factory.mktemp("bench") / "deep" / "bench.json"
    names = (
        "springs", "memory", "growth", "fall", "floor", "crate", "itself", "rings", "heap", "barrels", "shares",
        "fluid", "fluids", "flocks", "graphs", "solids", "wind", "demo", "start",
    )
    done = bench(*names, "--quick", "--json", str(file))
    assert done.returncode == 0, done.stderr
    assert str(file) in done.stdout
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_figures_carry_their_runs(told: dict[str, Any]) -> None:
    for name, figure in told["figures"].items():
        assert figure["median"] == statistics.median(figure["runs"]), name
        assert figure["min"] <= figure["median"] <= figure["max"], name
    for field in ("cpu", "cores", "python", "bpy", "numba", "code"):
        assert told["machine"][field]
    wanted = {
        "springs_xpbd_single_2k_1", "springs_xpbd_double_2k_1", "frame_cloth_2k", "frame_flotsam_2k",
        "frame_soft_body_2k", "stretch_mean_cloth_2k", "stretch_max_flotsam_2k", "fall_flotsam_2k", "demo", "load",
        "itself_ring_cloth", "itself_ball_flotsam", "itself_crumpled", "rings_4_spheres", "rings_4_coarse_surface",
        "fluid_frame", "fluid_rate", "fluid_memory", "fluid_blender", "tetrahedra_1", "sheet_yielding", "curtain_torn",
        "solid_soft_body", "solid_flotsam_4", "heap_40_flotsam", "heap_40_bullet", "barrels_9", "heap_memory",
        "memory_vertex", "memory_spring", "growth_exponent", "triad_L3", "flag_flotsam", "flag_cloth", "sheet_plain",
        "sheet_fields", "flock_rate", "flock_live", "fluid_with_fish", "ring_on_crate",
    }
    assert wanted <= set(told["figures"])


def test_the_page_names_the_code_that_was_measured(tmp_path: Path) -> None:
    """A commit and its date, or "unknown" without git: a page belongs to that code, however old it is."""
    described = machine.describe()
    assert re.fullmatch(r"[0-9a-f]{7,} of \d{4}-\d\d-\d\d(, changed)?|unknown", described["code"])
    assert f"Code: {described['code']}." in report.write_page(Ledger(described), tmp_path).read_text(encoding="utf-8")


@pytest.mark.slow
def test_ratios_come_from_this_run(told: dict[str, Any]) -> None:
    medians = {name: figure["median"] for name, figure in told["figures"].items()}
    for ratio in told["ratios"].values():
        assert ratio["value"] == pytest.approx(medians[ratio["of"]] / medians[ratio["over"]], rel=1e-12)
    assert "cloth_to_flotsam_2k" in told["ratios"] and "soft_body_to_flotsam_2k" in told["ratios"]


@pytest.mark.slow
def test_shares_of_a_frame_add_up(told: dict[str, Any]) -> None:
    """Five scenes, each with all its stages; a torus spends time on springs, boxes in a pile do not."""
    lines = [note for note in told["notes"] if note.startswith("A frame of ")]
    shares = [dict(re.findall(r"([a-z ]+?) (\d+) %", line.split(": ")[1])) for line in lines]
    assert len(lines) == 5
    for own in shares:
        assert 95 <= sum(map(int, own.values())) <= 105
    springs = [int(next(value for stage, value in own.items() if "springs" in stage)) for own in shares]
    assert springs[0] > 5 and springs[-1] == 0


@pytest.mark.slow
def test_each_verdict_follows_from_its_numbers(told: dict[str, Any]) -> None:
    assert told["held_to"]
    for line in told["held_to"]:
        reached = line["measured"] >= line["asked"] if line["at_least"] else line["measured"] <= line["asked"]
        assert line["met"] == (reached and line["counts"])
        assert line["met"] or line["why"]


@pytest.mark.slow
def test_heaps_end_alike() -> None:
    """Boxes in Blender lie as high as ours and on the same ground; else the comparison would be meaningless."""
    ours, theirs = heap.heaps_at_rest(24, 72)
    assert ours.is_like(theirs), (ours, theirs)
    assert ours.mean > heap.SIDE / 2.0 and theirs.mean > heap.SIDE / 2.0


def test_a_heap_of_boxes_has_the_particles_asked_for() -> None:
    """A box with faces divided in three has 56 vertices and encloses its volume, facing outward."""
    vertices, triangles = heap.box(heap.CUTS)
    assert len(vertices) == heap.LEAST_PARTICLES and len(triangles) == 12 * heap.CUTS**2
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0 == pytest.approx(heap.SIDE**3)


def test_an_unknown_benchmark_is_one_sentence() -> None:
    done = bench("sprigns")
    assert done.returncode == 1
    assert done.stderr == (
        "flotsam: There is no benchmark 'sprigns'; there are: "
        "springs, memory, growth, fall, floor, crate, itself, rings, heap, barrels, shares, fluid, fluids, flocks, "
        "graphs, solids, wind, demo, start, truths.\n"
    )


def test_an_extension_says_where_benchmarks_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_ROOT", tmp_path)
    with pytest.raises(CommandError, match="in the repository only"):
        command.run([], tmp_path / "bench.json", quick=True, docs=False)


def test_the_seeds_tick_is_symplectic_euler(tmp_path: Path) -> None:
    """One spring of rest length 1 between unit masses 1.1 apart: h² k 0.1 shorter at each end after a tick."""
    try:
        libraries = build(tmp_path)
    except NoCompilerError as error:
        pytest.skip(str(error))
    for real, library in libraries.items():
        tick = Ticker(library, real, np.array([[0.0, 0, 0], [1.1, 0, 0]]), np.array([[0, 1]]), np.array([1.0]), 1)
        tick()
        moved = 1e-3**2 * 100.0 * 0.1
        assert tick.positions[:, 0] == pytest.approx([moved, 1.1 - moved], rel=1e-6 if real == "float" else 1e-12)


def test_no_compiler_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(NoCompilerError, match="install gcc"):
        build(tmp_path)


def test_stretch_at_rest_is_one() -> None:
    mesh = torus(12, 8, 0.5)
    assert np.all(stretch(mesh.vertices, mesh) == 1.0)
    assert stretch(2.0 * mesh.vertices, mesh) == pytest.approx(2.0)


def test_the_worst_case_of_a_truth_is_the_one_nearest_its_tolerance() -> None:
    errors = [
        {"truth": "T11", "what": "a", "error": 0.0, "allowed": 0.0},
        {"truth": "T2", "what": "b", "error": 0.001, "allowed": 0.01},
        {"truth": "T2", "what": "c", "error": 0.0005, "allowed": 0.001},
        {"truth": "grab", "what": "no truth with a number", "error": 0.0, "allowed": 1.0},
    ]
    tests = [{"truth": "T2", "passed": True}, {"truth": "T2", "passed": False}, {"truth": "T21", "passed": True}]
    rows = truths.table(errors, tests)
    assert [(row["truth"], row["what"], row["held"]) for row in rows] == [
        ("T2", "c", False), ("T11", "a", False), ("T21", "holds or does not", True)
    ]


def test_a_truth_is_recorded_and_asserted(tmp_path: Path) -> None:
    """`--truths` writes errors of the cases and outcomes of their tests, including failures."""
    lines = [
        "def test_t4_near(truth): truth('T4', 'near', 1.01, 1.0, 0.02)",
        "def test_t4_far(truth): truth('T4', 'far', [1.0, 1.5], 1.0, 0.02)",
        "def test_t21_whole(): pass",
    ]
    (tmp_path / "test_some.py").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text(encoding="utf-8"), encoding="utf-8")
    file = tmp_path / "truths.json"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--truths", str(file), "test_some.py"], cwd=tmp_path,
        capture_output=True, text=True,
    )
    assert "far: error 0.5, allowed 0.02" in done.stdout
    told = json.loads(file.read_text(encoding="utf-8"))
    rows = {row["truth"]: row for row in truths.table(told["errors"], told["tests"])}
    assert (rows["T4"]["what"], rows["T4"]["passed"], rows["T4"]["tests"]) == ("far", 1, 2)
    assert rows["T21"]["held"] and rows["T21"]["error"] is None


def test_a_missed_line_says_why() -> None:
    ledger = Ledger()
    ledger.add("slow", "Slow", "ms", [8.0, 9.0, 10.0])
    ledger.add("fast", "Fast", "ms", [3.0])
    ledger.require("Faster", 4.0, ledger.ratio("faster", "slow", "fast"), why="a reason")
    (line,) = ledger.as_json()["held_to"]
    assert line["measured"] == 3.0 and not line["met"] and line["why"] == "a reason"
