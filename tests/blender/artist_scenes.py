"""Random scenes as an artist would set them up: bodies with material presets, in ordinary surroundings, played live."""

from __future__ import annotations

import math
from dataclasses import dataclass

import bpy
import numpy as np
from crossings import Watch
from energy_ledger import measured
from flotsam.addon.capture import capture_world
from flotsam.addon.presets import apply_material, material_presets
from flotsam.engine import build_world, step_frame
from flotsam.engine.world.world import World
from make_scene import mesh_object, pin, sheet
from mathutils import Matrix

SHEETS = ("cloth", "silk", "rubber_sheet", "denim", "leather", "paper")
VOLUMES = (
    "beach_ball", "balloon", "jelly", "sponge", "rubber_block", "foam", "bouncy_castle", "marshmallow", "rubber_ring",
)
RIGID = ("wood", "stone", "steel", "cork", "ice", "plastic", "hard_rubber", "glass")
PLACES = ("floor", "bin", "pool", "tub", "hung", "lake")
# Half the inner width of a bin [m].
HALF_WIDTH = 1.0
# Probability that a body is tied to the one below it; that it is thrown, and its speeds [m/s]; that a wind blows.
TIED, THROWN, SPEEDS, WINDY = 0.12, 0.2, (2.0, 20.0), 0.15
# Allowed gain of energy: a fraction of the work of forces, and the energy of air and overlaps at the start [J].
HEAT, AT_START = 0.05, 50.0


@dataclass
class Played:
    """What happened in a scene.

    Attributes:
        crossed: substeps with an intersection; first: the first of them; fastest: the largest speed of a body's
            centre of mass [m/s], because vertices of silk below a ton of steel swing faster.
        gained: energy gained without input [J]; 0 with a fluid.
    """

    crossed: int
    first: str
    fastest: float
    gained: float


def build(seed: int) -> tuple[list[str], dict[str, np.ndarray]]:
    """Build a scene; returns what it is made of, and the velocities of the bodies that are thrown [m/s]."""
    rng = np.random.default_rng(seed)
    place = str(rng.choice(PLACES))
    surround(place, rng)
    z, contents, thrown = {"hung": 1.3, "tub": 0.6}.get(place, 0.3), [place], {}
    half_width = HALF_WIDTH if place in ("bin", "pool", "tub") else 2.0 * HALF_WIDTH
    if rng.random() < WINDY:
        bpy.ops.object.effector_add(type="WIND", rotation=rng.uniform(-1.5, 1.5, 3))
        bpy.context.object.field.strength = rng.uniform(1.0, 30.0)
        contents.append("wind")
    for number in range(int(rng.integers(3, 9))):
        obj, height, material = body(f"Body {number}", z, half_width, rng)
        dress(obj, material)
        contents.append(material)
        z += height
        if number and rng.random() < TIED:
            tie(obj, bpy.data.objects[f"Body {number - 1}"])
        if rng.random() < THROWN:
            direction = rng.normal(size=3) * [1.0, 1.0, 0.3] - [0.0, 0.0, 0.5]
            thrown[obj.name] = direction / np.linalg.norm(direction) * rng.uniform(*SPEEDS)
    return contents, thrown


def surround(place: str, rng: np.random.Generator) -> None:
    """A floor, a bin, a bin with a water level or with fluid particles, a sheet that hangs over a floor, or a lake."""
    if place != "lake":
        plane("Ground", 0.0).flotsam.kind = "COLLIDER"
    if place in ("bin", "pool", "tub"):
        for number, (x, y) in enumerate(((0.0, 1.05), (0.0, -1.05), (1.05, 0.0), (-1.05, 0.0))):
            size = (2.2, 0.1, 1.0) if x == 0.0 else (0.1, 2.0, 1.0)
            wall = block(f"Wall {number}", size, 0)
            wall.location, wall.flotsam.kind = (x, y, 0.5), "COLLIDER"
    if place == "tub":
        fill = block("Fill", (1.98, 1.98, 0.4), 0)
        fill.location.z, fill.flotsam.kind = 0.21, "FLUID"
        fill.flotsam.fluid.spacing = 0.08
    if place in ("pool", "lake"):
        plane("Water", 0.5 if place == "pool" else 0.0).flotsam.kind = "WATER"
    if place == "hung":
        hung = sheet("Hung", int(rng.integers(17, 41)), 2.0)
        hung.location.z = 1.0
        dress(hung, str(rng.choice(SHEETS)))
        least_axes = 2 if rng.random() < 0.5 else 1
        pinned = [v.index for v in hung.data.vertices if sum(abs(v.co[axis]) > 0.98 for axis in range(2)) >= least_axes]
        pin(hung, pinned)


