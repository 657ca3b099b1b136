"""A flag in wind and turbulence, in Flotsam and as Blender's Cloth; and the cost of ten force fields per frame."""

from __future__ import annotations

import bpy
import numpy as np
from flotsam.engine import AirSpec, ForceFieldSpec, SpringGraphSpec, WorldSpec, build_world, prepare, step_frame
from flotsam.engine.world.world import World

from .measure import Ledger, in_turn
from .options import Options
from .peers import play

SUBSTEPS, FRAMES = 10, 12
# A flag of 3 m by 2 m: mass [kg], stiffness [N/m]; speed of the wind and of its gusts [m/s], size of the gusts [m].
MASS, STIFFNESS, WIND, GUSTS, SIZE = 1.2, 2000.0, 8.0, 6.0, 1.5
ASKED, FIELDS_ASKED = 10.0, 0.1


def flag_mesh(across: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) of a flag, row by row, and its quads; args: across: faces along its longer side."""
    along = 2 * across // 3
    x, z = np.meshgrid(np.linspace(0.0, 3.0, across + 1), np.linspace(0.0, 2.0, along + 1), indexing="ij")
    number = np.arange(x.size).reshape(x.shape)
    quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)
    return np.stack([x, 0.0 * x, z], axis=-1).reshape(-1, 3), quads


def flag_spec(across: int) -> SpringGraphSpec:
    """The flag, pinned along its edge at x = 0."""
    vertices, quads = flag_mesh(across)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    edges = np.concatenate([quads[:, [0, 1]], quads[:, [1, 2]], quads[:, [2, 3]], quads[:, [3, 0]]])
    pins = np.flatnonzero(vertices[:, 0] == 0.0)
    return SpringGraphSpec("flag", vertices, triangles, edges, pins=pins, mass=MASS, stiffness=STIFFNESS)


def along_x(at: tuple[float, float, float]) -> np.ndarray:
    """The matrix (4, 4) of a field at a point, directed along x."""
    matrix = np.eye(4)
    matrix[:3, :3] = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]
    matrix[:3, 3] = at
    return matrix


def flag_world(across: int) -> World:
    """The flag in wind and gusts, after some frames."""
    prepare(kernels=("XPBD", "FIELDS"))
    wind = ForceFieldSpec("wind", along_x((-1.0, 0.0, 1.0)), type="WIND", strength=WIND, wind_factor=1.0)
    gusts = ForceFieldSpec("gusts", np.eye(4), type="TURBULENCE", strength=GUSTS, size=SIZE, wind_factor=1.0)
    world = build_world(WorldSpec(systems=(flag_spec(across), wind, gusts, AirSpec()), substeps=SUBSTEPS))
    for _ in range(FRAMES):
        step_frame(world)
    return world


def cloth_seconds(across: int, frames: int = FRAMES) -> list[float]:
    """Seconds of frames of Blender's Cloth at quality 5 with the same mesh, mass and fields."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    vertices, quads = flag_mesh(across)
    mesh = bpy.data.meshes.new("flag")
    mesh.from_pydata(vertices.tolist(), [], quads.tolist())
    flag = bpy.data.objects.new("flag", mesh)
    scene.collection.objects.link(flag)
    flag.vertex_groups.new(name="pins").add(np.flatnonzero(vertices[:, 0] == 0.0).tolist(), 1.0, "REPLACE")
    for kind, strength, angle in (("WIND", WIND, np.pi / 2.0), ("TURBULENCE", GUSTS, 0.0)):
        bpy.ops.object.effector_add(type=kind, location=(-1.0, 0.0, 1.0), rotation=(0.0, angle, 0.0))
        bpy.context.object.field.strength = strength
        bpy.context.object.field.size = SIZE if kind == "TURBULENCE" else 0.0
    cloth = flag.modifiers.new("Cloth", "CLOTH")
    cloth.settings.quality, cloth.settings.mass = 5, MASS / len(vertices)
    cloth.settings.vertex_group_mass = "pins"
    cloth.collision_settings.use_collision = False
    scene.frame_start, scene.frame_end = 1, frames + 1
    seconds, positions = play(flag, frames)
    assert np.abs(positions[:, 1]).max() > 1e-3, "the flag hangs still"
    return seconds


def ten_fields(count: int) -> tuple[World, World]:
    """Two worlds of a horizontal falling sheet of about `count` vertices: without fields, and with ten of them."""
    side = round(count**0.5)
    x, y = np.meshgrid(np.arange(side) * 0.02, np.arange(side) * 0.02, indexing="ij")
    number = np.arange(side * side).reshape(side, side)
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    triangles = np.concatenate([np.stack(t, axis=-1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
    sheet = SpringGraphSpec("sheet", np.stack([x, y, 0.0 * x], axis=-1).reshape(-1, 3), triangles, mass=10.0)
    kinds = ("FORCE", "WIND", "VORTEX", "HARMONIC", "TURBULENCE", "DRAG", "CHARGE", "MAGNET", "FORCE", "WIND")
    fields = [
        ForceFieldSpec(f"{kind} {number}", along_x((0.5 * number, 1.0, 1.0)), type=kind, strength=0.5)
        for number, kind in enumerate(kinds)
    ]
    worlds = tuple(
        build_world(WorldSpec(systems=(sheet, *some), substeps=SUBSTEPS)) for some in ((), tuple(fields))
    )
    return worlds[0], worlds[1]


def run(ledger: Ledger, options: Options) -> None:
    """The flag against Cloth, then ten fields on a sheet."""
    across, count = (45, 10_000) if options.quick else (122, 100_000)
    options.tell("a flag in wind and turbulence")
    world = flag_world(across)
    size = f"{len(world.positions('flag')):,} vertices"
    seconds = in_turn({"frame": lambda: step_frame(world)}, options.rounds)["frame"]
    ledger.add("flag_flotsam", f"Flotsam, a flag of {size} in wind and turbulence, a frame", "ms",
               [s * 1e3 for s in seconds])
    ledger.add("flag_cloth", "Blender Cloth, the same flag in the same fields, quality 5, a frame", "ms",
               [s * 1e3 for s in cloth_seconds(across)[FRAMES // 2:]])
    ledger.require(f"A flag of {size} in wind and turbulence, against Blender Cloth", ASKED,
                   ledger.ratio("flag_cloth_to_flotsam", "flag_cloth", "flag_flotsam"),
                   why=f"a frame takes {1e3 * min(seconds):.3g} ms at {SUBSTEPS} substeps")
    options.tell("ten fields")
    plain, blown = ten_fields(count)
    both = in_turn({"plain": lambda: step_frame(plain), "fields": lambda: step_frame(blown)}, options.rounds)
    for name, what in (("plain", "no field"), ("fields", "ten fields")):
        ledger.add(f"sheet_{name}", f"Flotsam, a sheet of {count:,} vertices with {what}, a frame", "ms",
                   [s * 1e3 for s in both[name]])
    fraction = 1.0 - 1.0 / ledger.ratio("fields_to_plain", "sheet_fields", "sheet_plain")
    extra = 1e3 * (min(both["fields"]) - min(both["plain"]))
    ledger.require(f"Ten fields, share of a frame of {count:,} vertices", FIELDS_ASKED, fraction, at_least=False,
                   unit="", why=f"they add {extra:.3g} ms, {extra / SUBSTEPS / 10:.2g} ms a field and substep")
