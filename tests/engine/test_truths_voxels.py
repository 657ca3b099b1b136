"""T13: mass, centre and inertia of voxels converge to the closed form as voxels shrink."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine.mesh.voxel.grid import voxelize
from flotsam.engine.mesh.voxel.mass import MassProperties, mesh_mass, voxel_mass
from shapes import box, sphere, torus

DENSITY = 700.0
ROTATION = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
ROTATION *= np.linalg.det(ROTATION)
PLACE = np.array([0.3, -0.2, 0.7])


def closed_form(shape: str) -> MassProperties:
    """Inertia of a sphere of radius a: 2/5 M a²; of a box of side a: M a² / 6.

    Of a torus R, r: M (R² + 3/4 r²) about its axis, M (R² / 2 + 5/8 r²) across it.
    """
    if shape == "sphere":
        mass = DENSITY * 4.0 / 3.0 * math.pi * 0.5**3
        inertia = 0.4 * mass * 0.25 * np.eye(3)
    elif shape == "box":
        mass, inertia = DENSITY, DENSITY / 6.0 * np.eye(3)
    else:
        mass = DENSITY * 2.0 * math.pi**2 * 0.5 * 0.2**2
        across = mass * (0.5 * 0.25 + 0.625 * 0.04)
        inertia = np.diag([across, across, mass * (0.25 + 0.75 * 0.04)])
    return MassProperties(mass, PLACE, ROTATION @ inertia @ ROTATION.T)


def mesh_of(shape: str) -> tuple[np.ndarray, np.ndarray]:
    """A mesh so fine that facets remove less than a thousandth of the volume."""
    made = {"sphere": lambda: sphere(0.5, 6), "box": lambda: box(1.0, 1), "torus": lambda: torus(0.5, 0.2, 160, 80)}
    vertices, triangles = made[shape]()[:2]
    return vertices @ ROTATION.T + PLACE, triangles


@pytest.mark.parametrize("shape", ["sphere", "box", "torus"])
def test_t13_voxels_go_to_the_closed_form(shape: str, truth: Truth) -> None:
    """Within 1 % at 32 voxels across; from 8 to 32 the error falls at least fourfold, which is order 1.

    Rotated and moved, so that no face lies on the grid. The mean over three offsets of the voxel size is taken, because
    voxel counts jump, and one lucky value at 8 across would distort the order.
    """
    expected = closed_form(shape)
    vertices, triangles = mesh_of(shape)
    width = np.ptp(vertices, axis=0).max()
    errors = []
    for across in (8.0, 32.0):
        found = [
            voxel_mass(voxelize(shape, vertices, triangles, width / (across + shift)), DENSITY)
            for shift in (0.0, 0.3, 0.6)
        ]
        errors.append(np.mean([one.difference(expected) for one in found]))
    finest = found[0]
    truth("T13", f"mass of a {shape} at 32 across", finest.mass, expected.mass, 0.01)
    size = math.sqrt(np.trace(expected.inertia) / expected.mass)
    truth("T13", f"centre of a {shape}", finest.centre / size, PLACE / size, 0.01, relative=False)
    scale = np.abs(expected.inertia).max()
    truth("T13", f"inertia of a {shape}", finest.inertia / scale, expected.inertia / scale, 0.01, relative=False)
    assert errors[1] < errors[0] / 4.0 + 1e-3, f"{shape}: {errors[0]:.4f} at 8 across, {errors[1]:.4f} at 32"


@pytest.mark.parametrize("shape", ["sphere", "box", "torus"])
def test_t13_exact_integrals_of_the_mesh(shape: str, truth: Truth) -> None:
    """The reference for voxels: facets of these meshes remove less than 0.2 %."""
    expected, found = closed_form(shape), mesh_mass(*mesh_of(shape), DENSITY)
    truth("T13", f"integrals of a {shape}", found.difference(expected), 0.0, 0.003, relative=False)


def test_t13_a_single_voxel_has_its_own_inertia(truth: Truth) -> None:
    """A cube of mass m and side s: m s² / 6, from one voxel."""
    vertices, triangles = box(0.5, 1)
    found = voxel_mass(voxelize("cube", vertices, triangles, 0.5), DENSITY)
    mass = DENSITY * 0.125
    truth("T13", "mass of a voxel", found.mass, mass, 1e-9)
    truth("T13", "inertia of a voxel", np.diag(found.inertia), mass * 0.25 / 6.0, 1e-9)
