"""T1, T11, T12: free rigid bodies."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Truth
from flotsam.engine import VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.world.world import World
from shapes import box, torus

# Three different moments of inertia.
SLAB = np.array([1.0, 0.6, 0.25])


def slab(name: str = "slab", place: tuple[float, float, float] = (0.0, 0.0, 0.0), **settings: object) -> VoxelBodySpec:
    vertices, triangles = box(1.0, 1)
    return VoxelBodySpec(name, vertices * SLAB + place, triangles, **settings)


def rotational_energy(world: World) -> float:
    """Rotational energy L . omega / 2 from the world's own arrays, in plain numpy [J]."""
    rigid = world.rigid
    w, x, y, z = rigid.rotation[0]
    axes = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])
    along = axes.T @ rigid.angular_momentum[0]
    return float((0.5 * along**2 / rigid.inertia[0]).sum())


@pytest.mark.parametrize("integrator", ["XPBD", "SYMPLECTIC"])
@pytest.mark.parametrize("origin", [0.0, 1000.0])
def test_t1_free_fall_of_a_body(origin: float, integrator: str, truth: Truth) -> None:
    """z = z0 - g t²/2 and the scheme's own -g h t/2, while rotating: within 1e-9; at 1 km within rounding."""
    spec = slab(place=(origin, origin, origin), angular_velocity=(1.0, 2.0, 3.0), velocity=(0.5, 0.0, 0.0))
    world = build_world(WorldSpec(systems=(spec,), integrator=integrator))
    for _ in range(48):
        frame = step_frame(world)
    t, h = 2.0, 1.0 / 240.0
    centre = world.positions("slab").mean(axis=0)
    expected = np.array([origin + 0.5 * t, origin, origin - 9.81 * t * t / 2.0 - 9.81 * h * t / 2.0])
    # 480 sums at 1 km, each rounded by 1e-13 m.
    allowed = 1e-9 if origin == 0.0 else 2e-9
    truth("T1", f"free fall of a body at {origin:.0f} m, {integrator}", centre, expected, allowed, relative=False)
    pose = frame.transforms["slab"]
    assert pose.dtype == np.float64 and pose.shape == (4, 4)
    np.testing.assert_allclose(spec.vertices @ pose[:3, :3].T + pose[:3, 3], world.positions("slab"), atol=1e-9)


def test_t11_a_free_body_keeps_its_momenta(truth: Truth) -> None:
    """Without forces m v and L are conserved; computed from the particles' positions and velocities, of equal mass."""
    spec = slab(velocity=(0.3, -0.2, 0.1), angular_velocity=(3.0, 5.0, -2.0))
    world = build_world(WorldSpec(systems=(spec,), gravity=(0.0, 0.0, 0.0)))
    angular_momentum, velocity = world.rigid.angular_momentum[0].copy(), world.velocities("slab").mean(axis=0)
    for _ in range(48):
        step_frame(world)
        velocity = world.velocities("slab").mean(axis=0)
    truth("T11", "momentum of a free body", velocity, [0.3, -0.2, 0.1], 1e-9)
    truth("T11", "angular momentum of a free body", world.rigid.angular_momentum[0], angular_momentum, 1e-9)


@pytest.mark.parametrize("substeps", [5, 10])
def test_t12_tumbling_keeps_angular_momentum_and_energy(substeps: int, truth: Truth) -> None:
    """Free rotation of an asymmetric body: |L| and L . omega / 2 are conserved. Tolerance 1 % over 10 s.

    The implicit midpoint rule conserves L within rounding and is time reversible, so the energy errs by about
    (h omega)² / 3 and does not drift: at 8 rad/s and 120 substeps a second 5e-4.
    """
    world = build_world(WorldSpec(
        systems=(slab(angular_velocity=(4.0, 6.0, 3.0)),), gravity=(0.0, 0.0, 0.0), substeps=substeps,
    ))
    angular_momentum, energy = world.rigid.angular_momentum[0].copy(), rotational_energy(world)
    worst = 0.0
    for _ in range(240):
        step_frame(world)
        worst = max(worst, abs(rotational_energy(world) / energy - 1.0))
    truth(
        "T12", f"angular momentum over 10 s, {substeps} substeps", world.rigid.angular_momentum[0], angular_momentum,
        1e-12
    )
    truth("T12", f"energy over 10 s, {substeps} substeps", worst, 0.0, 1e-3, relative=False)


