"""Bodies that meet themselves on a plane, here and as Blender's Cloth with self collision, on the same mesh.

A ring and a ball full of air, which hardly touch themselves, and a limp ball, which falls into folds. Both sides get
the same mesh, mass and pressure; stiffness is what each has by itself, ours 4000 N/m for 10 kg. The limp ball has the
mass that Cloth gives vertices by itself: of 10 kg, 1 g each, it sinks at 16 mm/s there, and does not fold in 36 frames.
"""

from __future__ import annotations

import time

import numpy as np
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world, step_frame

from . import peers
from .measure import Ledger
from .options import Options
from .ring_on_floor import AIR_DRAG, HEIGHT, MASS, PRESSURE
from .torus import MAJOR, SIZES, Torus, torus

FRAMES = 36
STIFFNESS = 4000.0
# Of each vertex of the limp ball [kg]; it is as many times stiffer as that makes it heavier.
LIMP_MASS = 0.3
# Frames that do not count: in the air.
IN_THE_AIR = 4
ASKED = 10.0
WHY = {
    "ring": "see the frame of the same ring without self collision, benchmark floor",
    "full_ball": "the part that lies on the ground is folded at its rim",
    "ball": "in folds each vertex has many faces of its own body near",
}


def run(ledger: Ledger, options: Options) -> None:
    """The ring and the ball."""
    size = "2k" if options.quick else "8k"
    ball = icosphere(3 if options.quick else 5)
    cases = {
        "ring": (f"{size} torus", torus(*SIZES[size], HEIGHT), PRESSURE),
        "full_ball": (f"icosphere of {len(ball.vertices)} full of air", ball, PRESSURE),
        "ball": (f"limp icosphere of {len(ball.vertices)}", ball, 0.0),
    }
    frames = 8 if options.quick else FRAMES
    for case, (what, mesh, pressure) in cases.items():
        heavier = 1.0 if pressure > 0.0 else LIMP_MASS * len(mesh.vertices) / MASS
        options.tell(f"Blender Cloth with self collision, {what}")
        with peers.on_stage(mesh, frames, floor=True) as obj:
            peers.cloth(obj, heavier * MASS, pressure, frames)
            peers.meet_itself(obj)
            cloth, _x = peers.play(obj, frames)
        options.tell(f"Flotsam with self collision, {what}")
        mine = _frames(mesh, heavier, pressure, frames)
        for name, who, seconds in (("cloth", "Blender Cloth", cloth), ("flotsam", "Flotsam", mine)):
            ledger.add(f"itself_{case}_{name}", f"{who} that meets itself on a plane, {what}, a frame", "ms",
                       [s * 1e3 for s in seconds[IN_THE_AIR:]])
        faster = ledger.ratio(f"itself_{case}", f"itself_{case}_cloth", f"itself_{case}_flotsam")
        ledger.hold(f"Self collision on a plane, {what}, against Cloth", ASKED, faster,
                    why=WHY[case])


def _frames(mesh: Torus, heavier: float, pressure: float, frames: int) -> list[float]:
    """Seconds of each frame of a body so many times as heavy and as stiff as one of 10 kg."""
    body = SpringGraphSpec(
        "body", mesh.vertices, mesh.triangles, mesh.edges, mass=heavier * MASS, pressure=pressure,
        stiffness=heavier * STIFFNESS, air_drag=AIR_DRAG, self_collision=True,
    )
    floor = ColliderSpec("floor", np.array(peers.FLOOR), np.array([[0, 1, 2], [0, 2, 3]]))
    world = build_world(WorldSpec((body, floor)))
    seconds = []
    for _ in range(frames):
        started = time.perf_counter()
        step_frame(world)
        seconds.append(time.perf_counter() - started)
    return seconds


def icosphere(halvings: int) -> Torus:
    """An icosahedron halved so often and pushed out to a sphere, just above the ground; triangles stand for quads."""
    golden = (1.0 + 5.0**0.5) / 2.0
    corners = [(s, t * golden, 0.0) for t in (1.0, -1.0) for s in (-1.0, 1.0)]
    vertices = np.array([np.roll(corner, k) for k in range(3) for corner in corners])
    apart = np.linalg.norm(vertices[:, None] - vertices[None], axis=2)
    near = np.abs(apart - 2.0) < 1e-6
    triangles = np.array([
        (a, b, c) for a in range(12) for b in range(a + 1, 12) for c in range(b + 1, 12)
        if near[a, b] and near[b, c] and near[a, c]
    ])
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    for _ in range(halvings):
        sides = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        pairs, place = np.unique(sides, axis=0, return_inverse=True)
        ab, bc, ca = (len(vertices) + place.reshape(-1, 3)).T
        vertices = np.concatenate([vertices, vertices[pairs].mean(axis=1)])
        a, b, c = triangles.T
        triangles = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
    vertices *= MAJOR / np.linalg.norm(vertices, axis=1)[:, None]
    edges = np.unique(np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    return Torus(vertices + [0.0, 0.0, MAJOR + 0.05], triangles, triangles, edges)
