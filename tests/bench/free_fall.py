"""The torus in free fall, 10 substeps each, in Flotsam and with the XPBD node modifier of Blender 5.2."""

from __future__ import annotations

from flotsam.engine import SpringGraphSpec, WorldSpec, build_world, step_frame

from . import peers
from .measure import Ledger, in_turn
from .options import Options
from .ring_on_floor import LINKS
from .roofline import of_frame
from .torus import SIZES, torus

SUBSTEPS = 10
FRAMES = 20
# Constraint steps per substep: as many as our passes, and the modifier's default. The requirement is for the latter:
# fifteen times as fast was required of frames of 14, 44 and 159 ms, which it takes with its default, against Cloth's
# 17, 115 and 640.
STEPS = (1, 15)
AS_IT_COMES = 15
ASKED = 15.0


def run(ledger: Ledger, options: Options) -> None:
    """The torus in the sizes used on the ground, without pressure, which the node modifier does not have."""
    if peers.dynamics_file() is None:
        ledger.notes.append("Cloth Dynamics is left out: only Blender 5.2 has it; run with Python 3.13.")
    for size in ("2k",) if options.quick else ("2k", "8k", "32k"):
        options.tell(f"free fall, {size} vertices")
        mesh = torus(*SIZES[size], 100.0)
        body = SpringGraphSpec("torus", mesh.vertices, mesh.triangles, mesh.edges, mass=10.0, stiffness=1000.0)
        world = build_world(WorldSpec(systems=(body,), substeps=SUBSTEPS, spring_steps=1))
        for _ in range(FRAMES):
            step_frame(world)
        seconds = in_turn({"frame": lambda world=world: step_frame(world)}, options.rounds)["frame"]
        ledger.add(f"fall_flotsam_{size}", f"Flotsam in free fall, {size} vertices, a frame", "ms",
                   [s * 1e3 for s in seconds])
        if peers.dynamics_file() is None:
            continue
        for steps in STEPS:
            with peers.on_stage(mesh, FRAMES, floor=False) as obj:
                peers.dynamics(obj, SUBSTEPS, steps)
                seconds, _x = peers.play(obj, FRAMES)
            ledger.add(f"fall_dynamics_{steps}_{size}",
                       f"Cloth Dynamics, {steps} constraint step(s), {size} vertices, a frame", "ms",
                       [s * 1e3 for s in seconds])
            faster = ledger.ratio(f"dynamics_{steps}_to_flotsam_{size}", f"fall_dynamics_{steps}_{size}",
                                  f"fall_flotsam_{size}")
            why = of_frame(ledger, size, LINKS * len(mesh.vertices), SUBSTEPS,
                           ledger.figures[f"fall_flotsam_{size}"].median)
            what = f"Free fall, {size} vertices, against Cloth Dynamics with {steps} constraint step(s)"
            if steps == AS_IT_COMES:
                ledger.require(what, ASKED, faster, why=why)
            else:
                ledger.notes.append(f"{what}, which leave more to solve: {faster:.3g} times as fast; {why}.")
