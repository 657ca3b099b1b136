"""Solid cubes against Blender's Soft Body, and cloth that tears against the node modifier of 5.2."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from flotsam.engine import ColliderSpec, SpringGraphSpec, WorldSpec, build_world
from flotsam.engine.world.world import World

from . import peers
from .graphs import seconds_of, sheet
from .heap import box
from .measure import Ledger
from .options import Options

GRAVITY = 9.81
# Quads along the side of the cube of 1 m, which are also Soft Body's cells; cells of our lattices under the same mesh,
# the last of which has the requirement; the cube's height above the floor [m], and Soft Body's stiffness, of 0.999.
CELLS, LATTICES, HEIGHT, STIFFNESS = 14, (14, 7), 0.01, 0.9
SOLID_FRAMES, COUNTED = 20, 8
ASKED_SOLID, ASKED_TEARING = 50.0, 1.0
# Vertices along the sides of a sheet, its frames, the gravity that tears it [m/s²], and the strain at which it tears.
SIDE, TEARING_FRAMES, TEARING_GRAVITY, TEARS_AT = 100, 24, -30.0, 0.2
_SPHERES = {"self_collision": True, "self_contact": "SPHERES"}


class Grid(NamedTuple):
    """A mesh for `peers.on_stage`, see `peers.Shape`."""

    vertices: np.ndarray
    quads: np.ndarray
    edges: np.ndarray


def grid(cells: int) -> Grid:
    """A cube of 1 m on the plane z = 0: vertices at all nodes of its cells, edges and diagonals between them."""
    steps = np.arange(cells + 1)
    nodes = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    offsets = np.array(list(np.ndindex(3, 3, 3))[14:]) - 1
    edges = []
    for offset in offsets:
        ends = nodes + offset
        inside = ((ends >= 0) & (ends <= cells)).all(axis=1)
        edges.append(np.stack([nodes[inside], ends[inside]], axis=1) @ np.array([(cells + 1) ** 2, cells + 1, 1]))
    return Grid(nodes / cells, np.zeros((0, 4), dtype=int), np.concatenate(edges))


def run(ledger: Ledger, options: Options) -> None:
    """Both comparisons, in the same process."""
    _solid(ledger, options)
    _tearing(ledger, options)


def _solid(ledger: Ledger, options: Options) -> None:
    """A frame of a cube on a floor: Soft Body, and solid lattices with the Young's modulus that gives the same sag.

    The mesh is embedded in the cells, so they can be coarser: half as many per side sag as much as Soft Body does.
    """
    cells, frames = (4, 8) if options.quick else (CELLS, SOLID_FRAMES)
    options.tell(f"a solid cube of {cells}³ cells, Soft Body")
    mesh = grid(cells)
    low, top = mesh.vertices[:, 2] == 0.0, mesh.vertices[:, 2] == 1.0
    with peers.on_stage(mesh._replace(vertices=mesh.vertices + [0.0, 0.0, HEIGHT]), frames, floor=True) as obj:
        peers.soft_solid(obj, STIFFNESS, frames)
        seconds, x = peers.play(obj, frames)
    sag = 1.0 - float(x[top, 2].mean() - x[low, 2].mean())
    mass = peers.MIN_MASS * len(mesh.vertices)
    # A column of height 1 m shortens by rho g / (2 E) under its own weight.
    young = 0.5 * mass * GRAVITY / max(sag, 1e-6)
    ledger.add("solid_soft_body", f"Cube of {cells}³ cells on a floor, sag {1e3 * sag:.2f} mm, Soft Body, a frame",
               "ms", [1e3 * s for s in seconds[-COUNTED:]])
    for lattice in (cells,) if options.quick else LATTICES:
        world = _cube(cells, lattice, mass, young)
        mine = seconds_of(world, frames)
        height = np.ptp(world.state.x[world.body("cube").start : world.body("cube").stop, 2])
        ledger.add(f"solid_flotsam_{lattice}", f"The same mesh on {lattice}³ cells, sag {1e3 * (1.0 - height):.2f} mm, "
                   f"{young / 1e3:.0f} kPa, a frame", "ms", [1e3 * s for s in mine[-COUNTED:]])
    ledger.require("A solid cube against a Soft Body that sags as much", ASKED_SOLID,
                   ledger.ratio("solid", "solid_soft_body", f"solid_flotsam_{lattice}"), counts=not options.quick,
                   why="both take more steps the stiffer the cube is; Soft Body uses all threads as well")


def _cube(quads: int, cells: int, mass: float, young: float) -> World:
    """A cube with `quads` quads along each side in `cells`³ cells, slightly above a floor."""
    vertices, triangles = box(quads)
    body = SpringGraphSpec(
        "cube", vertices + [0.0, 0.0, 0.5 + HEIGHT], triangles, graph="LATTICE", voxel_size=1.0 / cells, mass=mass,
        young=young, poisson=0.25, friction=0.0, air_drag=2.0,
    )
    floor = ColliderSpec("floor", np.array(peers.FLOOR), np.array([[0, 1, 2], [0, 2, 3]]), friction=0.0)
    return build_world(WorldSpec(systems=(body, floor)))


def _tearing(ledger: Ledger, options: Options) -> None:
    """Frames of a hanging sheet that tears under its weight, ours without self-collision and with both kinds of it."""
    if peers.dynamics_file() is None:
        ledger.notes.append("Cloth that tears: the node modifier exists in Blender 5.2 and later.")
        return
    side, frames = (20, 6) if options.quick else (SIDE, TEARING_FRAMES)
    options.tell(f"a sheet of {side * side:,} vertices that tears, Cloth Dynamics")
    hanging = sheet(side)
    quads = np.asarray(hanging.corners).reshape(-1, 4)
    mesh = Grid(np.asarray(hanging.vertices), quads, np.zeros((0, 2), dtype=int))
    with peers.on_stage(mesh, frames, floor=False) as obj:
        pin = obj.data.attributes.new("pin", "FLOAT", "POINT")
        pin.data.foreach_set("value", np.repeat([1.0, 0.0], [side, side * side - side]).astype(np.float32))
        peers.tearing_dynamics(obj, 1.0 + TEARS_AT, TEARING_GRAVITY)
        seconds, x = peers.play(obj, frames)
    theirs, mine = len(x) - side * side, []
    name = f"Sheet of {side * side:,} vertices that tears, mean of {frames} frames"
    ledger.add("tearing_dynamics", f"{name}, Cloth Dynamics, {theirs} splits", "ms", [1e3 * sum(seconds) / frames])
    variants = (
        ("tearing_alone", "as it does", {}), ("tearing_spheres", "with self-collision by spheres", _SPHERES),
        ("tearing_flotsam", "with self-collision by faces and edges", {"self_collision": True}),
    )
    for key, label, settings in variants:
        options.tell(f"a sheet of {side * side:,} vertices that tears, {label}")
        own = sheet(side, stiffness=8.0, tear=True, break_strain=TEARS_AT, **settings)
        world = build_world(WorldSpec(systems=(own,), gravity=(0.0, 0.0, TEARING_GRAVITY)))
        taken = seconds_of(world, frames)
        mine.append(world.systems[0].tears.bodies["curtain"].torn.used - side * side)
        ledger.add(key, f"{name}, {label}, {mine[-1]} splits", "ms", [1e3 * sum(taken) / frames])
    tears = min(theirs, *mine) > 0
    ledger.require("Cloth that tears against Cloth Dynamics, both without self-collision", ASKED_TEARING,
                   ledger.ratio("tearing_alone", "tearing_dynamics", "tearing_alone"), counts=tears,
                   why="tables are built anew in each frame with tears")
    ledger.require("Cloth that tears and collides with itself, by spheres, against Cloth Dynamics, which does not",
                   ASKED_TEARING, ledger.ratio("tearing_spheres", "tearing_dynamics", "tearing_spheres"), counts=tears,
                   why="tables are built anew in each frame with tears")
    exact = ledger.ratio("tearing", "tearing_dynamics", "tearing_flotsam")
    ledger.notes.append(
        f"Cloth that tears and collides with itself by faces and edges, the default, takes 1 / {exact:.2f} of the time "
        "of Cloth Dynamics: pieces crumple as they recoil, and most of their edges may then meet any other edge. By "
        "spheres folds lie apart by the mesh's edges, and edges may catch."
    )
