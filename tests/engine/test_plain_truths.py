"""The truths also hold in plain mode, with the same tolerances, and force fields give the same accelerations.

Only those of motion, air and water are run, one case of each: they need one set of kernels, which is compiled on the
first run; afterwards it is in the kernel folder of the tests. Both precisions have double rows in plain mode.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from flotsam.engine import ForceFieldSpec
from flotsam.engine.build.field_at import field_at
from flotsam.engine.compiler import kernel_cache

HERE = Path(__file__).parent
CASES = {
    "test_truths_motion.py": (
        "t1_free_fall[0.0-SINGLE]", "t2_mass_on_a_spring[1.0-24.0]", "t4_hanging_spring[1000.0]", "t4_hanging_chain",
        "t4_a_hanging_chain_with_weights", "t9_a_ball_that_slides_without_friction_does_not_turn",
        "t11_a_spinning_ring_keeps_its_momenta[SINGLE]", "t11_two_bodies_that_collide_keep_their_momentum",
        "t18_catenary",
    ),
    "test_truths_air_and_water.py": (
        "t6_balloon[10]", "several_parts_hold_their_own_air", "an_open_bag_is_capped_and_does_not_fly",
        "t7_archimedes[torus-500.0]", "flowing_water_carries_a_ring_along", "t8_terminal_speed[1200.0-1.0-20]",
    ),
}
TRUTHS = {"T1", "T2", "T4", "T6", "T7", "T8", "T9", "T11", "T18"}
SCRIPT = """
import sys
sys.path.append(sys.argv[1])
import pytest
from flotsam.engine import prepare
from compiles import compiled
heard = []
prepare(warn=heard.append, kernels=("XPBD", "SOFT_IN_WATER", "STRUTS"))
assert len(heard) == 1 and "FLOTSAM_PLAIN_NUMBA" in heard[0], heard
assert compiled == [], compiled
ended = pytest.main(sys.argv[2:])
assert compiled == [], compiled
sys.exit(ended)
"""
FIELDS = """
import json
import sys
import numpy as np
from flotsam.engine import ForceFieldSpec
from flotsam.engine.build.field_at import field_at
from flotsam.engine.compiler import kernels
settings, places = json.load(sys.stdin)
fields = [ForceFieldSpec(f"field {k}", np.eye(4), **one) for k, one in enumerate(settings)]
print(json.dumps({"plain": kernels.PLAIN, "found": [field_at([one], np.array(places)).tolist() for one in fields]}))
"""


@pytest.mark.slow
def test_fields_are_the_same_with_plain_numba() -> None:
    """Field types that act on particles at rest, in blocks and one by one; 25 s with an empty kernel folder."""
    types = ("FORCE", "WIND", "VORTEX", "HARMONIC", "CHARGE", "TURBULENCE")
    settings = [
        {"type": kind, "strength": 2.0, "flow": 0.5, "size": 0.7, "falloff_power": power, "falloff_type": form}
        for kind in types for power, form in ((1.0, "SPHERE"), (1.5, "TUBE"))
    ]
    places = np.random.default_rng(2).uniform(-2.0, 2.0, (100, 3))
    done = subprocess.run(
        [sys.executable, "-c", FIELDS], env={**os.environ, "FLOTSAM_PLAIN_NUMBA": "1"}, capture_output=True, text=True,
        input=json.dumps([settings, places.tolist()]),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    report = json.loads(done.stdout)
    assert report["plain"]
    for one, found in zip(settings, report["found"], strict=True):
        ours = field_at([ForceFieldSpec("field", np.eye(4), **one)], places)
        assert np.abs(ours - found).max() <= 2e-6 * np.abs(ours).max(), one
        assert np.abs(ours).max() > 0.1


@pytest.mark.slow
def test_truths_hold_with_plain_numba(tmp_path: Path) -> None:
    """Most of its time with an empty kernel folder is compilation, by other processes; this one compiles nothing."""
    report = tmp_path / "truths.json"
    cases = [f"{HERE / file}::test_{case}" for file, found in CASES.items() for case in found]
    arguments = [*cases, "-q", "-p", "no:cacheprovider", "--truths", str(report)]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(HERE), *arguments], env={**os.environ, "FLOTSAM_PLAIN_NUMBA": "1"},
        capture_output=True, text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    tests = json.loads(report.read_text(encoding="utf-8"))["tests"]
    assert {test["truth"] for test in tests} == TRUTHS and all(test["passed"] for test in tests)
    folder = Path(os.environ["FLOTSAM_KERNEL_CACHE"]) / f"{kernel_cache.source_hash()}-plain"
    assert list(folder.glob("complete-*"))
