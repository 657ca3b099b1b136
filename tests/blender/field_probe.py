"""Compares the effect of fields on Blender's particles and on Flotsam's, at the same positions and velocities."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from flotsam.addon.capture import capture_world
from flotsam.engine import Controls, build_world, step_frame
from flotsam.engine.spec import Ignore

COUNT, SIZE, RATE = 1000, 0.4, 25
# Allowed difference of two velocities in single precision [m/s].
ROUNDING = 1e-6
# Time step of Blender's particles [s].
STEP = 0.04


class Probe:
    """A thousand random points, as a particle emitter and as a Flotsam body."""

    def __init__(self, scene: bpy.types.Scene, field: bpy.types.Object) -> None:
        """Args: field: the object with the field."""
        self.scene, self.field = scene, field
        scene.render.fps, scene.use_gravity = RATE, False
        positions = np.random.default_rng(27).uniform(-3.0, 3.0, (COUNT, 3))
        mesh = bpy.data.meshes.new("Points")
        mesh.from_pydata(positions.tolist(), [], [])
        self.emitter = bpy.data.objects.new("Emitter", mesh)
        scene.collection.objects.link(self.emitter)
        system = self.emitter.modifiers.new("Particles", "PARTICLE_SYSTEM").particle_system
        self.settings = system.settings
        self.settings.count, self.settings.frame_start, self.settings.frame_end = COUNT, 1, 1
        self.settings.emit_from, self.settings.use_emit_random = "VERT", False
        self.settings.physics_type, self.settings.integrator = "NEWTON", "EULER"
        self.settings.normal_factor, self.settings.object_align_factor = 1.0, (0.3, 0.2, -0.1)
        self.settings.particle_size, self.settings.mass = SIZE, 1.0
        self.settings.drag_factor = self.settings.brownian_factor = self.settings.damping = 0.0
        # The charge that a Charge field acts on.
        self.settings.force_field_1.type, self.settings.force_field_1.strength = "CHARGE", 1.0
        self.body = self._body(positions)

    def _body(self, positions: np.ndarray) -> bpy.types.Object:
        mesh = bpy.data.meshes.new("Body")
        mesh.from_pydata(positions.tolist(), [(2 * k, 2 * k + 1) for k in range(COUNT // 2)], [])
        body = bpy.data.objects.new("Body", mesh)
        self.scene.collection.objects.link(body)
        body.flotsam.kind = "SPRING_GRAPH"
        graph = body.flotsam.spring_graph
        graph.graph, graph.stiffness, graph.thickness, graph.mass = "EDGES", 1e-6, 2.0 * SIZE, float(COUNT)
        graph.air_drag = 0.0
        return body

    def _read(self) -> tuple[np.ndarray, np.ndarray]:
        emitter = self.emitter.evaluated_get(bpy.context.evaluated_depsgraph_get())
        particles = emitter.particle_systems[0].particles
        found = np.zeros(3 * len(particles), dtype=np.float32), np.zeros(3 * len(particles), dtype=np.float32)
        particles.foreach_get("location", found[0])
        particles.foreach_get("velocity", found[1])
        return found[0].reshape(-1, 3).astype(float), found[1].reshape(-1, 3).astype(float)

    def blenders(self) -> tuple[np.ndarray, np.ndarray]:
        """Velocities (n, 3) of Blender's particles before a step, and their change by the step [m/s]."""
        # Blender simulates particles again only when their settings change.
        self.settings.count = COUNT - 1
        self.settings.count = COUNT
        self.scene.frame_set(1)
        positions, before = self._read()
        self.scene.frame_set(2)
        added = self._read()[1] - before
        self.scene.frame_set(1)
        assert len(positions) == COUNT
        return before, added

    def ours(self, velocity: np.ndarray, **world: Any) -> np.ndarray:
        """Velocity change (n, 3) of Flotsam's particles in a step [m/s]; velocity: (n, 3) before; world: settings."""
        captured = capture_world(self.scene, bpy.context.evaluated_depsgraph_get())
        systems = [
            replace(system, velocity=velocity) if system.name == self.body.name else system
            for system in captured.spec.systems
        ]
        spec = replace(
            captured.spec, systems=tuple(systems), interactions=(Ignore("*", "*"),), substeps=1, precision="DOUBLE",
            **world,
        )
        built = build_world(spec)
        step_frame(built, Controls())
        return built.velocities(self.body.name) - velocity


def relative_difference(ours: np.ndarray, blenders: np.ndarray) -> tuple[float, int]:
    """Relative root mean square difference, and the number of points that differ by more than 1 %.

    The tolerance is relative to at least a twentieth of the mean change, and allows for Blender's single precision.
    """
    difference, length = np.linalg.norm(ours - blenders, axis=1), np.linalg.norm(blenders, axis=1)
    mean = float(np.sqrt((length**2).mean()))
    assert mean > 0.0
    allowed = 0.01 * np.maximum(length, 0.05 * mean) + ROUNDING
    return float(np.sqrt((difference**2).mean())) / mean, int((difference > allowed).sum())
