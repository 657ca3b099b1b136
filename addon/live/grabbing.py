"""Grabbing with the mouse: a ray picks a body, a spring pulls it; strength is relative to the body's weight."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ...engine import Controls, FluidSpec, Frame, Grab, SpringGraphSpec, VoxelBodySpec
from ..capture import Captured
from ..capture.mesh import transform
from .pick import Pick, neighbourhood, pick, pick_point

# Standard gravity [m/s²]: strength is relative to weight, even in a scene without gravity.
_G = 9.80665
# Damping ratio of the spring between hand and body: the body follows the mouse without ringing.
_DAMPING_RATIO = 0.5


@dataclass
class Hold:
    """A grab by the mouse.

    Attributes:
        body: name of the body; mass: its total mass [kg].
        vertex: index of the picked vertex.
        particles, weights: (g,) particles that are pulled, and their weights; fluid particles are given by id.
        target: (3,) position of the hand [m].
    """

    body: str
    mass: float
    vertex: int
    particles: np.ndarray
    weights: np.ndarray
    target: np.ndarray

    def middle(self, frame: Frame) -> np.ndarray | None:
        """Weighted centre of the held particles in a frame, (3,) [m]; None if none of them exists in it."""
        positions, ids = frame.positions.get(self.body), frame.attributes.get(self.body, {}).get("id")
        if positions is None:
            return None
        places, weights = self.particles, self.weights
        if ids is not None and len(ids):
            # Particles of a fluid appear and disappear; they are identified by ids, which are in ascending order.
            places = np.minimum(np.searchsorted(ids, self.particles), len(ids) - 1)
            is_there = ids[places] == self.particles
            places, weights = places[is_there], weights[is_there]
        if not len(places) or places.max() >= len(positions):
            return None
        return weights / weights.sum() @ positions[places].astype(np.float64)

    def move(self, controls: Controls, strength: float) -> Controls:
        """The controls of the scene, with this grab added; strength: see `grab`."""
        return replace(controls, grab=self.grab(strength))

    def grab(self, strength: float) -> Grab:
        """The grab for the solver; strength in multiples of the body's weight per metre of displacement."""
        stiffness = strength * self.mass * _G
        damping = 2.0 * _DAMPING_RATIO * math.sqrt(stiffness * self.mass)
        return Grab(self.body, self.particles, self.weights, self.target, stiffness, damping)


def hold_at(
    captured: Captured, masses: dict[str, float], frame: Frame | None, origin: np.ndarray, direction: np.ndarray,
    perspective: bool,
) -> Hold | None:
    """Hold the first body that a ray hits, as displayed in the frame, or at the start without a frame.

    Args: masses: by name, once known, of bodies whose settings do not give a mass [kg].
    """
    found: list[tuple[Pick, SpringGraphSpec | VoxelBodySpec | FluidSpec, np.ndarray]] = []
    varying = {body.name for body in captured.bodies if body.varies}
    for spec in captured.spec.systems:
        if not spec.traits.is_grabbable or (spec.name not in varying and not _mass_of(spec, masses)):
            continue
        if spec.name in varying:
            places = None if frame is None else _particle_positions(frame, spec.name)
            hit = None if places is None else pick_point(origin, direction, places, perspective)
            if hit is not None:
                found.append((hit, spec, places))
            continue
        positions = _start(spec) if frame is None else frame.positions[spec.name].astype(np.float64)
        triangles = np.zeros((0, 3), dtype=np.int32) if spec.triangles is None else spec.triangles
        hit = pick(origin, direction, positions, triangles, perspective)
        if hit is not None:
            found.append((hit, spec, positions))
    if not found:
        return None
    hit, spec, positions = min(found, key=lambda candidate: candidate[0].distance)
    if spec.name in varying:
        return _hold_fluid(frame, spec, hit.vertex)
    # A rigid body is held at the exact point of the hit, so that it hangs from that point.
    is_rigid = spec.traits.is_rigid
    particles, weights = (hit.corners, hit.weights) if is_rigid else neighbourhood(spec.vertices, hit.vertex)
    normalized = weights / weights.sum()
    # The target starts at the current centre, so that the grab begins without a jerk.
    return Hold(spec.name, _mass_of(spec, masses), hit.vertex, particles, weights, normalized @ positions[particles])


def _hold_fluid(frame: Frame, spec: FluidSpec, point: int) -> Hold:
    """Hold the particles of a fluid around one of them."""
    positions, attributes = _particle_positions(frame, spec.name).astype(np.float64), frame.attributes[spec.name]
    near, weights = neighbourhood(positions, point)
    mass = float(spec.density) * float(((2.0 * attributes["radius"][near].astype(np.float64)) ** 3).sum())
    target = weights / weights.sum() @ positions[near]
    return Hold(spec.name, mass, point, attributes["id"][near], weights, target)


def _particle_positions(frame: Frame, name: str) -> np.ndarray:
    """Positions of the particles of a fluid or flock (n, 3) [m], without foam, which comes last in the arrays."""
    kind = frame.attributes[name].get("kind")
    return frame.positions[name] if kind is None else frame.positions[name][: np.count_nonzero(kind == 0)]


def _mass_of(spec: SpringGraphSpec | VoxelBodySpec, masses: dict[str, float]) -> float:
    """Mass of a body from its settings or as built [kg], 0 while unknown."""
    by_density = spec.traits.is_springy and spec.mass_by in ("AREA_DENSITY", "DENSITY")
    return (0.0 if by_density else float(spec.mass)) or masses.get(spec.name, 0.0)


def _start(spec: SpringGraphSpec | VoxelBodySpec) -> np.ndarray:
    """Positions of a body's vertices before the first frame, (n, 3) [m]."""
    if spec.traits.is_rigid:
        return spec.vertices if spec.pose is None else transform(spec.pose, spec.vertices)
    return spec.vertices if spec.start is None else spec.start
