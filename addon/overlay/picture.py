"""Content of the overlay as arrays: positions and settings in, lines and colours out. No Blender, no GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..solver.spheres import Spheres
from .field_lines import FieldArrows, field_lines
from .lines import Lines, joined, plain, strokes
from .loads import Load, load_lines, load_of
from .marks import compression_marks

# Red, green, blue, alpha; sRGB as the viewport expects it. Red and blue are distinct for all kinds of colour blindness.
SHORTER, AT_REST, LONGER = (1.0, 0.16, 0.1, 1.0), (0.88, 0.88, 0.88, 0.35), (0.1, 0.45, 1.0, 1.0)
PIN, SPHERE, ARROW = (1.0, 0.62, 0.05, 1.0), (0.25, 0.9, 0.45, 0.55), (0.95, 0.95, 0.3, 0.9)
TIE = (0.85, 0.35, 1.0, 1.0)
# Fraction of springs within the full colours, unless the artist sets the range.
_COLOR_QUANTILE = 0.98
# Below a hundredth of a percent, colours would show rounding.
_LEAST_STRETCH = 1e-4
# With more vertices than this in all bodies, only some of them have arrows.
_MOST_ARROWS, _MOST_PINS = 2000, 2000
# Opacity of the farthest strut, as a fraction of that of the nearest.
_FARTHEST_OPACITY = 0.15
_CIRCLE = 32


@dataclass(frozen=True, eq=False)
class Subject:
    """A body in its current state.

    Attributes:
        name: of its object.
        positions: [m], (n, 3) world space.
        edges: its springs as pairs of vertices, (e, 2); rest_lengths: [m], (e,).
        pins: (p,) indices of pinned vertices.
        velocities: [m/s], (n, 3) world space, None if unknown.
        spheres: its proxy spheres, None if it collides by its surface, or if unknown.
        stiffness: of the springs [N/m], (e,), None if unknown; strut: (e,) bool, None without struts.
        compression: of particles of a fluid, (n,), density over density at rest, minus one; size: of a particle [m].
        pin_forces: pull of the springs on each pin [N], (p, 3) world space; if None, `load_of` computes it.
    """

    name: str
    positions: np.ndarray
    edges: np.ndarray
    rest_lengths: np.ndarray
    pins: np.ndarray
    velocities: np.ndarray | None = None
    spheres: Spheres | None = None
    stiffness: np.ndarray | None = None
    strut: np.ndarray | None = None
    compression: np.ndarray | None = None
    size: float = 0.0
    pin_forces: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Pivot:
    """A joint: its position (3,) [m], the axis (3,) of a hinge or zeros, and its drawn size [m]."""

    place: np.ndarray
    axis: np.ndarray
    size: float


@dataclass(frozen=True, eq=False)
class Ties:
    """Attachments and joints: both ends of each attachment link (m, 2, 3) [m], and the joints."""

    links: np.ndarray
    pivots: tuple[Pivot, ...]


@dataclass(frozen=True)
class DisplaySettings:
    """Display settings: which of the layers to draw, for selected objects or all, and how.

    Attributes:
        full_stretch: stretch at full colour, 0 for automatic; arrow_seconds: an arrow is the motion in this time [s].
        field_length: length of an arrow for 1 m/s² of a field and 1 m/s of wind [m], 0 for automatic.
        force_length: length of an arrow for 1 N [m], 0 for automatic.
    """

    springs: bool = False
    pins: bool = False
    spheres: bool = False
    velocities: bool = False
    ties: bool = False
    fields: bool = False
    compression: bool = False
    pin_forces: bool = False
    selected_only: bool = False
    full_stretch: float = 0.0
    field_length: float = 0.0
    force_length: float = 0.0
    arrow_seconds: float = 0.1

    @property
    def any(self) -> bool:
        """Whether any layer is shown."""
        return any((
            self.springs, self.pins, self.spheres, self.velocities, self.ties, self.fields, self.compression,
            self.pin_forces,
        ))


@dataclass(frozen=True, eq=False)
class Picture:
    """Everything that the overlay draws.

    Attributes:
        layers: lines by layer name; springs through a body are a layer of their own, struts.
        limit: stretch at full colour, 0 without springs; shortest, longest: smallest and largest l/l0 - 1.
        push, pull: largest compressive and tensile force of a spring [N]; None if no stiffness is known.
        loads: forces on the pins of each body.
    """

    layers: dict[str, Lines] = field(default_factory=dict)
    limit: float = 0.0
    shortest: float = 0.0
    longest: float = 0.0
    push: float | None = None
    pull: float | None = None
    loads: tuple[Load, ...] = ()


def paint(
    subjects: Sequence[Subject], display: DisplaySettings, ties: Ties | None = None, fields: FieldArrows | None = None
) -> Picture:
    """The picture of all bodies, attachments and joints, and of the fields around them."""
    layers: dict[str, Lines] = {}
    limit, shortest, longest = 0.0, 0.0, 0.0
    push, pull = None, None
    if display.springs and any(len(subject.edges) for subject in subjects):
        stretch = [stretch_of(subject) for subject in subjects]
        every = np.concatenate(stretch)
        limit = 0.01 * display.full_stretch or full_stretch(every)
        shortest, longest = float(every.min()), float(every.max())
        for name, struts in (("springs", False), ("struts", True)):
            layers[name] = joined([
                _springs(subject, found, limit, struts) for subject, found in zip(subjects, stretch, strict=True)
            ])
        push, pull = _most_force(subjects, stretch)
    if display.spheres:
        layers["spheres"] = joined([_spheres(subject) for subject in subjects])
    if display.pins:
        layers["pins"] = joined([_pins(subject) for subject in subjects])
    if display.velocities:
        moving = sum(len(subject.positions) for subject in subjects if subject.velocities is not None)
        every = max(-(-moving // _MOST_ARROWS), 1)
        layers["velocities"] = joined([_arrows(subject, display.arrow_seconds, every) for subject in subjects])
    if display.compression:
        layers["compression"] = compression_marks(subjects)
    if display.ties and ties is not None:
        layers["ties"] = joined([plain(ties.links, TIE), *map(_joint, ties.pivots)])
    if display.fields and fields is not None:
        layers["fields"] = field_lines(fields, display.field_length)
    loads: list[Load] = []
    if display.pin_forces:
        loads = [load for subject in subjects if (load := load_of(subject)) is not None]
        layers["pin_forces"] = load_lines(loads, display.force_length)
    shown = {name: lines for name, lines in layers.items() if len(lines.points)}
    return Picture(shown, limit, shortest, longest, push, pull, tuple(loads))


def stretch_of(subject: Subject) -> np.ndarray:
    """l/l0 - 1 of each spring, (e,)."""
    a, b = subject.positions[subject.edges[:, 0]], subject.positions[subject.edges[:, 1]]
    lengths = np.sqrt(((a - b).astype(np.float64) ** 2).sum(axis=1))
    return lengths / np.maximum(subject.rest_lengths, 1e-12) - 1.0


def _most_force(
    subjects: Sequence[Subject], stretch: Sequence[np.ndarray]
) -> tuple[float, float] | tuple[None, None]:
    """Largest compressive and tensile force of a spring [N]: stiffness times change of length."""
    forces = [
        subject.stiffness * subject.rest_lengths * found
        for subject, found in zip(subjects, stretch, strict=True) if subject.stiffness is not None and len(found)
    ]
    if not forces:
        return None, None
    every = np.concatenate(forces)
    return max(0.0, -float(every.min())), max(0.0, float(every.max()))


def full_stretch(stretch: np.ndarray) -> float:
    """A round number (1, 2 or 5 times a power of ten) that exceeds nearly all stretches (e,)."""
    most = max(float(np.quantile(np.abs(stretch), _COLOR_QUANTILE)), _LEAST_STRETCH)
    ten = 10.0 ** np.floor(np.log10(most))
    return float(next(ten * step for step in (1.0, 2.0, 5.0, 10.0) if most <= ten * step * (1.0 + 1e-9)))


def stretch_colors(stretch: np.ndarray, limit: float) -> np.ndarray:
    """Colours (e, 4) float32: grey at rest, red when compressed, blue when stretched, saturated at the limit."""
    # The square root makes small stretches visible too.
    fraction = np.sqrt(np.clip(np.abs(stretch) / limit, 0.0, 1.0))[:, None]
    end = np.where(stretch[:, None] < 0.0, np.array(SHORTER), np.array(LONGER))
    return (np.array(AT_REST) * (1.0 - fraction) + end * fraction).astype(np.float32)


def _springs(subject: Subject, stretch: np.ndarray, limit: float, struts: bool) -> Lines:
    """Springs on the surface, or those through the body."""
    edges = subject.edges
    if subject.strut is not None:
        chosen = subject.strut == struts
        edges, stretch = edges[chosen], stretch[chosen]
    elif struts:
        edges, stretch = edges[:0], stretch[:0]
    ends = subject.positions[edges.ravel()].astype(np.float32)
    return Lines(ends, np.repeat(stretch_colors(stretch, limit), 2, axis=0))


def _mean_edge(subject: Subject) -> float:
    if len(subject.rest_lengths):
        return float(subject.rest_lengths.mean())
    return 0.02 * float(np.ptp(subject.positions, axis=0).max()) if len(subject.positions) else 0.0


def _pins(subject: Subject) -> Lines:
    """An octahedron around each pinned vertex."""
    corners = 0.15 * _mean_edge(subject) * np.concatenate([np.eye(3), -np.eye(3)])
    pairs = [(i, j) for i in range(6) for j in range(i + 1, 6) if j != i + 3]
    at = subject.positions[subject.pins[:_MOST_PINS]]
    return plain(at[:, None, None, :] + corners[np.array(pairs)][None], PIN)


def _spheres(subject: Subject) -> Lines:
    """Three great circles of each proxy sphere, at the current positions of its vertices."""
    if subject.spheres is None:
        return plain(np.zeros((0, 3)), SPHERE)
    group, radius = subject.spheres.group, subject.spheres.radius
    count = np.maximum(np.bincount(group, minlength=len(radius)), 1)
    middle = np.stack([
        np.bincount(group, weights=along, minlength=len(radius)) / count for along in subject.positions.T
    ], axis=1)
    angle = np.linspace(0.0, 2.0 * np.pi, _CIRCLE + 1)
    flat = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=1)
    circles = np.stack([np.roll(flat, shift, axis=1) for shift in range(3)])
    pairs = np.stack([circles[:, :-1], circles[:, 1:]], axis=2)
    return plain(middle[:, None, None, None, :] + radius[:, None, None, None, None] * pairs[None], SPHERE)


def _joint(pivot: Pivot) -> Lines:
    """Three strokes across the position of a joint, and the axis of a hinge, four times as long."""
    strokes = pivot.size * np.eye(3)
    length = float(np.linalg.norm(pivot.axis))
    if length > 0.0:
        strokes = np.concatenate([strokes, 4.0 * pivot.size * pivot.axis[None] / length])
    return plain(pivot.place + np.stack([-strokes, strokes], axis=1), TIE)


def faded(lines: Lines, view: np.ndarray) -> np.ndarray:
    """Colours (2 m, 4) float32 of lines that fade with depth; `view` (4, 4) transforms to view space.

    The view is along -Z there. The nearest end keeps its opacity, the farthest the fraction `_FARTHEST_OPACITY` of it.
    """
    depth = -(lines.points @ view[2, :3].astype(np.float32) + np.float32(view[2, 3]))
    colors = lines.colors.copy()
    if len(depth) and (deep := float(np.ptp(depth))) > 0.0:
        colors[:, 3] *= 1.0 - (1.0 - _FARTHEST_OPACITY) * (depth - depth.min()) / deep
    return colors


def _arrows(subject: Subject, seconds: float, every: int) -> Lines:
    """An arrow at every `every`-th vertex."""
    if subject.velocities is None or not len(subject.positions):
        return plain(np.zeros((0, 3)), ARROW)
    chosen = slice(None, None, every)
    start, arrow = subject.positions[chosen].astype(np.float64), seconds * subject.velocities[chosen].astype(np.float64)
    return strokes(start, arrow, ARROW)
