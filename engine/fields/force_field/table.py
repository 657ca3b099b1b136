"""Specs of force fields as tables for kernels, and the placement of fields within a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import SpecError
from ...spec.check import check_params, indices, points
from ...spec.kinds.force_field import ForceFieldSpec
from ...spec.param import params_of
from ...spec.texture_grid import TextureGrid
from ...world.controls import FieldControl
from .hold import sharpness, stiffness
from .laws.rows import FALLOFFS, LAWS, MODES, ROW, SHAPES, SIDES
from .meshes import clustered, normals_of, place_boxes, unit

MESH_SHAPES = ("SURFACE", "POINTS")


class FieldTable:
    """Rows and meshes of some fields, interpolated linearly through a frame.

    Attributes:
        specs: of the fields; rows: (f,) of `rows.ROW`; meshes: of all of them; samples: (s, 4) float32 of textures.
    """

    def __init__(self, specs: Sequence[ForceFieldSpec]) -> None:
        """Check the specs and build the table; raises SpecError."""
        self.specs = list(specs)
        # Records give their columns as attributes in plain Python too, which tracing for the precompile needs.
        self.rows = np.zeros(len(self.specs), dtype=ROW).view(np.recarray)
        for spec in self.specs:
            check_params(spec.name, spec)
        self._to = np.array([matrix_of(spec.name, spec.matrix) for spec in self.specs]).reshape(-1, 4, 4)
        self._from = self._to.copy()
        self._values = [{name: getattr(spec, name) for name in params_of(ForceFieldSpec)} for spec in self.specs]
        vertices, self._faces, samples = [np.zeros((0, 3))], [], [np.zeros((0, 4))]
        normals, lowered = [np.zeros((0, 3))], []
        for spec, row in zip(self.specs, self.rows, strict=True):
            row["law"], row["form"] = LAWS.index(spec.type), SHAPES.index(spec.shape)
            row["falloff"], row["side"] = FALLOFFS.index(spec.falloff_type), SIDES[spec.z_direction]
            row["mode"], row["screen"] = MODES.index(spec.texture_mode), -1
            own, faces = _mesh(spec)
            first = sum(map(len, vertices))
            row["first_vertex"], row["stop_vertex"] = first, first + len(own)
            row["first_sample"] = sum(map(len, samples))
            vertices.append(own)
            normals.append(normals_of(spec.name, spec.normals, own, faces))
            self._faces.append(faces)
            lowered.append(faces + np.int32(first) if spec.shape == "SURFACE" else faces[:0])
            if spec.type == "TEXTURE":
                samples.append(_samples(spec, row))
        self._local_to, self._normals = np.concatenate(vertices), np.concatenate(normals)
        self._local_from = self._local_to.copy()
        self.meshes, ranges = clustered(
            np.zeros_like(self._local_to), np.zeros_like(self._local_to), lowered, self._local_to
        )
        self.rows["first_cluster"], self.rows["stop_cluster"] = ranges[:-1], ranges[1:]
        self.samples = np.concatenate(samples).astype(np.float32)
        self._is_new = True

    def begin_frame(self, controls: Mapping[str, FieldControl]) -> None:
        """Take the placement of fields at the end of the frame; raises SpecError."""
        self._from[:], self._local_from[:] = self._to, self._local_to
        for number, spec in enumerate(self.specs):
            control = controls.get(spec.name)
            if control is None:
                continue
            if control.matrix is not None:
                self._to[number] = matrix_of(spec.name, control.matrix)
            if control.vertices is not None and spec.shape in MESH_SHAPES:
                own = self._own(number)
                given = points(spec.name, "vertices", control.vertices)
                if len(given) != own.stop - own.start:
                    raise SpecError(spec.name, "vertices", f"{len(given)} vertices", f"{own.stop - own.start}")
                self._local_to[own] = given
                self._normals[own] = normals_of(spec.name, control.normals, given, self._faces[number])
        self._is_new = True

    def set_value(self, number: int, name: str, value: float) -> None:
        """Set a keyed setting of a field."""
        self._values[number][name] = value
        self._is_new = True

    def _own(self, number: int) -> slice:
        return slice(int(self.rows["first_vertex"][number]), int(self.rows["stop_vertex"][number]))

    def place(self, done: float) -> None:
        """Move all fields to their placement at this fraction of the frame; static fields are placed only once."""
        moves = not np.array_equal(self._from, self._to) or not np.array_equal(self._local_from, self._local_to)
        if not (moves or self._is_new):
            return
        self._is_new = False
        matrix = self._from + (self._to - self._from) * done
        mesh = self.meshes
        for number, spec in enumerate(self.specs):
            fill_row(self.rows[number], self._values[number], spec.type, matrix[number])
            own, turn = self._own(number), matrix[number, :3, :3].T
            if own.stop > own.start:
                local = self._local_from[own] + (self._local_to[own] - self._local_from[own]) * done
                mesh.vertices[own] = local @ turn + matrix[number, :3, 3]
                mesh.normals[own] = unit(self._normals[own] @ turn)
        place_boxes(mesh)

    def memory(self) -> dict[str, Any]:
        """Placement and settings of the fields."""
        return {"matrix": self._to, "local": self._local_to, "normals": self._normals, "values": self._values}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore `memory`."""
        self._to[:], self._local_to[:], self._normals[:] = memory["matrix"], memory["local"], memory["normals"]
        self._from[:], self._local_from[:] = self._to, self._local_to
        self._values, self._is_new = memory["values"], True


