"""Builds the constraint links of rigid bodies from the joints and attachments of a spec."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import SpecError
from ..solver.rigid.links.frames import body_frames, face_frames
from ..solver.rigid.links.link_rows import BALL, DISTANCE, FIXED, HINGE
from ..solver.rigid.links.soft_ties import SoftTies
from ..solver.rigid.links.table import LinkTable, build_table
from ..spec import Attachment, Joint, WorldSpec
from ..spec.check import vector
from ..systems.spring_graph.attachments import SHORTEST, ends_of
from ..world.builder import Builder
from .leashing import is_leash

LINK_KINDS = {"BALL": BALL, "HINGE": HINGE, "FIXED": FIXED}
# Two rigid bodies tied by more vertices than this should use a joint: the matrix of a pair's links is dense.
MAX_LINKS = 64


class _FrameTable:
    """Reference frames that links attach to, by system name; frames on fixed triangles are created on demand."""

    def __init__(self, spec: WorldSpec, builder: Builder) -> None:
        self.specs = {system.name: system for system in spec.systems}
        self.builder, self.rigid = builder, builder.rigid
        self.bodies = len(self.rigid.mass)
        of_system = self.rigid.of_systems(len(builder.bodies))
        self.number = {
            body.name: int(of_system[k]) for k, body in enumerate(builder.bodies) if of_system[k] >= 0
        }
        self.x = builder.positions()
        self.faces: dict[tuple[int, ...], int] = {}

    def kind(self, name: str) -> str | None:
        """Kind of the system of that name, None without one."""
        return self.specs[name].kind if name in self.specs else None

    def frame(self, name: str, point: np.ndarray, vertex: int | None = None) -> int:
        """Index of the frame at a point (3,) of a system, or at one of its vertices; "" is the world."""
        if name in self.number:
            return self.number[name]
        face = (-1, -1, -1) if name == "" else self._face(name, point, vertex)
        return self.bodies + self.faces.setdefault(face, len(self.faces))

    def _face(self, name: str, point: np.ndarray, vertex: int | None) -> tuple[int, ...]:
        index = self.builder.body_index(name)
        start, triangles = self.builder.bodies[index].start, self.builder.surfaces[index].triangles
        corners = self.x[start + triangles]
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        distance = np.linalg.norm(corners.mean(axis=1) - point, axis=1)
        if vertex is not None and (own := (triangles == vertex).any(axis=1)).any():
            distance[~own] = np.inf
        distance[area < 1e-9 * area.max()] = np.inf
        return tuple((start + triangles[int(distance.argmin())]).tolist())

    def local(self, frame: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points (m, 2, 3) in the local coordinates of frames (m, 2), and these frames' axes, (m, 2, 3, 3)."""
        count = self.bodies + len(self.faces)
        at, axes = np.zeros((count, 3)), np.zeros((count, 9))
        face_frames(self.bodies, self.face_array(), self.x, at, axes)
        body_frames(np.arange(self.bodies), self.rigid.position, self.rigid.rotation, at, axes)
        rotations = axes.reshape(-1, 3, 3)[frame]
        return np.einsum("mski,msk->msi", rotations, points - at[frame]), rotations

    def face_array(self) -> np.ndarray:
        """(f, 3) particles of the triangle of each fixed frame; below 0 for the world."""
        return np.array(list(self.faces), dtype=np.int64).reshape(-1, 3)


def join(spec: WorldSpec, builder: Builder) -> LinkTable | None:
    """The links between rigid bodies, and from them to colliders and the world; None without any.

    Raises:
        SpecError: a joint or an attachment that is not possible.
    """
    ties = [tie for tie in spec.attachments if not _is_soft(tie, spec) and not is_leash(tie, spec)]
    if not ties and not spec.joints:
        return None
    specs = {system.name: system for system in spec.systems}
    ends = [ends_of(tie, specs) for tie in ties]
    if builder.rigid is None:
        raise SpecError(spec.joints[0].a, "joints", specs[spec.joints[0].a].kind, "a rigid body")
    frame_table = _FrameTable(spec, builder)
    rows: list[tuple[int, list[int], np.ndarray, float, float, float]] = []
    for tie, vertices in zip(ties, ends, strict=True):
        rows += _tie_rows(tie, vertices, frame_table)
    for joint in spec.joints:
        rows.append(_joint_row(joint, frame_table))
    kind, frame, points, rest, stiffness, damping = (np.array(column) for column in zip(*rows, strict=True))
    local, rotations = frame_table.local(frame, points)
    reference = np.zeros((len(kind), 9))
    for row, joint in enumerate(spec.joints, start=len(rows) - len(spec.joints)):
        reference[row] = _reference_axes(joint, *rotations[row])
    return build_table(
        kind, frame, local, reference, rest, stiffness, damping, frame_table.face_array(), frame_table.bodies
    )


