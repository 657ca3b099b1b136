"""The order in which contacts of rigid bodies are solved: tasks of one stage share no body; nothing else changes it."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import ColliderSpec, SpringGraphSpec, VoxelBodySpec, WorldSpec, build_world, step_frame
from flotsam.engine.solver.rigid.contact import solve_order
from flotsam.engine.world.world import World
from shapes import FLOOR, FLOOR_TRIANGLES, box, sheet

CUBE, SIDES = box(1.0, 1)


def row(count: int, at: tuple[float, float, float] = (0.0, 0.0, 0.0), name: str = "box") -> list[VoxelBodySpec]:
    """Cubes in two layers along x, the upper ones across the joints of the lower ones, slightly inside them."""
    return [
        VoxelBodySpec(
            f"{name} {k}", CUBE + at + [0.5 * k, 0.0, 0.49 + 0.98 * (k % 2)], SIDES, voxel_size=0.25, density=200.0
        )
        for k in range(count)
    ]


def world_of(*bodies: VoxelBodySpec | SpringGraphSpec, threads: int = 1) -> World:
    return build_world(WorldSpec(
        systems=(*bodies, ColliderSpec("floor", FLOOR * 30.0, FLOOR_TRIANGLES)), substeps=4, threads=threads
    ))


@pytest.mark.parametrize("beside_cloth", [False, True])
def test_every_contact_comes_once_and_tasks_share_no_body(beside_cloth: bool) -> None:
    vertices, triangles, edges = sheet((4.0, 2.0), (16, 8))
    cloth = SpringGraphSpec("cloth", vertices + [20.0, -1.0, 2.02], triangles, edges, mass=1.0, thickness=0.02)
    world = world_of(*row(90), *[cloth] * beside_cloth)
    for _ in range(3):
        step_frame(world)
    rigid = world.interactions[-1].rigid
    contact, task_start, stage_start = rigid.order.found
    assert np.array_equal(np.sort(contact[: rigid.solved]), np.arange(rigid.solved))
    assert rigid.solved > solve_order.WHOLE
    parallel = 0
    for first, stop in zip(stage_start[:-1], stage_start[1:], strict=True):
        seen: set[int] = set()
        for begin, end in zip(task_start[first:stop], task_start[first + 1 : stop + 1], strict=True):
            some = contact[begin:end]
            mine = set(rigid.columns.sides[some].ravel().tolist()) - {-1}
            mine |= {-2 for m in some if rigid.columns.normal_response[m, 3] > 0.0}
            assert not seen & mine
            seen |= mine
        parallel += int(stop - first) > 1
    assert parallel >= 3


def poses(world: World) -> tuple[np.ndarray, np.ndarray]:
    for _ in range(6):
        step_frame(world)
    return world.rigid.position[:90].copy(), world.rigid.rotation[:90].copy()


def test_t30_a_large_heap_takes_the_same_bits_beside_another_and_on_two_threads() -> None:
    """T30: bodies 60 m away change no bit of a row that is cut into slabs, nor does the number of threads."""
    alone = poses(world_of(*row(90)))
    for others in ([], row(40, (3.0, 60.0, 0.4), "other")):
        assert all(map(np.array_equal, alone, poses(world_of(*row(90), *others, threads=2))))