def body(name: str, z: float, half_width: float, rng: np.random.Generator) -> tuple[bpy.types.Object, float, str]:
    """A mesh above z [m], within `half_width` [m] of the centre; the height that it takes [m]; its material."""
    is_soft, size = rng.random() < 0.55, rng.uniform(0.3, 0.9)
    material = str(rng.choice((*SHEETS, *VOLUMES) if is_soft else RIGID))
    rotation = rng.uniform(-0.6, 0.6, 3)
    if material in SHEETS:
        obj = sheet(name, int(rng.integers(9, 31)), min(1.6 * size, 1.35 * half_width))
        height, above, rotation[:2] = 0.2, 0.1, 0.0
    elif material == "rubber_ring":
        obj = tube(name, 0.6 * size, 0.2 * size, int(rng.integers(16, 40)), int(rng.integers(8, 16)))
        height, above, rotation[:2] = 0.5 * size, 0.25 * size, 0.3 * rotation[:2]
    elif material in ("beach_ball", "balloon") or (not is_soft and rng.random() < 0.4):
        obj = ball(name, 0.5 * size, int(rng.integers(2, 4)))
        height, above = 1.1 * size, 0.55 * size
    else:
        obj = block(name, tuple(size * rng.uniform(0.5, 1.0, 3)), int(rng.integers(2, 6)) if is_soft else 0)
        height, above = 1.4 * size, 0.75 * size
    obj.rotation_euler = rotation
    bpy.context.view_layer.update()
    reach = max(abs((obj.matrix_world @ vertex.co)[axis]) for vertex in obj.data.vertices for axis in range(2))
    x, y = rng.uniform(-0.5, 0.5, 2) * min(1.0, 2.0 * max(half_width - 0.03 - reach, 0.0))
    obj.location = x, y, z + above
    bpy.context.view_layer.update()
    return obj, height, material


def dress(obj: bpy.types.Object, material: str) -> None:
    """Give an object a material, as the menu does, and the modifier that plays its bake."""
    obj.flotsam.kind = material_presets()[material].kind
    select(obj)
    apply_material(obj, material)
    if obj.flotsam.kind == "SPRING_GRAPH" and not any(one.type == "MESH_CACHE" for one in obj.modifiers):
        modifier = obj.modifiers.new("Flotsam", "MESH_CACHE")
        modifier.show_viewport = modifier.show_render = False


def tie(obj: bpy.types.Object, other: bpy.types.Object) -> None:
    """Attach vertices of one object that are near the other, if there are any."""
    select(obj, other)
    if bpy.ops.flotsam.attach.poll():
        bpy.ops.flotsam.attach(distance=0.15)


def select(*objects: bpy.types.Object) -> None:
    """Select only these; the last one is active."""
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
        bpy.context.view_layer.objects.active = obj
    bpy.context.view_layer.update()


def play(frames: int, thrown: dict[str, np.ndarray]) -> Played:
    """Run the scene with the engine, and test all edges against all faces after every substep."""
    world = build_world(capture_world(bpy.context.scene, bpy.context.evaluated_depsgraph_get()).spec)
    throw(world, thrown)
    # `np.maximum` keeps NaN, which `max` may drop.
    watch, fastest, gained = Watch(world), 0.0, 0.0
    # A fluid exchanges energy that the ledger of forces does not contain.
    has_fluid = any(one.kind == "FLUID" for one in world.spec.systems)
    with measured(world) as ledger:
        for _frame in range(frames):
            step_frame(world)
            fastest = float(np.maximum(fastest, _fastest(world)))
            if not has_fluid:
                allowed = ledger.given + HEAT * abs(ledger.given) + AT_START
                gained = float(np.maximum(gained, ledger.kinetic - allowed))
    return Played(watch.crossed, watch.first, fastest, gained)


def _fastest(world: World) -> float:
    """The largest speed of a body's centre of mass [m/s]."""
    mass, v, bodies = world.model.mass, world.state.v, [body for body in world.model.bodies if body.traits.moves]
    parts = [slice(body.start, body.stop) for body in bodies if mass[body.start : body.stop].any()]
    return float(np.max([np.linalg.norm(np.average(v[own], axis=0, weights=mass[own])) for own in parts]))


def throw(world: World, thrown: dict[str, np.ndarray]) -> None:
    """Give bodies their velocities [m/s]."""
    for name, velocity in thrown.items():
        one, rigid = world.body(name), world.rigid
        world.state.v[one.start : one.stop] = velocity
        if rigid is not None:
            rigid.velocity[rigid.start == one.start] = velocity


def plane(name: str, z: float) -> bpy.types.Object:
    """A level square, twelve metres wide."""
    return mesh_object(name, [(-6, -6, z), (6, -6, z), (6, 6, z), (-6, 6, z)], [(0, 1, 2, 3)])


def block(name: str, size: tuple[float, ...], cuts: int) -> bpy.types.Object:
    """A box centred at its own origin, its edges subdivided by `cuts`."""
    bpy.ops.mesh.primitive_cube_add(size=1.0)
    obj = _named(name)
    obj.data.transform(Matrix.Diagonal((*size, 1.0)))
    if cuts:
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.subdivide(number_cuts=cuts)
        bpy.ops.object.mode_set(mode="OBJECT")
    return obj


def ball(name: str, radius: float, subdivisions: int) -> bpy.types.Object:
    """An icosphere."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=subdivisions, radius=radius)
    return _named(name)


def tube(name: str, major_r: float, minor_r: float, major: int, minor: int) -> bpy.types.Object:
    """A torus with radii of ring and tube [m], and counts of vertices around ring and tube."""
    at = [(2 * math.pi * i / major, 2 * math.pi * j / minor) for i in range(major) for j in range(minor)]
    reach = [major_r + minor_r * math.cos(b) for _a, b in at]
    corners = [(r * math.cos(a), r * math.sin(a), minor_r * math.sin(b)) for r, (a, b) in zip(reach, at, strict=True)]
    faces = [
        (i * minor + j, k * minor + j, k * minor + m, i * minor + m)
        for i in range(major) for j in range(minor) for k, m in (((i + 1) % major, (j + 1) % minor),)
    ]
    return mesh_object(name, corners, faces)


def _named(name: str) -> bpy.types.Object:
    obj = bpy.context.object
    obj.name = name
    return obj
