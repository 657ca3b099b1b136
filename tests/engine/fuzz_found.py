"""Scenes from fresh seeds of `fuzz_scenes` that once gained energy and are now fixed."""

from __future__ import annotations

from fuzz_scenes import BodyDraw, SceneDraw

FOUND_LATER = {
    # Recovery stretched springs and pulled limp hulls apart or compressed them; all that energy returned as motion.
    "huge cube around floor and boulder": SceneDraw(
        (BodyDraw("fine cube", size=100.0, squash=0.3, at=(0.16, 0.14, 0.14), stiffness=8.0,
                  new_pressure=290000.0, rings=3, friction=0.0, restitution=1.0),),
        substeps=20, spring_steps=5, precision="DOUBLE", gravity=100.0, floor=True, boulder=True,
    ),
    "limp heavy cube around a boulder": SceneDraw(
        (BodyDraw(size=3.0, squash=0.05, at=(-0.42, -0.7, 0.05), stiffness=1.0, mass=2.0, damping=0.5,
                  pressure=800.0, rings=4, struts=1, thickness=0.1, friction=1.0, jump=(-1.1, -0.6, 0.6)),),
        substeps=1, precision="DOUBLE", boulder=True,
    ),
    "flat limp cube of a kilogram around a boulder": SceneDraw(
        (BodyDraw(size=3.0, squash=0.05, at=(-0.56, 0.15, 0.54), stiffness=0.0, pressure=200.0,
                  jump=(0.0, 0.1, 0.3)),),
        substeps=2, boulder=True,
    ),
    # The same, but so heavy that air returned the energy many substeps later.
    "pinned heavy cube in the floor": SceneDraw(
        (BodyDraw(squash=0.05, at=(-1.49, 1.01, 0.0), stiffness=0.0, mass=3.0, pressure=8700.0, rings=2,
                  friction=0.0, restitution=0.5, stretched=2.0, pin_count=3),),
        precision="SINGLE", floor=True,
    ),
    "two limp cubes around a boulder": SceneDraw(
        (BodyDraw(size=3.0, squash=0.3, at=(0.02, 0.04, 0.48), stiffness=1.5, mass=2.5, damping=0.0, rings=3,
                  restitution=1.0),
         BodyDraw(size=3.0, squash=0.3, at=(0.02, 0.04, 0.48), stiffness=1.5, mass=2.5, damping=0.0,
                  pressure=9300.0, rings=3, restitution=1.0)),
        substeps=20, gravity=0.0, boulder=True,
    ),
    # Hulls rotated so far in one inner step that air pushed in outdated directions and spun them faster.
    "cube and sheet under suction": SceneDraw(
        (BodyDraw("sheet", squash=0.3, at=(-0.5, 1.15, 1.28), stiffness=8.0, mass=-1.0, damping=6.0,
                  pressure=680000.0, new_pressure=490000.0, struts=2, friction=10.0, restitution=0.5),
         BodyDraw(at=(1.0, 1.39, -0.89), velocity=(-90.0, -100.0, 5.0), stiffness=5.5, mass=-1.0, damping=1.5,
                  pressure=-80000.0, new_pressure=560000.0, rings=3, struts=2, friction=1.0, restitution=1.0,
                  pin_count=1)),
        substeps=2, precision="DOUBLE", gravity=100.0, boulder=True,
    ),
    "huge flat cube bursts around a boulder": SceneDraw(
        (BodyDraw(size=100.0, squash=0.05, at=(-0.65, 0.26, -0.12), stiffness=6.5, mass=2.0, pressure=670000.0,
                  new_pressure=910000.0, rings=3, friction=10.0, restitution=0.5, jump=(-1.4, 1.8, 1.1)),),
        spring_steps=1, precision="SINGLE", floor=True, boulder=True,
    ),
    "stiff cube of five bar dives at a boulder": SceneDraw(
        (BodyDraw("fine cube", size=0.3, at=(0.01, 0.02, 1.44), velocity=(15.0, -40.0, -40.0), stiffness=5.0,
                  mass=0.5, damping=5.5, pressure=480000.0, rings=2, struts=3, thickness=0.1, restitution=1.0,
                  jump=(1.8, -0.2, 1.8)),),
        spring_steps=1, precision="DOUBLE", boulder=True, water=(-1.9, -4.5, 0.0),
    ),
    "cube that is filled under water": SceneDraw(
        (BodyDraw(size=0.3, at=(-1.46, 0.6, -0.84), velocity=(25.0, -40.0, -60.0), stiffness=3.5, mass=1.5,
                  damping=0.0, pressure=7100.0, new_pressure=350000.0, rings=3, struts=2, thickness=0.1,
                  friction=1.0, restitution=0.5, jump=(0.7, 0.3, -1.2)),),
        spring_steps=1, precision="SINGLE", gravity=100.0, floor=True, boulder=True, water=(0.8, -2.0, 0.0),
    ),
    # The free end of a rope beside its pins has a small weight in a contact, and moved as far as on a rigid lever.
    "pins of two ropes in one place jump": SceneDraw(
        (BodyDraw("rope", size=0.01, squash=0.05, at=(1.02, -0.87, -0.6), stiffness=2.0, mass=-1.5, damping=-1.5,
                  rings=4, struts=2, friction=10.0, restitution=0.5, pin_count=3, jump=(-1.1, 1.8, -1.7)),) * 2,
        substeps=20, spring_steps=5, precision="DOUBLE",
    ),
}
