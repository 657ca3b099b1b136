"""Acceleration by force fields at given points, for drawing them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..compiler.kernels import threads
from ..compiler.threads.thread_tuner import ThreadTuner
from ..fields.force_field.system import ForceFields
from ..spec import ForceFieldSpec, WorldSpec
from ..spec.traits import Traits
from ..world.builder import Builder
from ..world.controls import Controls
from ..world.world import World

# Short enough that damping does not change the acceleration of a body at rest [frames a second].
_FRAME_RATE = 1000.0


@dataclass(frozen=True)
class ProbeSpec:
    """Spec of the sample points; no system has this name."""

    kind: ClassVar[str] = "PROBE"
    traits: ClassVar[Traits] = Traits(moves=True)

    name: str = ""


def field_at(fields: Sequence[ForceFieldSpec], places: np.ndarray) -> np.ndarray:
    """Acceleration of 1 kg at rest by force fields at places (n, 3) [m]: (n, 3) float64 [m/s²].

    Raises:
        SpecError: a field has a value that is not allowed.
    """
    spec = WorldSpec(systems=tuple(fields), gravity=(0.0, 0.0, 0.0), frame_rate=_FRAME_RATE, substeps=1)
    builder, ones = Builder(), np.ones(len(places))
    builder.add(ProbeSpec(), places, np.zeros(3), ones, ones, 0.0, 0.0, None)
    forces = ForceFields(fields, builder, spec)
    world = World(
        spec, builder.model(np.zeros(3)), builder.state(), ones, ThreadTuner(1, False), [], [forces]
    )
    with threads(1):
        forces.begin_frame(world, Controls())
        forces.push(world, world.h, 1.0)
    return world.state.v / world.h
