"""Voxels of closed and open meshes: inside tests, refused settings, and independence of threads."""

from __future__ import annotations

import time

import numpy as np
import pytest
from flotsam.engine import SpecError
from flotsam.engine.compiler import kernels as jit
from flotsam.engine.mesh.voxel.grid import Voxels, is_closed, voxelize
from flotsam.engine.mesh.voxel.mass import voxel_mass
from shapes import box, sphere, torus, volume


def solid_angles(vertices: np.ndarray, triangles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Winding numbers of a few points by the full sum (Van Oosterom and Strackee 1983): the reference."""
    a, b, c = (vertices[triangles[:, k]][None] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(side, axis=-1) for side in (a, b, c))
    above = np.einsum("ijk,ijk->ij", a, np.cross(b, c))
    below = la * lb * lc
    for p, q, length in ((a, b, lc), (b, c, la), (c, a, lb)):
        below = below + np.einsum("ijk,ijk->ij", p, q) * length
    return np.arctan2(above, below).sum(axis=1) / (2.0 * np.pi)


def with_hole(vertices: np.ndarray, triangles: np.ndarray, above: float) -> np.ndarray:
    """The triangles of a mesh without those entirely above a height [m]."""
    return triangles[(vertices[triangles][:, :, 2] < above).any(axis=1)]


@pytest.mark.parametrize("inside", ["PARITY", "WINDING"])
def test_both_ways_find_who_is_inside(inside: str) -> None:
    """For a sphere, all voxels whose centre is inside; only centres nearer to it than its facets may differ."""
    vertices, triangles = sphere(0.5, 4)
    voxels = voxelize("ball", vertices, triangles, 1.0 / 24.0, inside=inside)
    middle = voxels.corner + voxels.size * (np.indices(voxels.full.shape).reshape(3, -1).T + 0.5)
    distance = np.linalg.norm(middle, axis=1)
    clear = np.abs(distance - 0.5) > 0.004
    assert (voxels.full.reshape(-1) == (distance < 0.5))[clear].all()


def test_winding_numbers_are_those_of_the_whole_sum() -> None:
    """Distant patches count as dipoles; that never moves a number across one half unless it is within a twentieth."""
    vertices, triangles, _edges = torus(0.5, 0.2, 40, 20)
    triangles = with_hole(vertices, triangles, 0.15)
    assert not is_closed(triangles)
    voxels = voxelize("ring", vertices, triangles, 0.05)
    middle = voxels.corner + voxels.size * (np.indices(voxels.full.shape).reshape(3, -1).T + 0.5)
    number = solid_angles(vertices, triangles, middle)
    clear = np.abs(np.abs(number) - 0.5) > 0.05
    assert (voxels.full.reshape(-1) == (np.abs(number) > 0.5))[clear].all()
    assert clear.mean() > 0.9


@pytest.mark.parametrize("inside", ["AUTO", "PARITY"])
def test_nothing_leaks_through_a_hole(inside: str) -> None:
    """A sphere without its cap of 20° has its volume within 2 % at 64 voxels across, with both tests."""
    vertices, triangles = sphere(0.5, 5)
    holed = with_hole(vertices, triangles, 0.47)
    assert len(holed) < len(triangles) and not is_closed(holed)
    voxels = voxelize("ball", vertices, holed, 1.0 / 64.0, inside=inside)
    assert voxel_mass(voxels, 1.0).mass == pytest.approx(volume(vertices, triangles), rel=0.02)


def test_a_box_that_lies_on_the_grid_is_exact() -> None:
    """Faces between voxels, edges along column centres: nothing is counted twice or missed."""
    vertices, triangles = box(1.0, 4)
    for across in (4, 5, 8):
        voxels = voxelize("box", vertices, triangles, 1.0 / across)
        assert voxels.count == across**3
        assert voxels.share.sum() == pytest.approx(across**3)


def test_shell_and_surface() -> None:
    """Ten voxels across, the outermost ones cut by the faces."""
    vertices, triangles = box(0.93, 2)
    solid, shell, surface = (voxelize("box", vertices, triangles, 0.1, fill) for fill in ("SOLID", "SHELL", "SURFACE"))
    assert (solid.count, shell.count, surface.count) == (1000, 1000 - 512, 1000 - 512)
    sheet = np.array([[0.0, 0.0, 0.03], [1.0, 0.0, 0.03], [1.0, 1.0, 0.03], [0.0, 1.0, 0.03]])
    flat = voxelize("sheet", sheet, np.array([[0, 1, 2], [0, 2, 3]]), 0.1, "SURFACE")
    assert np.unique(np.argwhere(flat.full)[:, 2]).size == 1 and flat.count >= 100


@pytest.mark.parametrize("fill", ["SOLID", "SURFACE"])
@pytest.mark.parametrize("inside", ["PARITY", "WINDING"])
def test_threads_change_no_bit(fill: str, inside: str) -> None:
    vertices, triangles, _edges = torus(0.5, 0.2, 40, 20)
    found: list[Voxels] = []
    for threads in (1, 2):
        with jit.threads(threads):
            found.append(voxelize("ring", vertices, triangles, 0.03, fill, inside))
    assert np.array_equal(found[0].full, found[1].full)
    assert found[0].share.tobytes() == found[1].share.tobytes()


def test_too_many_voxels_are_refused_with_their_memory() -> None:
    vertices, triangles = box(1.0, 1)
    said = r"crate.*voxel_size.*0\.001 m.*1,006,012,008 voxels.*20\.1 GB.*0\.0038 m or more"
    with pytest.raises(SpecError, match=said):
        voxelize("crate", vertices, triangles, 0.001)


def test_a_mesh_that_falls_through_its_voxels_is_refused() -> None:
    sheet = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    with pytest.raises(SpecError, match="no voxel lies in the mesh"):
        voxelize("sheet", sheet, np.array([[0, 1, 2]]), 0.1)


@pytest.mark.alone
def test_a_million_voxels_of_a_fine_mesh_take_less_than_two_seconds() -> None:
    """The mesh has the triangles of a dense scan, 70,752 of them."""
    vertices, triangles, _edges = torus(0.5, 0.2, 264, 134)
    assert len(triangles) > 70_000
    voxelize("ring", vertices, triangles, 0.1)
    started = time.perf_counter()
    voxels = voxelize("ring", vertices, triangles, 1.4 / 148.0)
    seconds = time.perf_counter() - started
    assert voxels.full.size > 1_000_000
    assert seconds < 2.0
    kept = voxels.full.nbytes + voxels.share.nbytes
    assert kept / voxels.count < 200.0