def matrix_of(name: str, value: Any) -> np.ndarray:
    """A matrix (4, 4) float64 with a Z axis; raises SpecError."""
    matrix = np.asarray(value, dtype=np.float64)
    if matrix.shape != (4, 4) or not np.isfinite(matrix).all():
        raise SpecError(name, "matrix", f"shape {matrix.shape}", "16 finite numbers of shape (4, 4)")
    if np.linalg.norm(matrix[:3, 2]) == 0.0:
        raise SpecError(name, "matrix", "a Z axis without length", "a scale above 0")
    return matrix


def fill_row(row: Any, values: Mapping[str, Any], law: str, matrix: np.ndarray) -> None:
    """Write the settings and the placement of a field into its row."""
    acts = bool(values["apply_to_location"])
    # For particles Blender multiplies "Linear" by the square of velocity, and "Quadratic" by velocity.
    row["strength"] = (values["linear_drag"] if law == "DRAG" else values["strength"]) if acts else 0.0
    row["damping"] = (values["quadratic_drag"] if law == "DRAG" else values["harmonic_damping"]) if acts else 0.0
    row["length"] = values["rest_length"] if law == "HARMONIC" else values["size"]
    row["flow"] = values["flow"] if acts and law != "TEXTURE" else 0.0
    row["noise"] = values["noise"] if acts else 0.0
    row["wind"], row["power"], row["nabla"] = values["wind_factor"], values["falloff_power"], values["texture_nabla"]
    row["radial_power"], row["seed"] = values["radial_falloff"], values["seed"]
    row["least"] = values["distance_min"] if values["use_min_distance"] else 0.0
    row["most"] = values["distance_max"] if values["use_max_distance"] else np.inf
    row["radial_least"] = values["radial_min"] if values["use_radial_min"] else 0.0
    row["radial_most"] = values["radial_max"] if values["use_radial_max"] else np.inf
    for column, name in (
        ("inverse_square", "use_gravity_falloff"), ("global_coords", "use_global_coords"),
        ("object_coords", "use_object_coords"), ("flat", "use_2d_force"),
    ):
        row[column] = bool(values[name])
    row["sharp"], row["stiff"] = sharpness(row, law), stiffness(float(row["strength"]), law)
    row["origin"], row["axis"] = matrix[:3, 3], unit(matrix[:3, 2])
    if row["object_coords"]:
        row["to_object"] = np.linalg.pinv(matrix)[:3]


def _mesh(spec: ForceFieldSpec) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and triangles (t, 3) that a field's shape needs; raises SpecError."""
    if spec.shape not in MESH_SHAPES:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32)
    vertices = points(spec.name, "vertices", [] if spec.vertices is None else spec.vertices)
    faces = indices(spec.name, "triangles", spec.triangles, 3, len(vertices))
    if spec.shape == "SURFACE" and len(faces) == 0:
        raise SpecError(spec.name, "triangles", "no triangle", "a mesh with faces for the shape Surface")
    return vertices, faces


def _samples(spec: ForceFieldSpec, row: Any) -> np.ndarray:
    """Samples of a field's texture, (s, 4); raises SpecError without a texture."""
    grid = spec.texture
    if not isinstance(grid, TextureGrid):
        raise SpecError(spec.name, "texture", grid, "samples of a texture for the type Texture")
    samples = np.asarray(grid.samples, dtype=np.float32)
    if samples.ndim != 4 or samples.shape[3] != 4 or min(samples.shape[:3]) < 4 or not np.isfinite(samples).all():
        raise SpecError(spec.name, "texture", f"shape {samples.shape}", "finite samples, four along each axis at least")
    row["grid_origin"], row["grid_cell"], row["grid_shape"] = grid.origin, grid.cell, samples.shape[:3]
    row["has_color"] = grid.has_color
    return samples.reshape(-1, 4)