def tie_soft(spec: WorldSpec, builder: Builder) -> SoftTies | None:
    """Ties between soft and rigid bodies, which are also registered as tied pairs in the builder; None without any.

    Raises:
        SpecError: an attachment that is not possible.
    """
    specs = {system.name: system for system in spec.systems}
    traits = {name: system.traits for name, system in specs.items()}
    ties = [
        tie for tie in spec.attachments
        for one, other in [(traits[tie.a], traits[tie.b])]
        if (one.is_springy and other.is_rigid) or (one.is_rigid and other.is_springy)
    ]
    if not ties:
        return None
    rigid, x = builder.rigid, builder.positions()
    number = rigid.of_systems(len(builder.bodies))
    columns = []
    for tie in ties:
        if spec.integrator != "XPBD":
            raise SpecError(tie.a, "attachments", f"tied to {tie.b}", "soft bodies to rigid ones with XPBD only")
        starts = [builder.bodies[builder.body_index(name)].start for name in (tie.a, tie.b)]
        ends = [start + own.astype(np.int64) for start, own in zip(starts, ends_of(tie, specs), strict=True)]
        soft, rigid_ids = ends if traits[tie.a].is_springy else ends[::-1]
        rigid_name = tie.b if traits[tie.a].is_springy else tie.a
        body = np.full(len(rigid_ids), number[builder.body_index(rigid_name)], dtype=np.int64)
        rest = np.linalg.norm(x[soft] - x[rigid_ids], axis=1)
        if tie.rest_length is not None:
            rest[:] = tie.rest_length
        rest[rest < SHORTEST] = 0.0
        springs = (np.full(len(rest), float(value or 0.0)) for value in (tie.stiffness, tie.damping))
        columns.append((soft, body, rigid.local[rigid_ids - rigid.first], rest, *springs))
        builder.tied = np.concatenate([builder.tied, np.stack([soft, rigid_ids], axis=1)])
        builder.tied_apart = np.concatenate([builder.tied_apart, rest])
    return SoftTies(*(np.concatenate(column) for column in zip(*columns, strict=True)))


def _is_soft(tie: Attachment, spec: WorldSpec) -> bool:
    return any(system.traits.is_springy for system in spec.systems if system.name in (tie.a, tie.b))


def _tie_rows(tie: Attachment, ends: list[np.ndarray], frame_table: _FrameTable) -> list[tuple[Any, ...]]:
    if tie.a in frame_table.number and tie.b in frame_table.number:
        if tie.a == tie.b:
            raise SpecError(tie.a, "attachments", f"tied to {tie.b}", "another body, for it never bends")
        if len(ends[0]) > MAX_LINKS:
            allowed = f"up to {MAX_LINKS} between two rigid bodies, or a joint"
            raise SpecError(tie.a, "attachments", f"{len(ends[0])} links", allowed)
    found = []
    for vertices in zip(*ends, strict=True):
        names = (tie.a, tie.b)
        particles = [
            frame_table.builder.bodies[frame_table.builder.body_index(name)].start + int(k)
            for name, k in zip(names, vertices, strict=True)
        ]
        points = frame_table.x[particles]
        rest = float(np.linalg.norm(points[0] - points[1])) if tie.rest_length is None else float(tie.rest_length)
        frame = [
            frame_table.frame(name, point, int(k)) for name, point, k in zip(names, points, vertices, strict=True)
        ]
        kind = DISTANCE if rest >= SHORTEST else BALL
        found.append((kind, frame, points, rest, float(tie.stiffness or 0.0), float(tie.damping)))
    return found


def _joint_row(joint: Joint, frame_table: _FrameTable) -> tuple[Any, ...]:
    if joint.a not in frame_table.number:
        raise SpecError(joint.a, "joints", frame_table.kind(joint.a), "a rigid body")
    if joint.b and joint.b not in frame_table.number and not frame_table.specs[joint.b].traits.is_wall:
        raise SpecError(joint.b, "joints", frame_table.kind(joint.b), 'a rigid body, a collider, or "" for the world')
    if joint.a == joint.b:
        raise SpecError(joint.a, "joints", f"joined to {joint.b}", "another body")
    point = vector(joint.a, "joint's point", joint.point)
    frame = [frame_table.frame(name, point) for name in (joint.a, joint.b)]
    return LINK_KINDS[joint.kind], frame, np.stack([point, point]), 0.0, 0.0, 0.0


def _reference_axes(joint: Joint, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Reference axes of a joint, (9,), as `link_rows` expects them; first, second: (3, 3) axes of the two frames."""
    if joint.kind == "FIXED":
        return (second.T @ first).reshape(-1)
    if joint.kind != "HINGE":
        return np.zeros(9)
    axis = vector(joint.a, "joint's axis", joint.axis)
    length = float(np.linalg.norm(axis))
    if not length > 0.0:
        raise SpecError(joint.a, "joint's axis", axis.tolist(), "a direction that is not nought")
    axis = axis / length
    across = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    across /= np.linalg.norm(across)
    return np.concatenate([first.T @ axis, second.T @ across, second.T @ np.cross(axis, across)])
