"""Self-collision of bodies on a plane, in Flotsam and as Blender's Cloth, on the same mesh.

A ring and an inflated ball, which hardly touch themselves, and a limp ball, which folds. Both solvers have the same
mesh, mass and pressure; stiffnesses are the defaults, ours 4000 N/m for 10 kg. The limp ball has Cloth's default vertex
mass: with 10 kg in total, 1 g per vertex, Cloth's sinks at 16 mm/s, and does not fold within 36 frames.

For the limp ball, Flotsam uses as many substeps as Cloth has steps, and a bending stiffness with which it ends no lower
and no more stretched than Cloth's. Without bending stiffness ours crumples into folds as wide as an edge, while Cloth's
does not; the time for that case is reported as well.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import bpy  # noqa: F401  Provides mathutils.
import numpy as np
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world, step_frame
from mathutils.bvhtree import BVHTree

from . import peers
from .measure import Ledger
from .options import Options
from .ring_on_floor import AIR_DRAG, HEIGHT, MASS, PRESSURE, SAG_TOLERANCE
from .torus import MAJOR, SIZES, Torus, stretch, torus

FRAMES = 36
STIFFNESS, BENDING = 4000.0, 0.25
# Cloth's steps at quality 5; inner steps as the solver chooses them for 10 substeps.
SUBSTEPS, SPRING_STEPS = 5, 4
# Vertex mass of the limp ball [kg]; its stiffness is scaled by the same factor as its mass.
LIMP_VERTEX_MASS = 0.3
# Untimed frames first, while the body is in the air.
WARM_UP = 4
ASKED = 10.0
WHY = {
    "ring": "see the frame of the same ring without self collision, benchmark floor",
    "full_ball": "the part that lies on the ground is folded at its rim",
    "ball": "in folds each vertex has many faces of its own body near",
}


@dataclass
class Case:
    """A mesh with a pressure [Pa], and whether it is limp."""

    what: str
    mesh: Torus
    pressure: float

    @property
    def is_limp(self) -> bool:
        """Whether it has no pressure."""
        return self.pressure == 0.0

    @property
    def mass_factor(self) -> float:
        """Factor on mass, stiffness and bending relative to a body of 10 kg."""
        return LIMP_VERTEX_MASS * len(self.mesh.vertices) / MASS if self.is_limp else 1.0


def run(ledger: Ledger, options: Options) -> None:
    """The ring and the balls."""
    size = "2k" if options.quick else "8k"
    ball = icosphere(3 if options.quick else 5)
    cases = {
        "ring": Case(f"{size} torus", torus(*SIZES[size], HEIGHT), PRESSURE),
        "full_ball": Case(f"icosphere of {len(ball.vertices)} full of air", ball, PRESSURE),
        "ball": Case(f"limp icosphere of {len(ball.vertices)}", ball, 0.0),
    }
    frames = 8 if options.quick else FRAMES
    for name, case in cases.items():
        options.tell(f"Blender Cloth with self collision, {case.what}")
        with peers.on_stage(case.mesh, frames, floor=True) as obj:
            peers.cloth(obj, case.mass_factor * MASS, case.pressure, frames)
            peers.enable_self_collision(obj)
            cloth, cloth_x = peers.play(obj, frames)
        options.tell(f"Flotsam with self collision, {case.what}")
        mine, mine_x = _frames(case, frames, BENDING if case.is_limp else 0.0)
        for key, label, seconds in (("cloth", "Blender Cloth", cloth), ("flotsam", "Flotsam", mine)):
            _note(ledger, f"itself_{name}_{key}", f"{label} that meets itself on a plane, {case.what}", seconds)
        faster = ledger.ratio(f"itself_{name}", f"itself_{name}_cloth", f"itself_{name}_flotsam")
        alike = not case.is_limp or options.quick or _ends_alike(ledger, case.mesh, mine_x, cloth_x)
        ledger.require(f"Self collision on a plane, {case.what}, against Cloth", ASKED, faster,
                       why=WHY[name] if alike else "it lies lower, more stretched or through itself", counts=alike)
    options.tell("Flotsam with self collision, a ball that does not resist bending")
    without_bending, _x = _frames(cases["ball"], frames, 0.0)
    _note(ledger, "itself_crumpled", f"Flotsam that meets itself on a plane, {cases['ball'].what} without any bending",
          without_bending)


def _note(ledger: Ledger, name: str, what: str, seconds: list[float]) -> None:
    ledger.add(name, f"{what}, a frame", "ms", [s * 1e3 for s in seconds[WARM_UP:]])


def _ends_alike(ledger: Ledger, mesh: Torus, mine: np.ndarray, cloth: np.ndarray) -> bool:
    """Whether ours ends no lower than Cloth's, no more stretched, and without more self-intersections."""
    (my_top, *my_rest), (top, *rest) = (
        (float(x[:, 2].max()), float(seen.mean()), float(seen.max()), crossings(x, mesh))
        for x, seen in ((mine, stretch(mine, mesh)), (cloth, stretch(cloth, mesh)))
    )
    ledger.notes.append(
        f"Limp ball in folds: its top lies at {my_top:.3f} m, Cloth's at {top:.3f}; edges {my_rest[0]:.4f} mean, "
        f"{my_rest[1]:.3f} at most, Cloth's {rest[0]:.4f} and {rest[1]:.3f}; pairs of triangles that cross "
        f"{my_rest[2]}, Cloth's {rest[2]}."
    )
    # Cloth's mean may be below one: both are compressed more than stretched.
    held = my_rest[0] <= max(rest[0], 1.0) and my_rest[1] <= rest[1] and my_rest[2] <= rest[2]
    return held and my_top > (1.0 - SAG_TOLERANCE) * top


def crossings(x: np.ndarray, mesh: Torus) -> int:
    """Number of intersecting pairs of triangles without a common vertex."""
    tree = BVHTree.FromPolygons(x.tolist(), mesh.triangles.tolist())
    corners = [set(triangle) for triangle in mesh.triangles.tolist()]
    return sum(a < b and not corners[a] & corners[b] for a, b in tree.overlap(tree))


def _frames(case: Case, frames: int, bending: float) -> tuple[list[float], np.ndarray]:
    """Seconds of each frame, and vertex positions after the last."""
    mesh, mass_factor = case.mesh, case.mass_factor
    body = SpringGraphSpec(
        "body", mesh.vertices, mesh.triangles, mesh.edges, mass=mass_factor * MASS, pressure=case.pressure,
        stiffness=mass_factor * STIFFNESS, bending=mass_factor * bending, air_drag=AIR_DRAG, self_collision=True,
    )
    floor = ColliderSpec("floor", np.array(peers.FLOOR), np.array([[0, 1, 2], [0, 2, 3]]))
    counts = {"substeps": SUBSTEPS, "spring_steps": SPRING_STEPS} if case.is_limp else {}
    world = build_world(WorldSpec((body, floor), **counts))
    seconds = []
    for _ in range(frames):
        started = time.perf_counter()
        step_frame(world)
        seconds.append(time.perf_counter() - started)
    return seconds, world.positions("body")


def icosphere(halvings: int) -> Torus:
    """An icosahedron subdivided `halvings` times and projected to a sphere, just above the ground; quads: triangles."""
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
