"""Where and when a surface tears.

The stretch of the springs at a vertex, each as a fraction of its break strain, gives a tensor: twice the mean of r d dᵀ
over springs with the direction d and the stretch r. A sheet stretched by r along one axis gives about r there. A vertex
whose largest principal value exceeds 1 is split across that axis: faces ahead of it separate from those behind it. So a
tear follows the mesh, runs across the tension, and continues from its ends, where the tension is largest. Only a few
vertices split in a frame, the most stretched first, or a sheet would shatter at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....mesh.tear.torn_mesh import TornMesh
from ....spec import SpringGraphSpec
from ....world.world import State
from .stretch import AXES, gather_stretch, smooth_stretch
from .torn_spec import edges_of

# A particle that presses on a sharp collider counts as stretched to this many times its limit.
PIERCED = 100.0


class Tearing:
    """Tears one body, between frames.

    Attributes:
        torn: its mesh; start: first particle of the body.
    """

    def __init__(
        self, spec: SpringGraphSpec, torn: TornMesh, start: int, links: np.ndarray, breaks: np.ndarray,
        is_held: np.ndarray, strength: np.ndarray,
    ) -> None:
        """Args: spec: of the whole mesh; torn: the torn mesh; start: first particle of the body.

        links: (s, 2) in the body's own particles; breaks: (s,) strain at which each breaks.
        is_held: (n,) bool, vertices that never split, because something holds them; strength: see `WholeMesh`.
        """
        self.torn, self._spec, self.start = torn, spec, start
        self._links, self._breaks, self._is_held = links, np.ascontiguousarray(breaks), is_held
        self._damage = np.zeros(len(torn.parent))
        self._unstitched = float(spec.unstitch)
        self._strength = strength
        self._seam, self._seam_strength = _seams(spec), float(spec.seam_strength)
        self._at_seam = np.zeros(torn.vertex_count, dtype=bool)
        self._at_seam[[v for pair in self._seam for v in pair]] = True

    def set_unstitch(self, value: float) -> None:
        """Open all seams whose value is at most `value` at the end of the frame."""
        self._unstitched = value

    def tear(self, state: State, rest: np.ndarray, h: float, pierced: np.ndarray) -> bool:
        """At the end of a frame of h [s]: split particles that tear; new ones inherit positions and velocity.

        Args: rest: (s,) current rest lengths of the links [m]; pierced: particles that press on sharp colliders.

        Returns:
            whether anything was split.
        """
        before = self.torn.used
        own = pierced[(pierced >= self.start) & (pierced < self.start + before)] - self.start
        # A split particle may rest on a sharp point without being pierced again.
        own = own[np.bincount(self.torn.parent[:before], minlength=before)[self.torn.parent[own]] == 1]
        worst = self._worst(self._stretch(state, rest), own, h)
        for value, particles in ((self._unstitched, self._stitched()), (0.0, worst)):
            for particle, axis in particles:
                self._split(state, particle, axis, value)
        return self.torn.used > before

    def _stitched(self) -> list[tuple[int, np.ndarray | None]]:
        """Particles at seams that have to be open."""
        if not self._seam or self._unstitched <= 0.0:
            return []
        ends = {v for pair, value in self._seam.items() if value <= self._unstitched for v in pair}
        return [(p, None) for p in range(self.torn.used) if int(self.torn.parent[p]) in ends]

    def _worst(self, stretch: np.ndarray, pierced: np.ndarray, h: float) -> list[tuple[int, np.ndarray | None]]:
        """The most stretched particles beyond their limit, most first, and the axis of the stretch of each.

        Args: stretch: see `_stretch`; pierced: particles that tear however little they are stretched.
        """
        wanted = stretch[:, :3].sum(axis=1) > 1.0
        wanted[pierced] = True
        some = np.flatnonzero(wanted & ~self._is_held[self.torn.parent[: len(wanted)]])
        if len(some) == 0:
            self._damage[:] = 0.0
            return []
        tensors = np.empty((len(some), 3, 3))
        for k, (i, j) in enumerate(AXES):
            tensors[:, i, j] = tensors[:, j, i] = stretch[some, k]
        values, vectors = np.linalg.eigh(tensors)
        size = np.where(np.isin(some, pierced), np.maximum(values[:, 2], PIERCED), values[:, 2])
        before = self._damage[some]
        self._damage[:] = 0.0
        time = float(self._spec.tear_time)
        over = np.maximum(size - 1.0, 0.0)
        self._damage[some] = np.where(over > 0.0, before + over * (h / max(time, 1e-12)), 0.0)
        ready = np.flatnonzero((size > 1.0) & ((self._damage[some] >= 1.0) | (size >= PIERCED)))
        ready = ready[np.lexsort((some[ready], -size[ready]))][: int(self._spec.tears_per_frame)]
        return [(int(some[k]), vectors[k, :, 2]) for k in ready]

    def _stretch(self, state: State, rest: np.ndarray) -> np.ndarray:
        """Tensor of the stretch at each particle, as a fraction of its limit, (used, 6); see `stretch.AXES`."""
        count = self.torn.used
        found, smoothed, number = np.zeros((count, 6)), np.zeros((count, 6)), np.zeros(count)
        gather_stretch(state.x, self.start, self._links, rest, self._breaks, found, number)
        smooth_stretch(self._links, found, number, float(self._spec.tear_smoothing), smoothed)
        strength = self._strength[self.torn.parent[:count]]
        if self._seam:
            strength = np.where(self._at_seam[self.torn.parent[:count]], self._seam_strength, 1.0) * strength
        return smoothed / np.maximum(strength, 1e-9)[:, None]

    def _split(self, state: State, particle: int, axis: np.ndarray | None, opened: float) -> None:
        """Split a particle along its seams, else across an axis; then split neighbours joined only at a point."""
        torn = self.torn
        own = torn.corners_at(particle)
        if len(own) < 2:
            return
        groups = torn.fans(own, self._at_seams(opened)) if self._seam else [own]
        if len(groups) < 2 and axis is not None:
            side = self._sides(state, particle, own, axis)
            groups = torn.fans(own, lambda one, other, _end: side[one] != side[other])
        fresh = torn.split(groups, int(self._spec.smallest_piece))
        self._take_over(state, particle, fresh)
        if fresh:
            for near in sorted({end for c in own for end in torn.beside(c)}):
                if not self._is_held[torn.parent[near]]:
                    others = torn.split(torn.fans(torn.corners_at(near)), int(self._spec.smallest_piece))
                    self._take_over(state, near, others)

    def _at_seams(self, opened: float) -> Callable[[int, int, int], bool]:
        """A test whether two faces are separate at a seam: seams up to the value `opened`, or all if it is 0."""
        parent, corner_vertex = self.torn.parent, self.torn.corners.vertex

        def apart(one: int, _other: int, end: int) -> bool:
            a, b = sorted((int(corner_vertex[one]), int(parent[end])))
            value = self._seam.get((a, b), 0.0)
            return value > 0.0 and (opened <= 0.0 or value <= opened)

        return apart

    def _sides(self, state: State, particle: int, own: list[int], axis: np.ndarray) -> dict[int, bool]:
        """Whether each corner's face lies ahead of the particle along the axis."""
        torn = self.torn
        ends = torn.particle[np.stack([torn.corners.ahead[own], torn.corners.back[own]])]
        middle = 0.5 * (state.x[self.start + ends[0]] + state.x[self.start + ends[1]])
        is_ahead = (middle - state.x[self.start + particle]) @ axis > 0.0
        return dict(zip(own, is_ahead.tolist(), strict=True))

    def _take_over(self, state: State, particle: int, fresh: list[int]) -> None:
        """Copy position and velocity of a particle to the new ones that were split from it."""
        for name in fresh:
            self._damage[name] = 0.0
            for column in (state.x, state.x_prev, state.v):
                column[self.start + name] = column[self.start + particle]

    def report(self, state: State, stress: np.ndarray) -> dict[str, Any]:
        """Results at each face corner: positions, velocity and stress; stress: (n,) of all particles."""
        own = self.start + self.torn.particle
        return {
            "positions": state.x.astype(np.float32).take(own, axis=0),
            "velocity": state.v.astype(np.float32).take(own, axis=0),
            "stress": stress[own],
        }

    def memory(self) -> dict[str, np.ndarray]:
        """State that a snapshot must keep."""
        return {"damage": self._damage, "unstitched": np.array(self._unstitched)}

    def recall(self, memory: dict[str, np.ndarray]) -> None:
        """Restore a snapshot's state."""
        self._damage, self._unstitched = memory["damage"], float(memory["unstitched"])


def _seams(spec: SpringGraphSpec) -> dict[tuple[int, int], float]:
    """Value of each seam by its two vertices, lower first."""
    if spec.seams is None:
        return {}
    values = np.asarray(spec.seams, dtype=np.float64)
    some = values > 0.0
    pairs = np.sort(edges_of(spec)[some], axis=1).tolist()
    return {(a, b): value for (a, b), value in zip(pairs, values[some].tolist(), strict=True)}
