"""Makes every kernel ready by running a world of a few triangles that needs them all."""

from __future__ import annotations

import time
from collections.abc import Callable

from . import kernel_cache
from .compile_apart import compile_apart
from .controls import Controls
from .spec import ColliderSpec, Contact, SpringGraphSpec, WaterSpec, WorldSpec


def prepare_kernels(
    progress: Callable[[str], None], cache_folder: str | None, warn: Callable[[str], None],
) -> float:
    """Compile, or load from the cache; seconds it took. See `engine.prepare`."""
    started = time.perf_counter()
    kernel_cache.ask_folder(cache_folder)
    if kernel_cache.is_complete():
        progress("Loading the solver.")
    elif kernel_cache.can_keep() and compile_apart(cache_folder, progress):
        progress("Loading the solver.")
    else:
        progress("Compiling the solver for this machine; this takes about half a minute.")
    run_small_world()
    if kernel_cache.trouble() is not None:
        warn(kernel_cache.trouble())
    elif not kernel_cache.is_complete():
        kernel_cache.mark_complete()
    return time.perf_counter() - started


def run_small_world() -> None:
    """Call every kernel as larger worlds do."""
    from .build import build
    from .step import step

    world = build(_small_world())
    step(world, Controls(values={"bag": {"pressure": 120.0}}))
    world.restore(world.snapshot())


def _small_world() -> WorldSpec:
    """An open bag of air with stiff damped struts that lies in water on a floor, and a limp rag that bends above."""
    import numpy as np

    bag = np.array([
        [0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1],
    ], dtype=np.float64)
    sides = np.array([
        [0, 2, 1], [0, 3, 2], [0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7],
    ])
    floor = np.array([[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]], dtype=np.float64)
    return WorldSpec(
        systems=(
            SpringGraphSpec(
                "bag", bag, sides, rings=2, struts=1, pressure=100.0, damping=10.0, stiffness=1e5, restitution=0.5
            ),
            SpringGraphSpec("rag", bag[:4] + [0.0, 0.0, 2.0], sides[:2], stiffness=1.0, bending=0.1, yield_strain=0.5),
            ColliderSpec("floor", floor, np.array([[0, 1, 2], [0, 2, 3]])),
            WaterSpec("water", 0.5),
        ),
        interactions=(Contact(),),
        substeps=2,
    )
