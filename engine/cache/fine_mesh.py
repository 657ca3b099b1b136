"""A finer surface of a baked fluid: a mesh on disk for each frame, made by the package pysplashsurf.

The package is optional. It reconstructs the surface of the fluid's density and smooths it without losing volume:
Löschner, Böttcher, Jeske, Bender 2023, "Weighted Laplacian Smoothing for Surface Reconstruction of Particle-based
Fluids". Files lie in a folder within that of the points, so they are moved and deleted with them; Blender plays them
without Flotsam and without the package. Each pair of settings has a folder of its own, so meshes of two settings never
mix, and an interrupted job continues where it stopped.
"""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from .points import points_file, read_points
from .replace import replace_files

if TYPE_CHECKING:
    import numpy as np

PACKAGE = "pysplashsurf"
# Folders of meshes, in the folder of the points.
_PREFIX = "surface"
# As advised by the authors of the package: radius of the smoothing kernel in particle radii, density at the surface.
SMOOTHING_LENGTH, SURFACE_DENSITY = 2.0, 0.6


def find_package() -> ModuleType | None:
    """The package; None if it is not installed or cannot be imported."""
    try:
        return importlib.import_module(PACKAGE)
    except ImportError:
        return None


class FineMeshes(NamedTuple):
    """The meshes of a bake with the same settings.

    Attributes:
        points: folder of the points; detail: width of a cell in particle radii; smoothing: number of smoothing passes.
    """

    points: Path
    detail: float
    smoothing: int

    @property
    def folder(self) -> Path:
        """Folder of the meshes."""
        return self.points / f"{_PREFIX}_{self.detail:.4g}_{self.smoothing}"

    def has(self, frame: int) -> bool:
        """Whether the mesh of a frame exists and is not older than its points; raises OSError without points."""
        mesh = points_file(self.folder, frame)
        return mesh.exists() and mesh.stat().st_mtime_ns >= points_file(self.points, frame).stat().st_mtime_ns

    def write(self, package: ModuleType, frame: int) -> None:
        """Write the mesh of a frame; raises OSError if a file cannot be read or written."""
        mesh = wrapped(package, read_points(self.points, frame), self.detail, self.smoothing)
        replace_files({points_file(self.folder, frame): mesh_content(*mesh)})

    def tidy(self) -> None:
        """Delete leftovers of an interrupted write."""
        for left in self.folder.glob("*.new"):
            left.unlink(missing_ok=True)

    def replace_others(self) -> None:
        """Delete meshes with other settings."""
        for folder in mesh_folders(self.points):
            if folder != self.folder:
                shutil.rmtree(folder, ignore_errors=True)


def mesh_folders(points: Path) -> list[Path]:
    """The folders of meshes in a folder of points."""
    return [folder for folder in sorted(points.glob(f"{_PREFIX}*")) if folder.is_dir()]


def wrapped(
    package: ModuleType, points: dict[str, np.ndarray], detail: float, smoothing: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Surface of the fluid points: vertices (n, 3) [m], triangles (t, 3) and velocities (n, 3) [m/s]."""
    import numpy as np

    is_fluid = points["kind"] < 0.5
    place, velocity = (
        np.ascontiguousarray(np.stack([points[name][is_fluid] for name in names], axis=1))
        for names in (("x", "y", "z"), ("vx", "vy", "vz"))
    )
    if len(place) == 0:
        return np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int32), np.zeros((0, 3), np.float32)
    found = package.reconstruction_pipeline(
        place, attributes_to_interpolate={"velocity": velocity}, particle_radius=float(points["radius"][is_fluid][0]),
        smoothing_length=SMOOTHING_LENGTH, cube_size=detail, iso_surface_threshold=SURFACE_DENSITY,
        mesh_cleanup=True, mesh_smoothing_weights=True, mesh_smoothing_iters=smoothing,
    )[0]
    return found.mesh.vertices, found.mesh.triangles, found.point_attributes["velocity"]


def mesh_content(vertices: np.ndarray, triangles: np.ndarray, velocities: np.ndarray) -> bytes:
    """A mesh as the bytes of a PLY file. An empty mesh gets one vertex, because Blender rejects a file without any.

    Args: vertices: (n, 3) [m]; triangles: (t, 3) vertex indices; velocities: (n, 3) [m/s].
    """
    import numpy as np

    rows = np.zeros((max(len(vertices), 1), 6), dtype="<f4")
    rows[: len(vertices)] = np.concatenate([vertices, velocities], axis=1)
    faces = np.zeros(len(triangles), dtype=[("count", "u1"), ("corner", "<i4", 3)])
    faces["count"], faces["corner"] = 3, triangles
    properties = "".join(f"property float {name}\n" for name in ("x", "y", "z", "vx", "vy", "vz"))
    head = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(rows)}\n{properties}element face {len(faces)}\n"
        "property list uchar int vertex_indices\nend_header\n"
    )
    return head.encode() + rows.tobytes() + faces.tobytes()
