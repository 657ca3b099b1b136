"""The spray, foam and bubbles of one fluid: emission, age and removal."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....spec import FluidSpec
from ....world.frame import Frame
from .drift import BUBBLE, FOAM, SPRAY, Bits

# Ramps from none to full: of trapped air, in multiples of the foam speed; of crests, in sums. The weight of crests.
TRAPPED, CREST, CRESTS = (5.0, 20.0), (2.0, 8.0), 4.0
# Speed of full emission, over the speed at which foam begins.
FULL_SPEED = 3.0
# Most bits that a fluid particle emits in a frame.
MOST_EACH = 20.0
# Bits begin within this distance of the particle's path [spacing], and spread with this fraction of its speed.
AROUND, SPREAD = 0.5, 0.1
# Variation of lifetimes, and the final fraction of the lifetime in which bits shrink.
VARIETY, SHRINKS = 0.4, 0.25
# Largest radius, over the radius of a fluid particle; the smallest is half of it.
SIZE = 0.3
# Clearance from walls [spacing].
CLEARANCE = 0.1
_WIDTH = {"x": 3, "v": 3, "way": 3, "age": 0, "life": 0, "size": 0, "kind": 0, "id": 0}


class Foam:
    """Points that a fluid emits and carries.

    There are `len` of them. Arrays stay compact when bits are removed; ids are not used again.
    """

    def __init__(self, spec: FluidSpec, spacing: float, first: int) -> None:
        """Args: spacing: of the fluid [m]; first: id of the first bit, behind those of the fluid's particles."""
        self.spec, self.spacing, self._next = spec, spacing, first
        self._columns = {
            name: np.zeros((0, wide) if wide else 0, dtype=_number(name)) for name, wide in _WIDTH.items()
        }

    def __len__(self) -> int:
        return len(self._columns["id"])

    @property
    def x(self) -> np.ndarray:
        """Where they are (n, 3) [m]."""
        return self._columns["x"]

    @property
    def v(self) -> np.ndarray:
        """Their velocities (n, 3) [m/s]."""
        return self._columns["v"]

    def emit(
        self, x: np.ndarray, v: np.ndarray, trapped: np.ndarray, crest: np.ndarray, dt: float, number: int
    ) -> int:
        """Emit new bits along the paths of fluid particles in the last frame; returns how many.

        Args:
            x, v: (n, 3) of the particles [m], [m/s]; trapped, crest: (n,), see `potentials`; dt: of a frame [s].
            number: of the frame, the random seed.
        """
        spec, chance = self.spec, np.random.default_rng((number, self._next))
        speed, square = float(spec.foam_speed), np.einsum("ij,ij->i", v, v)
        energy = _ramp(square, speed**2, (FULL_SPEED * speed) ** 2)
        air = _ramp(trapped, *(speed * one for one in TRAPPED)) + CRESTS * _ramp(crest, *CREST)
        wanted = np.minimum(float(spec.foam_rate) * dt * energy * air, MOST_EACH)
        count = np.floor(wanted + chance.random(len(x))).astype(np.int64)
        makers = np.repeat(np.arange(len(x)), count)
        capacity = max(int(spec.foam_limit) - len(self), 0)
        if len(makers) > capacity:
            # Keep a random selection, not those of the first particles.
            makers = makers[np.sort(chance.permutation(len(makers))[:capacity])]
        self._add(x[makers], v[makers], dt, chance)
        return len(makers)

    def _add(self, x: np.ndarray, v: np.ndarray, dt: float, chance: np.random.Generator) -> None:
        """Add a bit on the path of each particle, x and v (m, 3)."""
        count = len(x)
        aside = _across(v) * (np.sqrt(chance.random(count)) * self.spacing * AROUND)[:, None]
        angle = 2.0 * np.pi * chance.random(count)[:, None]
        aside = np.cos(angle) * aside + np.sin(angle) * np.cross(_unit(v), aside)
        apart = SPREAD * np.linalg.norm(v, axis=1)[:, None] * aside / (AROUND * self.spacing)
        life = float(self.spec.foam_lifetime) * (1.0 + VARIETY * (2.0 * chance.random(count) - 1.0))
        new = {
            "x": x, "way": aside - dt * chance.random(count)[:, None] * v, "v": v + apart, "age": np.zeros(count),
            "life": life, "size": 0.5 + 0.5 * chance.random(count), "kind": np.full(count, SPRAY),
            "id": self._next + np.arange(count),
        }
        self._next += count
        self._columns = {
            name: np.concatenate([values, new[name].astype(values.dtype)]) for name, values in self._columns.items()
        }

    def bits(self, origin: np.ndarray, fresh: int, dt: float) -> Bits:
        """Columns for `drift`, near an origin (3,); the last `fresh` bits were just emitted."""
        own, seconds = self._columns, np.full(len(self), dt)
        seconds[len(seconds) - fresh :] = 0.0
        return Bits(own["x"] - origin, own["v"], own["way"], seconds, own["kind"])

    def settle(self, bits: Bits, origin: np.ndarray, lost: np.ndarray) -> None:
        """Store moved bits, advance their age, and remove those that are too old, or are `lost` (n,) bool."""
        own = self._columns
        own["x"] = bits.x + origin
        own["way"] = np.zeros_like(bits.displacement)
        # Bubbles do not age: they burst only after reaching the surface.
        own["age"] = own["age"] + np.where(own["kind"] == BUBBLE, 0.0, bits.seconds)
        self.remove(lost | (own["age"] >= own["life"]))

    def remove(self, lost: np.ndarray) -> None:
        """Remove bits, `lost` (n,) bool."""
        if lost.any():
            self._columns = {name: values[~lost] for name, values in self._columns.items()}

    def add_to(self, frame: Frame, name: str) -> None:
        """Add them to a frame behind the particles of their fluid; the attribute `kind` distinguishes them."""
        own, attributes = self._columns, frame.attributes[name]
        fluid, v = len(frame.positions[name]), own["v"].astype(np.float32)
        left = np.clip((own["life"] - own["age"]) / (SHRINKS * own["life"]), 0.0, 1.0)
        more = {
            "id": own["id"], "radius": SIZE * 0.5 * self.spacing * own["size"] * left,
            "speed": np.linalg.norm(v, axis=1), "velocity": v, "age": own["age"],
            "compression": np.zeros(len(self)),
        }
        frame.positions[name] = np.concatenate([frame.positions[name], own["x"].astype(np.float32)])
        frame.velocities[name] = np.concatenate([frame.velocities[name], v])
        for attribute, values in more.items():
            attributes[attribute] = np.concatenate([attributes[attribute], values.astype(attributes[attribute].dtype)])
        attributes["kind"] = np.concatenate([np.zeros(fluid, np.int32), own["kind"]])
        frame.diagnostics[name]["foam"] = tuple(
            float(np.count_nonzero(own["kind"] == kind)) for kind in (SPRAY, FOAM, BUBBLE)
        )

    def memory(self) -> dict[str, Any]:
        """Copy of the state that changes."""
        return {"next": self._next, "columns": {name: values.copy() for name, values in self._columns.items()}}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore what `memory` returned."""
        self._next = memory["next"]
        self._columns = {name: values.copy() for name, values in memory["columns"].items()}


def _number(name: str) -> type:
    return {"kind": np.int32, "id": np.int64}.get(name, np.float64)


def _ramp(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """0 up to `low`, 1 from `high` on, linear in between (n,)."""
    return np.clip((values - low) / (high - low), 0.0, 1.0)


def _unit(v: np.ndarray) -> np.ndarray:
    """Directions of vectors (m, 3), none of length zero."""
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def _across(v: np.ndarray) -> np.ndarray:
    """A unit vector perpendicular to each vector (m, 3)."""
    axis = np.eye(3)[np.argmin(np.abs(v), axis=1)]
    return _unit(np.cross(v, axis)) if len(v) else v
