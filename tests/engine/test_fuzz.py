"""T21: in any scene speeds stay finite, and no scene has more energy than was put into it.

`python -m pytest tests/engine/test_fuzz.py --scenes 10000` is the long run. The scenes are the same in every run.
"""

from __future__ import annotations

import pytest
from fuzz_found import FOUND_LATER
from fuzz_ledger import excess
from fuzz_scenes import BodyDraw, SceneDraw, scenes
from hypothesis import HealthCheck, given, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants


def test_t21_never_explodes(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    # Otherwise the scenes depend on the constants in all of our modules that other tests have imported so far.
    monkeypatch.setattr(providers, "_get_local_constants", Constants)

    @settings(
        max_examples=pytestconfig.getoption("scenes"), derandomize=True, database=None, deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(scenes)
    def in_every_scene(scene: SceneDraw) -> None:
        assert excess(scene) <= 1.0

    in_every_scene()


FOUND = {
    # Water pushed on one side of an open bag or a warped sheet and propelled it forever.
    "sheet driven by one-sided water": SceneDraw(
        (BodyDraw("sheet", at=(1.0, 0.59, -1.47), velocity=(-55.0, -75.0, -20.0), stiffness=0.0, mass=1.5, rings=3,
                  struts=3, pin_count=3, jump=(-1.1, -1.5, -0.4)),),
        substeps=1, water=(-1.2, -1.0, 1.0),
    ),
    # Water inverted a limp hull and then inflated it.
    "limp ring crushed by water": SceneDraw(
        (BodyDraw("ring", squash=0.3, at=(-1.46, 0.46, 0.0), stiffness=0.0),),
        substeps=2, spring_steps=5, water=(0.0, 0.0, 1.0),
    ),
    # Pairs that shared particles each restored the whole approach speed.
    "three cubes inside each other bounce": SceneDraw(
        (BodyDraw(at=(0.0, 0.0, 0.0), stiffness=0.0),
         BodyDraw(at=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 10.0), stiffness=0.0, mass=1.0),
         BodyDraw(size=0.3, squash=0.3, at=(0.0, 0.0, 0.24), stiffness=0.0, mass=1.0, restitution=1.0)),
    ),
    # Every floor vertex inside a huge hull pushed the same face out at the full recovery speed.
    "hull around floor and boulder": SceneDraw(
        (BodyDraw(size=100.0, squash=0.3, at=(-0.61, -1.22, 0.57), stiffness=8.0, mass=0.5, damping=6.0, rings=2,
                  struts=3, restitution=0.5),),
        substeps=2, spring_steps=5, precision="SINGLE", floor=True, boulder=True,
    ),
    # A corner with a thousandth of a contact's weight, the others pinned, was thrown a thousand times as far.
    "pinned bag in a pinned sheet": SceneDraw(
        (BodyDraw("bag", size=0.3, squash=0.3, at=(1.44, 1.28, 1.0), stiffness=9.0, mass=1.0, pressure=6.3e5, rings=4,
                  struts=3, thickness=0.1, friction=0.0, pin_count=3, jump=(0.3, 1.1, -0.9)),
         BodyDraw("sheet", size=0.3, squash=0.3, at=(1.44, 1.28, 1.0), stiffness=9.0, mass=1.0, rings=4, struts=3,
                  thickness=0.1, friction=0.0, pin_count=3, jump=(0.3, 1.1, -0.9))),
        substeps=2, spring_steps=5, precision="SINGLE", gravity=100.0,
    ),
    # An asymmetric pass fed energy into dominating dashpots, step by step, until eight light corners flew off.
    "light cube of strong dashpots": SceneDraw(
        (BodyDraw("cube", size=100.0, at=(-1.19, 1.28, -1.21), stiffness=5.0, mass=-2.5, damping=6.0, pressure=100.0,
                  rings=1, struts=0, thickness=0.001, friction=0.0),),
        substeps=10, gravity=0.0,
    ),
    # Recovery compressed springs, inner steps kept the compression, and each substep added to it.
    "cube and sheet around a boulder": SceneDraw(
        (BodyDraw("cube", size=100.0, at=(-0.33, -0.67, -0.27), stiffness=7.5, mass=0.0, rings=1, struts=1,
                  friction=0.0),
         BodyDraw("sheet", size=3.0, squash=0.05, at=(0.51, -0.8, -0.61), stiffness=2.0, mass=2.0, pressure=4.7e5,
                  rings=2, struts=3, friction=0.3, restitution=1.0)),
        substeps=10, floor=True, boulder=True,
    ),
    "crushed cube pinned under water": SceneDraw(
        (BodyDraw("fine cube", size=0.01, at=(0.01, -0.07, 0.3), velocity=(-10.0, 40.0, -65.0), stiffness=1.5,
                  mass=2.5, damping=0.0, rings=4, struts=1, pin_count=1, jump=(-1.2, 0.8, 1.3)),
         BodyDraw("bag", size=3.0, at=(-0.18, 0.22, 0.41), stiffness=8.0, mass=1.5, damping=2.0, rings=3,
                  thickness=0.1)),
        substeps=4, water=(1.6, 3.5, 0.0),
    ),
    # Oscillating particles were moved back by h times their last speed, which stretched springs: doubling each time.
    "cubes in the same place": SceneDraw(
        (BodyDraw("fine cube", size=100.0, squash=0.3, at=(0.21, 1.49, -0.77), stiffness=7.0, mass=1.0, friction=0.0,
                  restitution=0.5, pin_count=1, jump=(0.1, 0.0, 0.0)),
         BodyDraw("fine cube", size=100.0, squash=0.3, at=(0.21, 1.49, -0.77), stiffness=7.0, mass=1.0, rings=4,
                  friction=0.0, restitution=0.5, pin_count=1, jump=(0.1, 0.0, 0.0))),
        substeps=20,
    ),
    # The same, with a ball that bursts.
    "pinned ball in a huge one": SceneDraw(
        (BodyDraw("ball", at=(0.8, -0.99, 1.0), velocity=(5.0, -100.0, -10.0), stiffness=4.0, damping=-1.5,
                  pressure=8.6e5, friction=10.0, restitution=1.0, stretched=0.5, pin_count=3),
         BodyDraw("ball", size=100.0, squash=0.05, at=(-0.22, 1.5, 0.77), velocity=(95.0, -90.0, 75.0),
                  stiffness=1.0, mass=2.0, damping=4.5, rings=2, stretched=0.5)),
        gravity=100.0,
    ),
    # A substep pushed walls through each other, and then kept pushing.
    "limp cube dives": SceneDraw(
        (BodyDraw(size=0.01, at=(0.16, -0.01, -0.17), velocity=(80.0, -5.0, -85.0), stiffness=0.0, mass=-2.0,
                  damping=0.5, pressure=6200.0, new_pressure=4.9e5, rings=3, thickness=0.1, friction=10.0),),
        substeps=4, spring_steps=5, boulder=True, water=(-0.4, -2.5, 0.0),
    ),
    # Particles that were moved back stretched springs, which returned more energy than there was: doubling each time.
    "two ropes in the same place": SceneDraw(
        2 * (BodyDraw("rope", size=100.0, at=(0.4, -0.4, -0.19), velocity=(1.5, 4.0, 9.0), stiffness=6.5, mass=-2.5,
                      damping=1.0, rings=2, struts=2, friction=1.0, restitution=0.5),),
        substeps=4, precision="SINGLE", floor=True,
    ),
    "a limp balloon around a boulder": SceneDraw(
        (BodyDraw("fine cube", size=3.0, at=(-0.07, 1.08, 0.95), velocity=(-9.5, 0.0, -3.5), stiffness=0.0,
                  pressure=3.5e5, new_pressure=3e4, rings=4, thickness=0.001, restitution=1.0),),
        precision="SINGLE", gravity=0.0, floor=True, boulder=True,
    ),
    # Water that no longer lifted a body still passed the gradient of its buoyancy to the inner steps.
    "huge bag turned inside out": SceneDraw(
        (BodyDraw("bag", size=100.0, squash=0.3, at=(-0.17, -1.07, 0.63), velocity=(9.5, 5.0, 3.0), stiffness=2.5,
                  mass=2.0, rings=2, struts=2, thickness=0.1, restitution=1.0, stretched=0.5, pin_count=1,
                  jump=(-1.6, 0.4, 1.1)),),
        precision="SINGLE", water=(1.5, 2.0, 0.0),
    ),
    # Each substep pushed a hull farther than its diameter.
    "limp ball deep in water": SceneDraw(
        (BodyDraw("ball", size=0.3, at=(-0.17, 1.01, -1.28), velocity=(25.0, 10.0, -60.0), stiffness=1.5, mass=2.0,
                  pressure=9800.0, struts=2, friction=10.0, restitution=0.5, pin_count=1),
         BodyDraw(size=0.01, squash=0.3, at=(0.9, -0.46, 1.0), velocity=(7.5, 6.0, 3.0), stiffness=6.5, mass=1.0,
                  pressure=6200.0, struts=1, thickness=0.1, friction=1.0, restitution=1.0, stretched=0.5)),
        substeps=1, precision="SINGLE", gravity=100.0, floor=True, boulder=True, water=(1.1, -1.5, 0.0),
    ),
    # Air added to an inverted hull pressed as if its volume were zero.
    "air in a reversed cube": SceneDraw(
        (BodyDraw(size=0.3, at=(-0.01, 0.18, -0.01), velocity=(-0.5, 9.0, -2.0), mass=3.0, new_pressure=-4e4, rings=3,
                  struts=2, restitution=0.5, stretched=0.5),),
        spring_steps=5, floor=True, boulder=True,
    ),
    # Pins drove a triangle into a boulder; its free corner, with a thirtieth of the weight, was thrown off.
    "pinned ring driven into a boulder": SceneDraw(
        (BodyDraw("ring", size=3.0, squash=0.05, at=(-0.14, -0.05, 0.04), velocity=(-70.0, -25.0, 20.0), stiffness=2.5,
                  mass=3.0, new_pressure=1.1e5, struts=1, thickness=0.001, friction=10.0, restitution=1.0, pin_count=3,
                  jump=(-2.0, -0.9, -0.3)),
         BodyDraw("rope", size=100.0, squash=0.05, at=(0.19, 1.26, -1.36), mass=-1.5, struts=1, friction=1.0,
                  restitution=1.0),
         BodyDraw("sheet", size=3.0, squash=0.3, at=(-0.64, -0.78, -0.6), stiffness=0.0, mass=-2.5, damping=-2.0,
                  rings=3, struts=2, thickness=0.1, friction=0.0, restitution=1.0, pin_count=3)),
        substeps=4, precision="SINGLE", floor=True, boulder=True,
    ),
    "cube falls into water at one substep": SceneDraw(
        (BodyDraw("sheet", size=0.01, squash=0.05, at=(0.72, 0.43, 1.01), stiffness=8.5, mass=-2.5, damping=5.5,
                  pressure=8100.0, rings=2, struts=1, thickness=0.1, friction=1.0, restitution=0.5),
         BodyDraw(size=0.01, at=(0.42, 0.66, -0.62), velocity=(-100.0, -95.0, -10.0), stiffness=5.0, mass=-1.5,
                  pressure=2e5, rings=4, struts=2, friction=10.0, restitution=1.0, stretched=2.0)),
        substeps=1, spring_steps=1, precision="SINGLE", boulder=True, water=(-1.4, 1.5, 0.0),
    ),
    # Particles stopped from tunnelling, by metres in a substep, also stretched springs, which returned the energy.
    "stiff cube closes around a boulder": SceneDraw(
        (BodyDraw(size=3.0, squash=0.3, at=(-0.11, -0.02, -0.24), velocity=(0.0, -1.0, 0.0), stiffness=8.0, mass=0.5,
                  pressure=2600.0, new_pressure=9.4e5, thickness=0.001, friction=0.0, stretched=0.5,
                  jump=(1.4, 1.2, -1.1)),),
        substeps=4, precision="SINGLE", floor=True, boulder=True,
    ),
    "bag and a tiny ring": SceneDraw(
        (BodyDraw("bag", size=3.0, squash=0.3, at=(1.28, 1.02, -0.7), velocity=(20.0, -30.0, 85.0), stiffness=6.5,
                  mass=-0.5, rings=2, friction=0.0, stretched=2.0, jump=(0.4, -0.6, 1.7)),
         BodyDraw("ring", size=0.01, squash=0.3, at=(-1.44, -0.39, 0.54), velocity=(-6.0, -9.5, 4.0), stiffness=5.0,
                  mass=-1.5, pressure=5.9e5, struts=1, thickness=0.1, friction=1.0, restitution=1.0, stretched=2.0,
                  jump=(0.5, 0.0, 0.7))),
        substeps=4, precision="SINGLE", gravity=100.0, boulder=True,
    ),
    "pinned ring around a boulder": SceneDraw(
        (BodyDraw("ring", size=3.0, squash=0.05, at=(-0.14, -0.05, 0.04), velocity=(-70.0, -25.0, 20.0), stiffness=2.5,
                  mass=3.0, new_pressure=1.1e5, struts=1, thickness=0.001, friction=10.0, restitution=1.0, pin_count=3,
                  jump=(-2.0, -0.9, -0.3)),
         BodyDraw("rope", size=100.0, squash=0.05, at=(0.19, 1.26, -1.36), mass=-1.5, pressure=8600.0,
                  new_pressure=-1e4, struts=1, friction=1.0, restitution=1.0, jump=(-2.0, -0.9, -0.3)),
         BodyDraw("sheet", size=3.0, squash=0.3, at=(-0.64, -0.78, -0.6), stiffness=0.0, mass=-2.5, damping=-2.0,
                  pressure=4.4e5, rings=3, struts=2, thickness=0.1, friction=0.0, restitution=1.0, pin_count=3)),
        substeps=4, precision="SINGLE", boulder=True,
    ),
    # A pin drove its edge against a boulder; the free end moved as on a lever, ten times as fast as the pin.
    "pin drives a rope at a boulder": SceneDraw(
        (BodyDraw("rope", size=100.0, squash=0.3, at=(-0.52, -1.25, -0.65), velocity=(-6.5, 7.5, 2.0), stiffness=1.0,
                  mass=2.5, pressure=-4e4, struts=2, thickness=0.001, friction=1.0, restitution=1.0, stretched=0.5,
                  pin_count=1, jump=(-1.3, 1.5, 0.4)),),
        substeps=20, precision="SINGLE", boulder=True,
    ),
    "pins drive a cube at a boulder": SceneDraw(
        (BodyDraw(squash=0.05, at=(-0.37, 0.48, -1.23), velocity=(-1.5, 10.0, 0.0), stiffness=0.5, mass=-0.5,
                  damping=-1.5, rings=3, struts=1, thickness=0.001, friction=10.0, restitution=1.0, stretched=2.0,
                  pin_count=3, jump=(0.3, 0.0, 1.9)),),
        substeps=2, spring_steps=1, floor=True, boulder=True,
    ),
    "soft cube under five bar": SceneDraw(
        (BodyDraw("fine cube", size=3.0, squash=0.3, at=(-0.05, -0.2, -0.06), stiffness=1.5, mass=1.5, damping=0.0,
                  pressure=5.1e5, new_pressure=1.7e5, thickness=0.1, friction=0.0, jump=(-0.5, -2.0, -0.6)),),
        substeps=1, precision="SINGLE",
    ),
    # Air with under-pressure kept its old directions while the hull turned, and spun it faster.
    "light hull under suction around a boulder": SceneDraw(
        (BodyDraw(size=100.0, squash=0.3, at=(-0.04, -0.2, 0.03), velocity=(-8.0, -1.5, -0.5), stiffness=9.0,
                  mass=-1.0, pressure=-20000.0, rings=2, thickness=0.001, friction=10.0, restitution=1.0,
                  jump=(-0.4, -2.0, 0.3)),),
        substeps=20, precision="DOUBLE", gravity=100.0, boulder=True,
    ),
    # Thin air let a hull collapse; it was restored with all its inward speed and sucked in again.
    "flat ball imploded by vacuum": SceneDraw(
        (BodyDraw("ball", size=3.0, squash=0.05, at=(0.02, -0.02, -0.05), velocity=(1.0, -1.0, -2.5), stiffness=5.0,
                  mass=0.5, pressure=-100000.0, new_pressure=-50000.0, rings=4, struts=2, thickness=0.1, friction=0.0,
                  restitution=1.0, stretched=2.0, pin_count=3),),
        substeps=2, precision="DOUBLE", gravity=100.0,
    ),
    # Strongly thinned air was predicted to be compressed by the outer air by more than its whole volume.
    "two tiny cubes meet a huge ring in water": SceneDraw(
        (BodyDraw("ring", size=100.0, at=(0.7, -0.19, -0.55), velocity=(30.0, -50.0, -70.0), stiffness=0.5,
                  mass=-3.0, struts=2, friction=1.0, stretched=2.0, jump=(0.9, -0.9, 0.0)),
         BodyDraw("fine cube", size=0.01, squash=0.3, at=(0.17, 0.45, -0.86), velocity=(30.0, -50.0, -70.0),
                  stiffness=1.0, mass=-2.5, damping=6.0, pressure=2600.0, struts=2, thickness=0.1, friction=10.0,
                  stretched=2.0, jump=(-0.2, 2.0, -1.6)),
         BodyDraw("fine cube", size=0.01, squash=0.3, at=(0.17, 0.45, -0.86), velocity=(30.0, -50.0, -70.0),
                  stiffness=1.0, mass=-2.5, damping=6.0, pressure=2600.0, struts=2, thickness=0.1, friction=10.0,
                  stretched=2.0, jump=(-0.2, 2.0, -1.6))),
        substeps=2, precision="SINGLE", gravity=100.0, water=(2.0, -3.0, 1.0),
    ),
    "huge pinned ring and two light hulls": SceneDraw(
        (BodyDraw("ring", size=100.0, squash=0.3, at=(-0.31, 1.48, -0.16), velocity=(9.5, -7.5, -9.5), stiffness=8.0,
                  mass=0.5, damping=2.0, rings=2, struts=3, stretched=2.0, pin_count=3),
         BodyDraw("ball", squash=0.3, at=(1.41, 0.62, -1.32), velocity=(3.5, 4.0, -7.0), stiffness=4.0, mass=0.5,
                  new_pressure=530000.0, struts=3, friction=0.0, restitution=0.5),
         BodyDraw("fine cube", size=3.0, squash=0.3, at=(-0.25, -1.21, -1.5), velocity=(-20.0, -65.0, -15.0),
                  stiffness=2.5, mass=-2.0, pressure=-70000.0, rings=2, struts=2, thickness=0.1, friction=0.0,
                  stretched=2.0, pin_count=3)),
        substeps=20, precision="DOUBLE", boulder=True,
    ),
    # A hull that lost most of its spin in each substep got it back in addition to that from air, and spun ever faster.
    "huge full ball around a boulder": SceneDraw(
        (BodyDraw("ball", size=100.0, squash=0.3, at=(-0.77, 0.51, 0.34), stiffness=8.5, mass=0.5, damping=4.0,
                  pressure=800000.0, struts=1, thickness=0.1, friction=0.0, restitution=1.0, stretched=0.5),),
        substeps=2, precision="SINGLE", floor=True, boulder=True,
    ),
    "ball in a stiff bag": SceneDraw(
        (BodyDraw("bag", squash=0.3, at=(-0.16, 0.02, -0.14), velocity=(-8.0, 1.0, -7.0), stiffness=8.0, mass=-1.0,
                  new_pressure=870000.0, rings=3, struts=1, thickness=0.1, friction=0.0, restitution=0.5),
         BodyDraw("ball", at=(0.28, 0.36, 0.1), stiffness=5.5, mass=-0.5, new_pressure=10000.0, thickness=0.1,
                  restitution=1.0)),
        precision="DOUBLE",
    ),
    # Air kept its old directions while flat hulls rushed through themselves at constant volume.
    "flat limp cube full of eight bar": SceneDraw(
        (BodyDraw("fine cube", squash=0.05, at=(0.0, -1.21, -0.32), velocity=(0.0, -4.5, 0.0), stiffness=0.5,
                  pressure=830000.0, struts=3, thickness=0.001, pin_count=3),),
        precision="SINGLE", gravity=0.0,
    ),
    "flat limp ball thrown at a boulder": SceneDraw(
        (BodyDraw("ball", squash=0.05, at=(-1.11, -1.11, -1.26), velocity=(90.0, 15.0, 90.0), stiffness=0.0,
                  pressure=3500.0, struts=1, friction=0.0, restitution=1.0),),
        substeps=4, precision="SINGLE", floor=True, boulder=True,
    ),
    # Energy that contacts had put into springs returned as speed: particles in contact are not pre-stabilized.
    "flat cube pressed through itself by a boulder": SceneDraw(
        (BodyDraw(size=3.0, squash=0.05, at=(1.0, -0.83, 0.64), velocity=(-3.5, 4.5, 4.0), stiffness=5.0, mass=-2.5,
                  pressure=1900.0, rings=3, struts=2, friction=1.0, restitution=0.5),),
        substeps=4, gravity=100.0, boulder=True,
    ),
    "two stiff ropes that cross": SceneDraw(
        (BodyDraw("rope", size=3.0, at=(1.33, 0.19, -0.99), velocity=(-65.0, 0.0, -80.0), stiffness=7.0, mass=-0.5,
                  rings=3, struts=3, friction=1.0, restitution=1.0, stretched=0.5),
         BodyDraw("rope", size=3.0, at=(1.33, 1.28, 0.02), velocity=(-65.0, 0.0, -80.0), stiffness=7.0, mass=-0.5,
                  pressure=5900.0, rings=3, struts=3, friction=1.0, restitution=1.0, stretched=0.5)),
        substeps=2, precision="SINGLE", gravity=0.0, floor=True, boulder=True,
    ),
    # A loose vertex was spun about itself by the rounding error of its inertia: 1e15 m/s.
    "tiny sheet in a huge pinned cube": SceneDraw(
        (BodyDraw("sheet", size=0.01, squash=0.3, at=(-1.41, -0.66, 0.92), velocity=(-70.0, 75.0, -70.0),
                  stiffness=8.5, mass=-3.0, rings=4, struts=1, restitution=1.0),
         BodyDraw("fine cube", size=100.0, squash=0.05, at=(-0.68, 0.74, 0.95), velocity=(-70.0, 75.0, -70.0),
                  stiffness=0.0, mass=-0.5, damping=3.5, pressure=8800.0, struts=3, friction=10.0, restitution=0.5,
                  stretched=0.5, pin_count=3, jump=(-1.0, 0.9, 0.3))),
        substeps=20, gravity=0.0, floor=True,
    ),
}


@pytest.mark.parametrize("scene", [*FOUND.values(), *FOUND_LATER.values()], ids=[*FOUND, *FOUND_LATER])
def test_found_once_stays_found(scene: SceneDraw) -> None:
    assert excess(scene) <= 1.0
