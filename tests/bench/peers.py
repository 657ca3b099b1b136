"""Blender's simulations of the same mesh: Cloth with pressure, Soft Body, and the XPBD node modifier of 5.2."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import bpy
import numpy as np

DYNAMICS = "Cloth Dynamics (Experimental)"
# Sockets of that node group's interface.
DYNAMICS_SUBSTEPS, DYNAMICS_STEPS = "Socket_14", "Socket_15"
# The smallest vertex mass at which Soft Body falls at full speed [kg], and the speed setting that gives a free fall.
MIN_MASS, SOFT_BODY_SPEED = 0.01, 1.3
# Sockets for tearing: the pin group, stretchiness, gravity, whether cloth tears, and the l/l0 at which it tears.
DYNAMICS_PIN, DYNAMICS_STRETCHES, DYNAMICS_GRAVITY = "Socket_2", "Socket_6", "Socket_3"
DYNAMICS_TEARS, DYNAMICS_TEARS_AT = "Socket_11", "Socket_12"
FLOOR = [(-9.0, -9.0, 0.0), (9.0, -9.0, 0.0), (9.0, 9.0, 0.0), (-9.0, 9.0, 0.0)]


class Shape(Protocol):
    """A mesh: vertices (n, 3) [m], quads (q, 4), and edges (e, 2), which are used only if there are no quads."""

    @property
    def vertices(self) -> np.ndarray:
        """See `Shape`."""

    @property
    def quads(self) -> np.ndarray:
        """See `Shape`."""

    @property
    def edges(self) -> np.ndarray:
        """See `Shape`."""


@contextmanager
def on_stage(mesh: Shape, frames: int, floor: bool) -> Generator[bpy.types.Object, None, None]:
    """A mesh as an object in a new scene, if `floor` above a floor that cloth collides with."""
    before = bpy.context.window.scene if bpy.context.window else None
    scene = bpy.data.scenes.new("Benchmark")
    # A frame change evaluates the scene of the window.
    if before is not None:
        bpy.context.window.scene = scene
    scene.frame_start, scene.frame_end = 1, frames + 1
    edges = [] if len(mesh.quads) else mesh.edges.tolist()
    made = [_object(scene, "body", mesh.vertices.tolist(), mesh.quads.tolist(), edges)]
    if floor:
        made.append(_object(scene, "floor", FLOOR, [(0, 1, 2, 3)]))
        made[1].modifiers.new("Collision", "COLLISION")
    try:
        yield made[0]
    finally:
        if before is not None:
            bpy.context.window.scene = before
        for obj in made:
            bpy.data.meshes.remove(obj.data)
        bpy.data.scenes.remove(scene)


def _object(
    scene: bpy.types.Scene, name: str, vertices: list, faces: list, edges: list | tuple = ()
) -> bpy.types.Object:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, edges, faces)
    obj = bpy.data.objects.new(name, mesh)
    scene.collection.objects.link(obj)
    return obj


def play(obj: bpy.types.Object, frames: int) -> tuple[list[float], np.ndarray]:
    """Seconds of each frame from the second on, and the final positions (n, 3)."""
    scene = obj.users_scene[0]
    scene.frame_set(1)
    seconds = []
    for frame in range(2, frames + 2):
        started = time.perf_counter()
        scene.frame_set(frame)
        seconds.append(time.perf_counter() - started)
    view_layer = scene.view_layers[0]
    mesh = obj.evaluated_get(view_layer.depsgraph).data
    flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.attributes["position"].data.foreach_get("vector", flat)
    return seconds, flat.reshape(-1, 3).astype(np.float64)


def cloth(obj: bpy.types.Object, mass: float, pressure: float, frames: int) -> None:
    """Cloth with pressure at quality 5, with Blender's default stiffness and air drag."""
    modifier = obj.modifiers.new("Cloth", "CLOTH")
    settings = modifier.settings
    settings.quality = 5
    settings.mass = mass / len(obj.data.vertices)
    settings.use_pressure = True
    settings.uniform_pressure_force = pressure
    modifier.point_cache.frame_end = frames + 1


def enable_self_collision(obj: bpy.types.Object) -> None:
    """Enable self-collision of a cloth, with Blender's defaults."""
    obj.modifiers["Cloth"].collision_settings.use_self_collision = True


def soft_body(obj: bpy.types.Object, mass: float, frames: int) -> None:
    """Soft Body that falls at full speed and, without pressure, stands as high as an inflated ring.

    The smallest vertex mass is 0.01 kg: lighter vertices fall more slowly. By default a second is longer than 24 frames
    (a ring falls 0.58 of the distance), which the speed setting compensates. There is no air friction. With a bending
    stiffness of 0.5 instead of 1 the ring sags to 0.8 of its height, and with an edge stiffness of 0.5 too, to half.
    """
    modifier = obj.modifiers.new("Softbody", "SOFT_BODY")
    settings = modifier.settings
    settings.use_goal = False
    settings.pull = settings.push = 0.7
    settings.bend = 1.0
    settings.mass = max(mass / len(obj.data.vertices), MIN_MASS)
    settings.speed = SOFT_BODY_SPEED
    settings.friction = 0.0
    modifier.point_cache.frame_end = frames + 1


def soft_solid(obj: bpy.types.Object, stiffness: float, frames: int) -> None:
    """Soft Body of a grid with edges and diagonals; its vertices are the lightest that fall at full speed."""
    modifier = obj.modifiers.new("Softbody", "SOFT_BODY")
    settings = modifier.settings
    settings.use_goal = False
    settings.pull = settings.push = stiffness
    settings.bend = settings.friction = 0.0
    settings.mass = MIN_MASS
    settings.speed = SOFT_BODY_SPEED
    modifier.point_cache.frame_end = frames + 1


def tearing_dynamics(obj: bpy.types.Object, tears_at: float, gravity: float) -> None:
    """The node modifier with its default numbers of steps: stretchy cloth that tears beyond l/l0 = `tears_at`.

    Vertices with the attribute `pin` = 1 are pinned; gravity [m/s²] is along z.
    """
    dynamics(obj, 5, 15)
    inputs = obj.modifiers["Dynamics"].properties.inputs
    held = getattr(inputs, DYNAMICS_PIN)
    held.type, held.attribute_name = "ATTRIBUTE", "pin"
    values = {
        DYNAMICS_STRETCHES: 0.5, DYNAMICS_GRAVITY: (0.0, 0.0, gravity), DYNAMICS_TEARS: True,
        DYNAMICS_TEARS_AT: tears_at,
    }
    for name, value in values.items():
        getattr(inputs, name).value = value


def dynamics(obj: bpy.types.Object, substeps: int, steps: int) -> None:
    """The node modifier, with `steps` constraint steps per substep."""
    group = bpy.data.node_groups.get(DYNAMICS)
    if group is None:
        with bpy.data.libraries.load(str(dynamics_file()), link=False) as (_there, wanted):
            wanted.node_groups = [DYNAMICS]
        group = bpy.data.node_groups[DYNAMICS]
    modifier = obj.modifiers.new("Dynamics", "NODES")
    modifier.node_group = group
    getattr(modifier.properties.inputs, DYNAMICS_SUBSTEPS).value = substeps
    getattr(modifier.properties.inputs, DYNAMICS_STEPS).value = steps


def dynamics_file() -> Path | None:
    """Blender 5.2's asset library with the node modifier; None in an older Blender."""
    file = Path(bpy.utils.system_resource("DATAFILES")) / "assets" / "nodes" / "geometry_nodes_dynamics_assets.blend"
    return file if file.exists() else None
