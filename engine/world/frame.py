"""`Frame`: the engine's output after a frame. It holds copies, which are safe to pass to a thread or a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, eq=False)
class Frame:
    """The state at the end of a frame, by system name, in the user's vertex order.

    Attributes:
        number: frames stepped so far, 1 after the first step.
        positions: [m], (n, 3) float32, world space.
        velocities: [m/s], (n, 3) float32.
        transforms: (4, 4) float64 poses of rigid bodies, applied to the vertices of their specs.
        attributes: per system a table of per-vertex arrays; "stress" (n,) float32 is the mean strain,
            l/l0 - 1, of a particle's links.
        corners: per system with `tear` a table of arrays with a row for each face corner: "positions" [m], "velocity"
            [m/s], "stress". Corners of a vertex separate where the surface tears; `positions` has the vertices only.
        pins: per soft body with pins a table: "vertex", (p,) indices of those held now, and "force", (p, 3) float32,
            force of the body's springs on each [N].
        diagnostics: per system a table of numbers, tuples of float: "volume" [m³] and "pressure" [Pa] of each
            enclosed part; "stretch", mean and largest l/l0 - 1 of its links; "residual", mean and largest relative
            error of the springs' lengths after the solve; "pin_force" [N], sum over all pins, and "pin_torque" [N m]
            about their middle; for rigid bodies "voxels", their number, and
            "voxel_error", relative difference from the closed mesh in mass, centre or inertia.
            "world" has "substeps", the number that the frame took. With contact it has "shortened", contacts that
            shortened displacements, "stopped", clusters that moved as one rigid body, "left", crossings that were
            ignored, and "dense", particles and edges for which only some near soft elements were tested.
    """

    number: int
    positions: dict[str, np.ndarray] = field(default_factory=dict)
    velocities: dict[str, np.ndarray] = field(default_factory=dict)
    transforms: dict[str, np.ndarray] = field(default_factory=dict)
    attributes: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)
    corners: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)
    pins: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)
    diagnostics: dict[str, dict[str, tuple[float, ...]]] = field(default_factory=dict)
