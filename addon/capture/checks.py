"""Checks of the scene: input that cannot be solved raises an error of one sentence, dubious input gives a warning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np

from ..names import SEGMENT_ATTRIBUTE, SETTINGS
from .errors import CaptureError
from .levels import unlike_modifiers
from .mesh import MeshArrays, is_flat

# Settings that tearing requires: field, value, and the instruction for the artist.
TO_TEAR = (
    ("graph", "SURFACE", "Springs to Surface: lattices, edges and links by distance do not open"),
    ("struts", 0, "Struts to 0: they would hold the torn mesh together from inside"),
    ("contact", "SURFACE", "Touched to Surface: spheres do not follow a tear"),
    ("pressure_law", "GAS", "Pressure Law to Gas: segments do not tear"),
    ("animated", False, "Animated off: a body that animation leads does not tear"),
)
# Volume as a fraction of (area)^1.5 below which a mesh encloses nothing; a sphere has 0.094.
_LEAST_VOLUME = 1e-3
# Largest coordinate that the specifications accept [m].
MOST_COORDINATE = 1e9


def refuse_object(obj: bpy.types.Object, matrix: np.ndarray, by_hand: bool) -> None:
    """Refuse an object before its mesh is read; `by_hand`: in Live, which waits until the artist leaves Edit Mode.

    Raises:
        CaptureError: not a mesh, in Edit Mode, scaled to zero, or too far away.
    """
    if obj.type != "MESH":
        raise CaptureError(f"{obj.name} is no mesh; convert it to a mesh, or set its Flotsam type to None.")
    if obj.mode == "EDIT":
        on = "Live goes on when you leave it" if by_hand else "leave Edit Mode and bake again"
        raise CaptureError(f"{obj.name} is in Edit Mode; {on}.")
    if not np.isfinite(matrix).all():
        raise CaptureError(f"{obj.name} has no finite place in the world; check its location, rotation and scale.")
    if np.abs(matrix[:3, 3]).max() > MOST_COORDINATE:
        raise CaptureError(f"{obj.name} is further away than {MOST_COORDINATE / 1e3:,.0f} km; move it to the origin.")
    if is_flat(matrix):
        raise CaptureError(f"{obj.name} is scaled to zero; give it a scale other than 0 on every axis.")


def refuse_mesh(name: str, mesh: MeshArrays, soft: bool, graph: str, mass_by: str) -> None:
    """Refuse a mesh that cannot be solved; `graph` and `mass_by` are settings of soft bodies.

    Raises:
        CaptureError: there is nothing to solve, or coordinates are not finite or too large.
    """
    if len(mesh.vertices) == 0:
        raise CaptureError(f"{name} has no vertices; give it a mesh, or set its Flotsam type to None.")
    refuse_places(name, mesh.vertices)
    if (not soft or graph in ("SURFACE", "LATTICE")) and len(mesh.triangles) == 0:
        way_out = "add faces, or set Springs to Edges" if soft and len(mesh.edges) else "add faces"
        raise CaptureError(f"{name} has no faces; {way_out}.")
    if soft and len(mesh.edges) == 0 and graph != "RADIUS":
        raise CaptureError(f"{name} has no edges to make springs of; connect its vertices.")
    if soft and np.ptp(mesh.vertices, axis=0).max() == 0.0:
        raise CaptureError(f"{name} has all its vertices in one place; spread them out.")
    if soft and mass_by in ("AREA", "AREA_DENSITY") and not _areas(mesh).sum() > 0.0:
        raise CaptureError(f"{name} has no surface to take its mass from; set Mass From to Total, by Vertex.")
    if soft and mass_by == "DENSITY" and not _encloses(mesh):
        raise CaptureError(f"{name} encloses no volume to take its mass from; set Mass From to Area Density.")


def refuse_places(name: str, places: np.ndarray, nouns: tuple[str, str] = ("vertex", "vertices")) -> None:
    """Refuse positions (n, 3) that are not finite or too far away; nouns: for one and for several of them.

    Raises:
        CaptureError: coordinates are not finite or beyond `MOST_COORDINATE`.
    """
    finite = np.isfinite(places).all(axis=1)
    _refuse_any(name, ~finite, nouns, "without a finite position")
    far = finite & (np.abs(places) > MOST_COORDINATE).any(axis=1)
    _refuse_any(name, far, nouns, f"further away than {MOST_COORDINATE / 1e3:,.0f} km")


def _refuse_any(name: str, broken: np.ndarray, nouns: tuple[str, str], fault: str) -> None:
    """Refuse positions for which `broken` (n,) is true.

    Raises:
        CaptureError: any is broken.
    """
    found = np.flatnonzero(broken)
    if len(found):
        raise CaptureError(
            f"{name} has {_count(len(found), *nouns)} {fault}, "
            f"the first is number {found[0]}; delete or move {'it' if len(found) == 1 else 'them'}."
        )


def refuse_segments(name: str, mesh: MeshArrays, pressure_law: str) -> None:
    """Refuse a mesh without segments where the pressure law needs them.

    Raises:
        CaptureError: says how to add segments.
    """
    if pressure_law == "SEGMENT" and mesh.segments is None:
        raise CaptureError(
            f"{name} has no segments; give its vertices a whole-number attribute named {SEGMENT_ATTRIBUTE}, "
            "or set Pressure Law to Gas."
        )


def no_tear(name: str, settings: Mapping[str, Any]) -> str | None:
    """A sentence why a soft body with these settings cannot tear although Tear is on; None if it can."""
    for field, wanted, words in TO_TEAR:
        if settings[field] != wanted:
            return f"{name} has Tear on, but cannot tear as it is; set {words}, or switch Tear off."
    return None


def refuse_tear(name: str, mesh: MeshArrays, settings: Mapping[str, Any]) -> None:
    """Refuse a body with Tear that cannot tear.

    Raises:
        CaptureError: names the setting that prevents tearing, or says how to remove loose parts.
    """
    found = no_tear(name, settings)
    if found is not None:
        raise CaptureError(found)
    _refuse_loose(name, mesh)


def _refuse_loose(name: str, mesh: MeshArrays) -> None:
    """Refuse a mesh that tears and has loose parts, which its face corners do not include.

    Raises:
        CaptureError: says how to remove them.
    """
    in_face = np.zeros(len(mesh.vertices), dtype=bool)
    in_face[mesh.triangles.reshape(-1)] = True
    span = np.int64(len(mesh.vertices))
    sides = np.sort(mesh.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1).astype(np.int64)
    edges = np.sort(mesh.edges, axis=1).astype(np.int64)
    loose = ~np.isin(edges[:, 0] * span + edges[:, 1], sides[:, 0] * span + sides[:, 1])
    if not in_face.all() or loose.any():
        raise CaptureError(
            f"{name} has loose vertices or edges, which cannot tear; remove them (Mesh > Clean Up > Delete Loose), "
            "or switch Tear off."
        )


def mesh_warnings(name: str, mesh: MeshArrays, inflated: bool, pieces: bool = False) -> list[str]:
    """Warnings about a mesh that can be solved but may not behave as intended.

    Args: inflated: whether it holds air; pieces: whether it is a lattice in *Pieces*, which may touch each other.
    """
    found = []
    # `lexsort` of columns: sorting whole rows would take ten times as long, on the main thread.
    x, y, z = mesh.vertices[np.lexsort(mesh.vertices.T)].T
    doubles = int(((np.diff(x) == 0.0) & (np.diff(y) == 0.0) & (np.diff(z) == 0.0)).sum())
    if doubles and not pieces:
        found.append(
            f"{name}: {_count(doubles, 'vertex lies', 'vertices lie')} on another one; "
            "Merge by Distance joins them."
        )
    if len(mesh.triangles):
        found += _surface_warnings(name, mesh, inflated)
    return found


def object_warnings(obj: bpy.types.Object, mesh: MeshArrays, scene: bpy.types.Scene) -> list[str]:
    """Warnings about the pin group and the modifiers of a soft body."""
    found = []
    group = getattr(obj, SETTINGS).pin_group
    if group in obj.vertex_groups and len(mesh.members(group)) == 0:
        found.append(f'{obj.name}: no vertex of the group "{group}" has more than half the weight; none is pinned.')
    found += [
        f"{obj.name}: {modifier.name} before Flotsam differs between viewport and render, so the render does not play "
        "this bake; choose the levels of one of them in the Physics tab and bake again."
        for modifier in unlike_modifiers(obj, scene)
    ]
    return found


def _surface_warnings(name: str, mesh: MeshArrays, inflated: bool) -> list[str]:
    found = []
    areas = _areas(mesh)
    flat = int((areas <= 1e-12 * max(float(areas.max()), 1e-30)).sum())
    if flat:
        found.append(f"{name}: {_count(flat, 'triangle has', 'triangles have')} no area; use Degenerate Dissolve.")
    start = mesh.triangles.reshape(-1).astype(np.int64)
    end = mesh.triangles[:, [1, 2, 0]].reshape(-1)
    sides = np.minimum(start, end) * len(mesh.vertices) + np.maximum(start, end)
    _edges, faces = np.unique(sides, return_counts=True)
    crowded = int((faces > 2).sum())
    if crowded:
        outcome = "; its enclosed air cannot be told apart there" if inflated else ""
        found.append(f"{name}: {_count(crowded, 'edge has', 'edges have')} more than two faces{outcome}.")
    return found


def _areas(mesh: MeshArrays) -> np.ndarray:
    """Area of each triangle [m²], (t,) float64."""
    corners = mesh.vertices[mesh.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return 0.5 * np.linalg.norm(normals, axis=1)


def _encloses(mesh: MeshArrays) -> bool:
    """Whether a mesh encloses a volume, with openings closed by cones to the mean of its vertices."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles] - mesh.vertices.mean(axis=0), 1, 0)
    volume = abs(float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum())) / 6.0
    return volume > _LEAST_VOLUME * float(_areas(mesh).sum()) ** 1.5


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
