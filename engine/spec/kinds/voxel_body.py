"""`VoxelBodySpec`: a mesh that moves as a rigid body."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from ..param import choice, param
from ..settings import spec
from ..traits import Traits

if TYPE_CHECKING:
    import numpy as np

# Most voxels of a grid, full or not, and memory for each while the grid is made [B].
MOST_VOXELS = 20_000_000
BYTES_EACH = 20
# With a relative difference above this, voxels and mesh do not describe the same body.
MOST_DIFFERENCE = 0.05
# Voxel size 0 means this fraction of the longest side.
VOXEL_SHARE = 1.0 / 32.0


def grid_shape(extent: Sequence[float], size: float) -> tuple[int, int, int]:
    """Number of voxels of `size` [m] along each axis of a mesh of this extent [m], with one more at both ends."""
    x, y, z = (max(math.ceil(float(length) / size - 1e-9), 1) + 2 for length in extent)
    return x, y, z


def least_size(extent: Sequence[float], size: float) -> float:
    """About the smallest voxel size [m] for at most `MOST_VOXELS` voxels, if voxels of `size` would be too many."""
    return 1.02 * size * (math.prod(grid_shape(extent, size)) / MOST_VOXELS) ** (1.0 / 3.0)


@spec
class VoxelBodySpec:
    """A rigid body. Its voxels define mass and inertia; contacts use its own surface.

    `Frame.transforms[name]` transforms `vertices` to their positions in the frame. Bodies with the same arrays and
    settings that differ only in `pose` share one voxelization.

    Attributes:
        name: unique in its world.
        vertices: positions [m], shape (n, 3); in world space, or before `pose`.
        triangles: corner indices, shape (t, 3).
        keyed: fields that `Controls.values` will change.
        pose: (4, 4) rigid transform of `vertices` to their positions at the start; None for identity.
    """

    kind: ClassVar[str] = "VOXEL_BODY"
    label: ClassVar[str] = "Rigid Body"
    tip: ClassVar[str] = "Moves and turns as a whole and never bends: crates, barrels, stones"
    geometry: ClassVar[str] = "MESH"
    output: ClassVar[str] = "TRANSFORM"
    traits: ClassVar[Traits] = Traits(moves=True, is_rigid=True, wets=True, is_grabbable=True)
    kernels: ClassVar[tuple[str, ...]] = ("XPBD", "RIGID")

    name: str
    vertices: np.ndarray
    triangles: np.ndarray

    animated: bool = param(
        False, "Animated", "It goes where its keyframes and parents lead it, and nothing stops it. Keyed off, it is "
        "released with the velocity that it has then; without an animation it keeps its place until then", keyable=True,
    )
    voxel_size: float = param(
        0.0, "Voxel Size", "Side of the cubes that the body is measured with; 0 takes a 32nd of its longest side",
        unit="m", limits=(0.0, 1e4), soft=(0.0, 1.0), group="voxels", precision=4,
    )
    fill: str = choice(
        "SOLID", "Fill", "Where the body has its mass",
        choices=(
            ("SOLID", "Solid", "Everywhere inside"),
            ("SHELL", "Shell", "In the outermost voxels of what is inside"),
            ("SURFACE", "Surface", "In the voxels that its faces touch, whether they enclose anything or not"),
        ),
        group="voxels",
    )
    inside: str = choice(
        "AUTO", "Inside", "How a voxel is known to lie inside",
        choices=(
            ("AUTO", "Automatic", "Parity for closed meshes, winding number for others"),
            ("PARITY", "Parity", "Lines along three axes count crossings; two of three decide"),
            ("WINDING", "Winding Number", "How far the surface goes round it; for meshes with holes"),
        ),
        group="voxels",
    )
    density: float = param(
        500.0, "Density", "Mass of a cubic metre; wood 500, water 1000, stone 2500",
        unit="kg/m³", limits=(0.0, 1e5), soft=(10.0, 8000.0), positive=True, group="voxels", precision=1,
    )
    mass: float = param(
        0.0, "Mass", "Mass of the whole body; 0 takes density times volume",
        unit="kg", limits=(0.0, 1e9), soft=(0.0, 1000.0), group="voxels",
    )
    thickness: float = param(
        0.0, "Thickness", "Distance kept from other surfaces; 0 takes a five-hundredth of its longest side",
        unit="m", limits=(0.0, 10.0), soft=(0.0, 0.1), group="contact", precision=4,
    )
    friction: float = param(
        0.5, "Friction", "Grip against other surfaces",
        limits=(0.0, 10.0), soft=(0.0, 1.0), group="contact", keyable=True,
    )
    restitution: float = param(
        0.0, "Bounciness", "Share of the impact speed given back by the surface itself",
        limits=(0.0, 1.0), group="contact", keyable=True,
    )
    velocity: Sequence[float] = param(
        (0.0, 0.0, 0.0), "Velocity", "Velocity of the centre at the first frame",
        unit="m/s", limits=(-1e4, 1e4), soft=(-20.0, 20.0),
    )
    angular_velocity: Sequence[float] = param(
        (0.0, 0.0, 0.0), "Spin", "Angular velocity at the first frame, about the world's axes",
        unit="rad/s", limits=(-1e4, 1e4), soft=(-20.0, 20.0),
    )

    pose: np.ndarray | None = None
    keyed: Sequence[str] = ()