def test_t12_the_flip_about_the_middle_axis(truth: Truth) -> None:
    """Spun about its middle axis with a small error, a body flips over and back; about the other axes it does not.

    Near the middle axis errors grow as exp(s t), s = omega sqrt((I2 - I1) (I3 - I2) / (I1 I3)). The times of the flips
    are compared to Euler's equations, solved by Runge-Kutta in steps of a tenth: within two frames of the 49 and 145
    after which they happen.
    """
    initial_omega = np.array([0.01, 6.0, 0.02])
    world = build_world(WorldSpec(
        systems=(slab(angular_velocity=tuple(initial_omega)),), gravity=(0.0, 0.0, 0.0),
    ))
    inertia = world.rigid.inertia[0]
    middle = [step_frame(world).transforms["slab"][1, 1] for _ in range(240)]
    flip_times = np.flatnonzero(np.diff(np.sign(middle)) != 0) / 24.0
    rate = initial_omega.copy()
    # Principal axes are sorted by moment, and those of the slab lie along x, y, z in exactly that order.
    expected, axes, h = [], np.eye(3), 1.0 / 2400.0

    def change(state: np.ndarray) -> np.ndarray:
        omega, rotation = state[:3], state[3:].reshape(3, 3)
        alpha = np.cross(inertia * omega, omega) / inertia
        cross = np.array([[0, -omega[2], omega[1]], [omega[2], 0, -omega[0]], [-omega[1], omega[0], 0]])
        return np.concatenate([alpha, (rotation @ cross).reshape(-1)])

    state = np.concatenate([rate, axes.reshape(-1)])
    for step in range(24000):
        k1 = change(state)
        k2 = change(state + 0.5 * h * k1)
        k3 = change(state + 0.5 * h * k2)
        state = state + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + change(state + h * k3))
        if (step + 1) % 100 == 0:
            expected.append(state[7])
    flips = np.flatnonzero(np.diff(np.sign(expected)) != 0) / 24.0
    assert len(flips) == 2 and min(expected) < -0.99
    truth("T12", "over and back again [s]", flip_times, flips, 2.0 / 24.0, relative=False)
    for axis in (0, 2):
        steady = np.full(3, 0.02)
        steady[axis] = 6.0
        world = build_world(WorldSpec(systems=(slab(angular_velocity=tuple(steady)),), gravity=(0.0, 0.0, 0.0)))
        along = [step_frame(world).transforms["slab"][axis, axis] for _ in range(240)]
        assert min(along) > 0.99


def test_a_snapshot_brings_back_the_same_bits() -> None:
    vertices, triangles, _edges = torus(0.5, 0.2, 20, 10)
    spec = VoxelBodySpec("ring", vertices, triangles, velocity=(1.0, 0.0, 0.0), angular_velocity=(1.0, 2.0, 3.0))
    world = build_world(WorldSpec(systems=(spec,)))
    step_frame(world)
    saved = world.snapshot()
    first = [step_frame(world).transforms["ring"] for _ in range(5)][-1]
    world.restore(saved)
    assert [step_frame(world).transforms["ring"] for _ in range(5)][-1].tobytes() == first.tobytes()


def test_bodies_of_one_mesh_are_voxelized_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All have the mass of one, whatever their rotation and position."""
    from flotsam.engine.systems import voxel_body

    voxelized: list[str] = []
    real = voxel_body.voxelize
    monkeypatch.setattr(voxel_body, "voxelize", lambda name, *rest: (voxelized.append(name), real(name, *rest))[1])
    vertices, triangles = box(1.0, 1)
    pose = np.array([[0.0, -1.0, 0.0, 3.0], [1.0, 0.0, 0.0, 2.0], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0]])
    world = build_world(WorldSpec(systems=(
        VoxelBodySpec("one", vertices * SLAB, triangles), VoxelBodySpec("two", vertices * SLAB, triangles, pose=pose),
        VoxelBodySpec("other", vertices, triangles, density=100.0),
    )))
    assert voxelized == ["one", "other"]
    assert world.mass("one") == pytest.approx(75.0, rel=1e-3)
    assert world.mass("one") == pytest.approx(world.mass("two"), rel=1e-12)
    np.testing.assert_allclose(world.positions("two"), vertices * SLAB @ pose[:3, :3].T + pose[:3, 3])
    np.testing.assert_allclose(step_frame(world).transforms["two"][:3, :3], pose[:3, :3], atol=1e-12)
