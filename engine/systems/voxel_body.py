"""All rigid bodies of a world: meshes whose mass properties come from voxels."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..compiler.typed_call import TypedCall
from ..errors import SpecError
from ..mesh.graph.parts import Parts, closed_parts, find_parts
from ..mesh.voxel.grid import is_closed, voxelize
from ..mesh.voxel.mass import MassProperties, mesh_mass, voxel_mass
from ..solver.rigid.bodies import RigidBodies
from ..solver.rigid.contact.roundness import BULGE, COLUMNS, find_roundness, turned_rows
from ..solver.rigid.hulls.hull import Hull, find_hull
from ..solver.rigid.motion import give_velocities, place_particles, predict_bodies, show_meshes
from ..solver.rotation import quaternion_of, rotation_matrices, rotation_matrix
from ..spec import SpringDashpot, VoxelBodySpec, WorldSpec
from ..spec.check import check_params, indices, points, vector
from ..spec.kinds.voxel_body import MOST_DIFFERENCE, VOXEL_SHARE
from ..step.stage import Stage
from ..world.builder import Builder, Surface
from ..world.controls import Controls
from ..world.frame import Frame
from ..world.world import World
from .base import System
from .led_bodies import LedBodies, rigid_pose

# Thickness as a fraction of the longest side where the spec has 0.
THICKNESS_FRACTION = 1.0 / 500.0


class VoxelBodies(System):
    """Behaviour of every `VoxelBodySpec`; writes only their ranges of particles.

    Attributes:
        measured: by name, the relative difference between voxels and exact integrals of the mesh (None for meshes with
            holes, and where only part of the inside is filled), and the number of voxels.
    """

    takes = ("poses",)

    def __init__(self, specs: Sequence[VoxelBodySpec], builder: Builder, spec: WorldSpec) -> None:
        """Voxelize, compute mass properties, reserve particles; raises SpecError."""
        super().__init__(specs, builder, spec)
        self.measured: dict[str, tuple[float | None, int]] = {}
        self._mass_cache: dict[bytes, tuple[MassProperties, float | None, int]] = builder.kept.setdefault("weighed", {})
        self._form_cache: dict[bytes, tuple[Hull | None, np.ndarray | None]] = builder.kept.setdefault("forms", {})
        self._all_vertices = _need_all_vertices(spec)
        # First rows of shapes in the tables that bodies share, by a hash of the shape's bytes; and the rows.
        self._shapes, self._mesh = dict[bytes, tuple[int, int]](), list[np.ndarray]()
        self._round = [np.zeros((0, COLUMNS))]
        # Principal axes and centre of each body in the coordinates of its mesh.
        self._axes, self._centres = list[np.ndarray](), list[np.ndarray]()
        placed = [self._place(spec, builder) for spec in self.specs]
        (
            starts, stops, local, mass, inertia, position, rotation, velocity, angular_momentum, hulls, first, rounded,
            count,
        ) = zip(*placed, strict=True)
        self._axes_transposed = np.stack(self._axes).transpose(0, 2, 1)
        self._centre_columns = np.stack(self._centres)[:, :, None]
        system = np.array([builder.body_index(spec.name) for spec in self.specs])
        self.rigid = builder.rigid = RigidBodies(
            starts[0], np.array(starts, dtype=np.int64), np.array(stops, dtype=np.int64), np.concatenate(local), system,
            np.array(mass), np.stack(inertia), np.stack(position), np.stack(rotation), np.stack(velocity),
            np.stack(angular_momentum), list(hulls), np.concatenate(self._mesh), np.array(first),
            np.array(first) + np.array(count), np.concatenate(self._round), np.array(rounded),
        )
        self._vertex_start = np.concatenate([[0], np.cumsum(count)])
        self._names = [spec.name for spec in self.specs]
        self._own_rows = list(map(slice, self._vertex_start[:-1].tolist(), self._vertex_start[1:].tolist()))
        self._diagnostics = [
            {"voxels": (float(voxels),)} | ({} if error is None else {"voxel_error": (error,)})
            for error, voxels in map(self.measured.__getitem__, self._names)
        ]
        self._led, self._done = LedBodies(self.rigid), 1.0
        self._predict_bodies = TypedCall(predict_bodies)
        for number, spec in enumerate(self.specs):
            self._led.lead(number, spec.animated)

    def _place(self, spec: VoxelBodySpec, builder: Builder) -> tuple[Any, ...]:
        check_params(spec.name, spec)
        vertices = points(spec.name, "vertices", spec.vertices)
        triangles = indices(spec.name, "triangles", spec.triangles, 3, len(vertices))
        if len(triangles) == 0:
            raise SpecError(spec.name, "triangles", "no triangle", "a mesh with faces to make a body of")
        pose = rigid_pose(spec)
        longest = float(np.ptp(vertices[np.unique(triangles)], axis=0).max())
        if spec.voxel_size > longest:
            raise SpecError(
                spec.name, "voxel_size", f"{spec.voxel_size:g} m",
                f"no more than the body's longest side, {longest:g} m",
            )
        properties, difference, count = self._weigh(spec, vertices, triangles, spec.voxel_size or VOXEL_SHARE * longest)
        self.measured[spec.name] = (difference, count)
        mass = float(spec.mass or properties.mass)
        inertia, axes = np.linalg.eigh(properties.inertia * (mass / properties.mass))
        if np.linalg.det(axes) < 0.0:
            axes[:, 2] *= -1.0
        self._axes.append(axes)
        self._centres.append(properties.centre)
        world_axes = pose[:3, :3] @ axes
        parts = find_parts(vertices, triangles)
        hull, arcs = self._hull_or_arcs(vertices, parts)
        touched, local = vertices, (vertices - properties.centre) @ axes
        first, rounded = self._rows_of(local, None if arcs is None else turned_rows(arcs, axes))
        if hull is not None and not self._all_vertices.intersection(("*", spec.name)):
            touched, local = vertices[hull.corner], local[hull.corner]
            hull = replace(hull, corner=np.arange(len(hull.corner)))
            parts = find_parts(touched, hull.triangles())
        world = touched @ pose[:3, :3].T + pose[:3, 3]
        each, held = np.full(len(world), mass / len(world)), np.zeros(len(world))
        # The radius includes the bulge, so that the search finds elements near an arc before they reach the face below.
        radius = 0.5 * (spec.thickness or THICKNESS_FRACTION * longest) + (0.0 if arcs is None else arcs[:, BULGE])
        start = builder.add(
            spec, world, np.zeros(3), each, held, radius, 0.0,
            Surface(
                parts.triangles, parts.hollow[parts.part], parts.part, closed_parts(parts),
                np.zeros((0, 2), dtype=np.int32),
            ),
        )
        angular_momentum = world_axes @ (
            inertia * (world_axes.T @ vector(spec.name, "angular_velocity", spec.angular_velocity))
        )
        return (
            start, start + len(world), local, mass, inertia,
            pose[:3, :3] @ properties.centre + pose[:3, 3], quaternion_of(world_axes),
            vector(spec.name, "velocity", spec.velocity), angular_momentum, hull, first, rounded, len(vertices),
        )

    def _rows_of(self, local: np.ndarray, arcs: np.ndarray | None) -> tuple[int, int]:
        """First row of a shape's vertices (n, 3) in the shared table, and of its arcs in theirs, or -1."""
        key = hashlib.sha256(local.tobytes()).digest()
        if key not in self._shapes:
            self._shapes[key] = sum(map(len, self._mesh)), -1 if arcs is None else sum(map(len, self._round))
            self._mesh.append(local)
            if arcs is not None:
                self._round.append(arcs)
        return self._shapes[key]

    def _weigh(
        self, spec: VoxelBodySpec, vertices: np.ndarray, triangles: np.ndarray, size: float
    ) -> tuple[MassProperties, float | None, int]:
        """Mass properties, their relative error against the mesh, and the voxel count; computed once for each mesh."""
        settings = f"{size!r} {spec.fill} {spec.inside} {float(spec.density)!r}".encode()
        key = hashlib.sha256(settings + vertices.tobytes() + triangles.tobytes()).digest()
        if key not in self._mass_cache:
            voxels = voxelize(spec.name, vertices, triangles, size, spec.fill, spec.inside)
            properties = voxel_mass(voxels, float(spec.density))
            exact = None
            if spec.fill == "SOLID" and is_closed(triangles):
                exact = properties.difference(mesh_mass(vertices, triangles, float(spec.density)))
            self._mass_cache[key] = properties, exact, voxels.count
        return self._mass_cache[key]

    def _hull_or_arcs(self, vertices: np.ndarray, parts: Parts) -> tuple[Hull | None, np.ndarray | None]:
        """The hull of a convex mesh with few faces, or the arcs of a round one; computed once for each mesh."""
        key = hashlib.sha256(vertices.tobytes() + parts.triangles.tobytes()).digest()
        if key not in self._form_cache:
            is_closed = bool(parts.hollow.all()) and len(parts.rim_edges) == 0
            hull = find_hull(vertices, parts.triangles) if is_closed and len(parts.hollow) == 1 else None
            arcs = find_roundness(vertices, parts.triangles) if is_closed and hull is None else None
            self._form_cache[key] = hull, arcs
        return self._form_cache[key]

    def warnings(self) -> list[str]:
        """A sentence for each body whose voxels differ too much from its mesh."""
        return [
            f"{name}: its {count} voxels differ from its mesh by {100.0 * difference:.0f} % in mass, centre or inertia;"
            " a smaller voxel size helps."
            for name, (difference, count) in self.measured.items()
            if difference is not None and difference > MOST_DIFFERENCE
        ]

    def moves_until(self) -> int:
        """All rigid bodies may move."""
        return self.rigid.own.stop

    def acts(self) -> bool:
        """Whether this system has work beyond the integrator; always."""
        return True

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Take the target poses of led bodies at the end of the frame."""
        targets = {}
        for number, spec in enumerate(self.specs if controls.poses else ()):
            if spec.name in controls.poses:
                rotation, place = np.split(rigid_pose(replace(spec, pose=controls.poses[spec.name]))[:3], [3], axis=1)
                targets[number] = rotation @ self._centres[number] + place[:, 0], rotation @ self._axes[number]
        self._led.begin_frame(targets)

    def set_value(self, world: World, name: str, field: str, value: float) -> None:
        """Lead a body, or release it."""
        self._led.lead(next(k for k, spec in enumerate(self.specs) if spec.name == name), bool(value))

    def advance(self, world: World, gravity: np.ndarray, first: int, count: int) -> None:
        """SYMPLECTIC: advance by some substeps."""
        own = self.rigid.own
        for _ in range(count):
            world.state.x_prev[own] = world.state.x[own]
            self._predict(world, world.h)

    def apply(self, stage: Stage, world: World, h: float, done: float) -> None:
        """Act in a stage; XPBD predicts in NARROW, once all forces are known."""
        if stage is Stage.MOVE:
            self.rigid.pushes[:] = 0.0
            self._done = done
        elif stage is Stage.NARROW and world.spec.integrator == "XPBD":
            self._predict(world, h)
        elif stage is Stage.VELOCITY:
            self._give_velocities(world)

    def _predict(self, world: World, h: float) -> None:
        rigid, state = self.rigid, world.state
        self._led.act(world.model.gravity, h, self._done)
        self._predict_bodies(
            h, tuple(world.model.gravity.tolist()), rigid.columns, *rigid.particles, state.x, state.v
        )

    def _give_velocities(self, world: World) -> None:
        rigid, state = self.rigid, world.state
        give_velocities(
            rigid.start, rigid.stop, rigid.inertia, rigid.position, rigid.rotation, rigid.velocity,
            rigid.angular_momentum, state.x, state.v,
        )

    def report(self, world: World, frame: Frame) -> None:
        """Report poses, positions, velocities and the voxels' errors."""
        rigid = self.rigid
        positions, velocities = (np.zeros((self._vertex_start[-1], 3), dtype=np.float32) for _ in range(2))
        show_meshes(
            rigid.mesh, rigid.mesh_start, rigid.mesh_stop, self._vertex_start, rigid.inertia, rigid.position,
            rigid.rotation, rigid.velocity, rigid.angular_momentum, positions, velocities,
        )
        poses = np.zeros((len(self.specs), 4, 4))
        poses[:, :3, :3] = rotation_matrices(rigid.rotation) @ self._axes_transposed
        poses[:, :3, 3] = rigid.position - (poses[:, :3, :3] @ self._centre_columns)[:, :, 0]
        poses[:, 3, 3] = 1.0
        frame.positions.update(zip(self._names, map(positions.__getitem__, self._own_rows), strict=True))
        frame.velocities.update(zip(self._names, map(velocities.__getitem__, self._own_rows), strict=True))
        frame.transforms.update(zip(self._names, poses, strict=True))
        frame.diagnostics.update(zip(self._names, map(dict.copy, self._diagnostics), strict=True))

    def continue_from(self, world: World, other: VoxelBodies, old: World) -> None:
        """Bodies of the same name and vertex count take over poses, velocities and angular momenta."""
        before = {spec.name: number for number, spec in enumerate(other.specs)}
        for number, spec in enumerate(self.specs):
            if spec.name in before:
                self._take_pose(number, other, before[spec.name])
        rigid, state = self.rigid, world.state
        place_particles(*rigid.particles, rigid.position, rigid.rotation, state.x)
        state.x_prev[rigid.own] = state.x[rigid.own]
        self._give_velocities(world)

    def _take_pose(self, number: int, other: VoxelBodies, was: int) -> None:
        """Copy pose, velocity and angular momentum of body `was` of `other` to body `number`, if vertex counts match.

        The vertices stay in place. Centre and axes may differ between the bodies, so pose and momenta are converted.
        """
        new, old = self.rigid, other.rigid
        if new.mesh_stop[number] - new.mesh_start[number] != old.mesh_stop[was] - old.mesh_start[was]:
            return
        for name in ("position", "rotation", "velocity", "angular_momentum", "still"):
            getattr(new, name)[number] = getattr(old, name)[was]
        axes, centre, inertia = self._axes[number], self._centres[number], new.inertia[number]
        own, others = (axes, centre, inertia), (other._axes[was], other._centres[was], old.inertia[was])
        if all(np.array_equal(one, two) for one, two in zip(own, others, strict=True)):
            return
        before = rotation_matrix(old.rotation[was])
        angular_velocity = before @ ((before.T @ old.angular_momentum[was]) / old.inertia[was])
        rotation = before @ other._axes[was].T
        offset = rotation @ (centre - other._centres[was])
        new.rotation[number] = quaternion_of(rotation @ axes)
        new.position[number] += offset
        new.velocity[number] += np.cross(angular_velocity, offset)
        new.angular_momentum[number] = rotation @ axes @ (inertia * ((rotation @ axes).T @ angular_velocity))

    def memory(self) -> dict[str, Any]:
        """Poses, momenta, and how long bodies have been still."""
        return self.rigid.memory()

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore the poses and momenta of a snapshot."""
        self.rigid.recall(memory)


def _need_all_vertices(spec: WorldSpec) -> set[str]:
    """Names of bodies that need all vertices as particles, "*" for all: for water, penalty contacts or ties."""
    found = {name for tie in spec.attachments for name in (tie.a, tie.b)}
    is_wet = any(system.traits.lifts for system in spec.systems)
    if is_wet or any(isinstance(rule, SpringDashpot) for rule in spec.interactions):
        found.add("*")
    return found
