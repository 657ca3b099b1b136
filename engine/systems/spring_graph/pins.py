"""Pinned and animated particles of spring graphs: their targets during a frame, and the forces of springs on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...errors import SpecError
from ...spec import SpringGraphSpec
from ...spec.check import points
from ...world.controls import Controls
from ...world.frame import Frame
from ...world.world import State, World
from .held import Held
from .lattice import Cells, carried_along
from .pin_noise import pin_noise
from .tables.springs import Links


class Pins:
    """Pins of all bodies, and all particles of bodies that are animated as a whole."""

    def __init__(
        self, held: Held, specs: Sequence[SpringGraphSpec], lattices: Mapping[str, Cells], frame_rate: float
    ) -> None:
        """Args: held: particles that may be held; specs: of the bodies; lattices: by name; frame_rate: [1/s]."""
        self.held, self._frame = held, 1.0 / frame_rate
        # Noise applies to pins only, not to bodies that are animated as a whole.
        self._shaken = {
            spec.name: spec for spec in specs
            if np.any(spec.pin_noise) and len(held.ids[spec.name]) and not spec.is_led
        }
        # Pins of meshes with hidden vertices; pins among the hidden vertices follow the others.
        self._hidden = {
            spec.name: (own.hidden, np.arange(len(spec.vertices)) if spec.is_led else np.asarray(spec.pins))
            for spec in specs if (own := lattices.get(spec.name)) is not None and own.hidden is not None
        }
        # Rest positions of the vertices and of the lattice nodes of animated bodies.
        self._carried = {
            spec.name: (np.asarray(spec.vertices, dtype=np.float64), lattices[spec.name].lattice.nodes)
            for spec in specs if spec.is_led and spec.name in lattices
        }
        self._from: dict[str, np.ndarray] = {}
        self._to: dict[str, np.ndarray] = {}
        self._began = 0.0

    def begin_frame(self, state: State, controls: Controls) -> None:
        """Read the targets of pins at the end of the frame; raises SpecError for a wrong number of targets."""
        ids = self.held.ids
        releasable = [name for name in ids if self.held.is_releasable(name)]
        for name, own in ids.items():
            # Particles that this frame may release keep their velocity until then.
            if name not in releasable:
                state.v[own] = 0.0
        self._began = state.frame * self._frame
        self._from = {name: state.x[own].copy() for name, own in ids.items() if len(own)}
        for name in self._shaken:
            self._from[name] -= self._noise(name, 0.0)
        self._to = {name: self._from[name] for name in (*self._shaken, *releasable) if name in self._from}
        for name, targets in controls.pins.items():
            targets = self._with_hidden(name, points(name, "pins", targets))
            if name in self._carried and len(targets) == len(self._carried[name][0]):
                vertices, nodes = self._carried[name]
                targets = np.concatenate([targets, carried_along(vertices, targets, nodes)])
            if len(targets) != len(ids[name]):
                raise SpecError(name, "pins", f"{len(targets)} targets", f"{len(ids[name])}, one for each pin")
            self._to[name] = targets

    def _with_hidden(self, name: str, values: np.ndarray) -> np.ndarray:
        """Append the values of pins among the hidden vertices to those of a mesh's own pins, (p, 3)."""
        if name not in self._hidden:
            return values
        hidden, pins = self._hidden[name]
        own = pins < hidden.count
        if len(values) != np.count_nonzero(own):
            return values
        of_all = np.zeros((hidden.count, 3))
        of_all[pins[own]] = values
        return hidden.extended(of_all)[pins]

    @property
    def move(self) -> bool:
        """Whether any pin moves in this frame."""
        return bool(self._to)

    def lead(self, state: State, h: float, done: float) -> None:
        """Set velocities that move pins to their position at the end of a substep of h [s].

        Args: done: fraction of the frame that has passed at the end of the substep.
        """
        for name, target in self._to.items():
            start, ids = self._from[name], self.held.ids[name]
            position = start + (target - start) * done
            if name in self._shaken:
                position = position + self._noise(name, done)
            led = self.held.now[name]
            state.v[ids[led]] = (position[led] - state.x[ids[led]]) / h

    def _noise(self, name: str, done: float) -> np.ndarray:
        """Displacement of each pin by noise when the fraction `done` of the frame has passed, (p, 3) [m]."""
        spec, count = self._shaken[name], len(self.held.ids[name])
        if name in self._hidden:
            hidden, pins = self._hidden[name]
            count = np.count_nonzero(pins < hidden.count)
        time = self._began + done * self._frame
        shaken = pin_noise(
            time, float(spec.pin_noise_frequency), int(spec.pin_noise_octaves), int(spec.pin_noise_seed),
            np.arange(count),
        )
        return self._with_hidden(name, shaken) * np.asarray(spec.pin_noise, dtype=np.float64)

    def report(self, world: World, frame: Frame, links: Links, rest: np.ndarray) -> None:
        """Add the forces of springs on the pins of each body: on each [N], their sum, and torque about the mean [N m].

        Args: links: of all bodies, in the user's order; rest: (s,) current rest lengths [m], 0 for broken links.
        """
        x = world.state.x
        for name, led in self.held.now.items():
            ids = self.held.ids[name][led]
            if len(ids) == 0 or name not in frame.diagnostics:
                continue
            held = np.zeros(len(x), dtype=bool)
            held[ids] = True
            some = np.flatnonzero((held[links.pairs[:, 0]] != held[links.pairs[:, 1]]) & (rest > 0.0))
            if len(some) == 0:
                continue
            pairs = links.pairs[some]
            pairs = np.where(held[pairs[:, :1]], pairs, pairs[:, ::-1])
            offset = x[pairs[:, 1]] - x[pairs[:, 0]]
            length = np.maximum(np.linalg.norm(offset, axis=1), 1e-12)
            pull = np.broadcast_to(links.stiffness, rest.shape)[some] * (length - rest[some]) / length
            forces = offset * pull[:, None]
            arms = x[pairs[:, 0]] - x[ids].mean(axis=0)
            own = frame.diagnostics[name]
            own["pin_force"] = tuple(forces.sum(axis=0).tolist())
            own["pin_torque"] = tuple(np.cross(arms, forces).sum(axis=0).tolist())
            each = np.stack([np.bincount(pairs[:, 0], force, len(x)) for force in forces.T], axis=1)
            body = world.body(name)
            ids = ids[(ids >= body.start) & (ids < body.stop - body.spare)]
            frame.pins[name] = {"vertex": ids - body.start, "force": each[ids].astype(np.float32)}
