"""Receivers of fields: the particles of all moving bodies."""

from __future__ import annotations

import zlib

import numpy as np

from ...spec import WorldSpec
from ...spec.effector_weights import WEIGHT_OF, EffectorWeights
from ...spec.kinds.force_field import ForceFieldSpec
from ...world.builder import Builder
from ...world.world import World
from .columns import Bodies, Moving
from .laws.scratch import BLOCK

_EVERYTHING = EffectorWeights()


class Receivers:
    """Particles and bodies that fields act on.

    Attributes:
        ids, number: (m,) see `columns.Moving`; on_face: (m,) bool; first, stop, body, near: (blocks,) likewise.
        row: (n,) index of every particle in these lists, -1 for particles that do not receive fields.
        rigid_first, rigid_stop: (rigid bodies,) their ranges of the lists.
    """

    def __init__(self, builder: Builder, feel_air: bool) -> None:
        """Gather the receivers; args: feel_air: whether the air acts on faces."""
        moving = [body for body in builder.bodies if body.traits.moves]
        none = np.zeros(0, dtype=np.int64)
        self.ids = np.concatenate([none, *(np.arange(body.start, body.stop) for body in moving)])
        self.number = np.concatenate([none, *(np.arange(body.stop - body.start) for body in moving)])
        numbers = [builder.body_index(body.name) for body in moving]
        counts = np.array([body.stop - body.start for body in moving], dtype=np.int64)
        self.first, self.stop, self.body = _blocks(counts, np.array(numbers, dtype=np.int64))
        self.near = np.zeros(len(self.first), dtype=bool)
        count = len(builder.masses())
        self.row = np.full(count, -1, dtype=np.int64)
        self.row[self.ids] = np.arange(len(self.ids))
        felt = np.zeros(count, dtype=bool)
        if feel_air:
            for body in moving:
                surface = builder.surfaces[builder.body_index(body.name)]
                if surface is not None:
                    felt[surface.triangles.reshape(-1) + body.start] = True
        self.on_face = felt[self.ids]
        self.size = builder.radii()
        rigid = builder.rigid
        first = none if rigid is None else self.row[rigid.start]
        self.rigid_first, self.rigid_stop = first, first + (none if rigid is None else rigid.stop - rigid.start)

    def moving(self, world: World) -> Moving:
        """The lists as an argument of kernels."""
        state, inv_mass = world.state, world.model.inv_mass
        return Moving(
            state.x, state.v, self.size, inv_mass, self.ids, self.number, self.on_face, self.first, self.stop,
            self.body, self.near,
        )


def _blocks(counts: np.ndarray, bodies: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ranges of blocks of at most BLOCK receivers, and the body of each; args: counts: of each body's receivers."""
    first, stop, body = [], [], []
    ends = np.cumsum(counts)
    for number, end, count in zip(bodies, ends, counts, strict=True):
        starts = np.arange(end - count, end, BLOCK)
        first.append(starts)
        stop.append(np.minimum(starts + BLOCK, end))
        body.append(np.full(len(starts), number))
    none = [np.zeros(0, dtype=np.int64)]
    return np.concatenate(none + first), np.concatenate(none + stop), np.concatenate(none + body)


def responses_of(spec: WorldSpec, builder: Builder) -> Bodies:
    """How bodies respond to fields, before effector weights are set."""
    count = len(builder.bodies)
    names = [body.name for body in builder.bodies]
    masses, response = builder.masses(), np.ones(count)
    for number, body in enumerate(builder.bodies):
        if weights_of(spec, body.name).share_by == "BODY":
            response[number] = 1.0 / max(float(masses[body.start : body.stop].sum()), 1e-300)
    salt = np.array([zlib.crc32(name.encode()) for name in names], dtype=np.int64)
    is_rigid = np.array([body.traits.is_rigid for body in builder.bodies], dtype=bool)
    return Bodies(np.zeros((count, 0)), response, np.zeros((count, 3)), salt, is_rigid)


def weights_of(spec: WorldSpec, name: str) -> EffectorWeights:
    """The effector weights of a body."""
    return spec.effector_weights.get(name, _EVERYTHING)


def with_weights(
    bodies: Bodies, names: list[str], weights: dict[str, EffectorWeights], fields: list[ForceFieldSpec]
) -> Bodies:
    """The bodies with the weight of each field for each body."""
    table = np.zeros((len(names), len(fields)))
    for number, name in enumerate(names):
        own = weights.get(name, _EVERYTHING)
        for column, field in enumerate(fields):
            is_member = own.fields is None or field.name in own.fields
            if is_member and not (field.owner and field.owner == name):
                table[number, column] = own.all * getattr(own, WEIGHT_OF[field.type])
    return bodies._replace(weights=table)
