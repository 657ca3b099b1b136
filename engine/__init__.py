"""Public interface of the engine. It imports no Blender, and no numba until a world is built.

    world = build_world(WorldSpec(systems=(...)))
    frame = step_frame(world)

Each function imports its implementation on its first call, so Blender can read the specs at start without that cost.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .build.kernel_sets import kernels_ahead, kernels_of, kernels_to_begin
from .errors import Diverged, EngineError, SpecError
from .spec import (
    Adhesion,
    AirSpec,
    Attachment,
    Charge,
    ColliderSpec,
    Contact,
    Drag,
    EffectorWeights,
    Flee,
    FlockSpec,
    FluidSpec,
    Follow,
    ForceFieldSpec,
    Ignore,
    Joint,
    PowerRepulsion,
    Seek,
    SpringDashpot,
    SpringGraphSpec,
    VoxelBodySpec,
    WaterSpec,
    WorldSpec,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from .systems.spring_graph.links import BodySprings
    from .world.controls import Controls, FieldControl, FlockControl, Grab, HeightField
    from .world.frame import Frame
    from .world.world import World

__all__ = [
    "Adhesion", "AirSpec", "Attachment", "Charge", "ColliderSpec", "Contact", "Controls", "Diverged", "Drag",
    "EffectorWeights", "EngineError", "FieldControl", "Flee", "FlockControl", "FlockSpec", "FluidSpec", "Follow",
    "ForceFieldSpec", "Frame", "Grab", "HeightField", "Ignore", "Joint", "PowerRepulsion", "Seek", "SpecError",
    "SpringDashpot", "SpringGraphSpec", "VoxelBodySpec", "WaterSpec", "WorldSpec", "build_world", "change_world",
    "compile_ahead", "end_threads", "field_at", "frame_now", "is_compiled", "kernels_ahead", "kernels_of",
    "kernels_to_begin", "prepare", "prepare_to_begin", "springs_of", "step_frame",
]

# Modules within the engine: the worlds that need every kernel, and functions that compare kernels with their twins.
_SMALL_WORLDS = "build.small_worlds"
_CHECKS = {"compiler.threads.self_check": "loops_agree", "solver.vector.self_check": "vectors_agree"}


def __getattr__(name: str) -> type:
    """Import a name that only a running world needs when it is first used, which keeps it out of Blender's start."""
    if name in ("Controls", "FieldControl", "FlockControl", "Grab", "HeightField"):
        from .world import controls

        return getattr(controls, name)
    if name == "Frame":
        from .world.frame import Frame

        return Frame
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def build_world(spec: WorldSpec) -> World:
    """Check a spec and lay out its arrays.

    Raises:
        SpecError: a value is not allowed; the error names system, field, value and the allowed values.
    """
    from .build.build import build

    return build(spec)


def change_world(world: World, spec: WorldSpec) -> World:
    """Build a world from another spec that continues from the state of `world`, which stays unchanged.

    Raises:
        SpecError: as `build_world`.
    """
    from .build.transfer_state import transfer_state

    return transfer_state(world, spec)


def step_frame(world: World, controls: Controls | None = None) -> Frame:
    """Advance a world by 1/frame_rate.

    Raises:
        Diverged: a position or a velocity is not finite.
        SpecError: a control has the wrong shape or names an unknown system.
    """
    from .step.advance import step
    from .world.controls import Controls

    return step(world, controls or Controls())


def frame_now(world: World) -> Frame:
    """A frame of a world's current state, also before its first step; its number is that of frames stepped so far."""
    from .step.advance import frame_now as found

    return found(world)


def springs_of(spec: SpringGraphSpec) -> BodySprings:
    """The springs that a world would create for a body, for display; only struts need compiled kernels.

    Raises:
        SpecError: as `build_world`.
    """
    from .systems.spring_graph.links import springs_of as found

    return found(spec)


def field_at(fields: Sequence[ForceFieldSpec], places: np.ndarray) -> np.ndarray:
    """Acceleration of 1 kg at rest by force fields at places (n, 3) [m]: (n, 3) [m/s²], for drawing.

    Raises:
        SpecError: a field has a value that is not allowed.
    """
    from .build.field_at import field_at as found

    return found(fields, places)


def prepare_to_begin(
    spec: WorldSpec, progress: Callable[[str], None], cache_folder: str | None, warn: Callable[[str], None],
    before_missing: Callable[[], None],
) -> tuple[str, ...]:
    """Compile or load the kernels with which a world can begin; returns the sets that it may need later.

    When the calling thread first calls a kernel of those sets, it compiles them in other processes and waits. The
    results have the same bits, whatever is compiled at which time.

    Args:
        spec: of the world.
        progress, cache_folder, warn: as in `prepare`; progress is called during that wait too.
        before_missing: called before such a wait.
    """
    from .compiler.missing import when_missing
    from .compiler.precompile.precompile import check_and_find_mode

    when_missing(None)
    all_sets, (first, more) = kernels_of(spec), kernels_to_begin(spec)
    if (
        first == all_sets or check_and_find_mode(_CHECKS, progress, cache_folder) or is_compiled(cache_folder, all_sets)
    ):
        prepare(progress, cache_folder, warn, all_sets)
        return ()
    prepare(progress, cache_folder, warn, first)
    # Rigid bodies first: a world without soft bodies needs few kernels of the others.
    later = [kernels for kernels in (*more, *reversed(all_sets)) if not is_compiled(cache_folder, [kernels])]

    def compile_more() -> bool:
        before_missing()
        return compile_ahead(report_more, cache_folder, [later.pop(0)], idle=False) and bool(later)

    def report_more(sentence: str) -> None:
        progress(f"This scene needs more of the solver now. {sentence}")

    when_missing(compile_more)
    return (*more, *all_sets)


def prepare(
    progress: Callable[[str], None] | None = None,
    cache_folder: str | None = None,
    warn: Callable[[str], None] | None = None,
    kernels: Sequence[str] = ("XPBD",),
) -> float:
    """Compile sets of kernels, or load them; returns the seconds it took.

    Args:
        progress: called with one sentence before work that takes long, and repeatedly during it; an exception from
            it ends the work.
        cache_folder: folder of compiled kernels; None for the platform's cache folder.
        warn: called with one sentence when compiled kernels cannot be kept, and with one when plain kernels are used
            (`compiler.mode`).
        kernels: names of sets, see `kernels_of`.
    """
    from .compiler.precompile.precompile import prepare_kernels

    return prepare_kernels(kernels, _SMALL_WORLDS, _CHECKS, progress or _ignore, cache_folder, warn or _ignore)


def compile_ahead(
    progress: Callable[[str], None], cache_folder: str | None = None, kernels: Sequence[str] = ("XPBD",),
    idle: bool = True,
) -> bool:
    """Compile in other processes what `prepare` would compile; returns whether all of it exists. Loads no kernel.

    Args:
        progress: called with a sentence ten times a second; an exception from it ends the work.
        cache_folder, kernels: as in `prepare`.
        idle: whether to compile at the lowest priority and with half of the cores.
    """
    from .compiler.precompile.precompile import compile_ahead as ahead

    return ahead(kernels, _SMALL_WORLDS, _CHECKS, progress, cache_folder, idle)


def is_compiled(cache_folder: str | None = None, kernels: Sequence[str] = ("XPBD",)) -> bool:
    """Whether `prepare` would compile nothing; cheap, but too slow for every redraw."""
    from .compiler import kernel_cache

    kernel_cache.ask_folder(cache_folder)
    return all(kernel_cache.is_complete(each) for each in kernels)


def end_threads() -> None:
    """Stop the worker threads, if there are any; the next frame starts them again."""
    kernels = sys.modules.get(f"{__name__}.compiler.kernels")
    if kernels is not None:
        kernels.end_threads()


def _ignore(_sentence: str) -> None:
    """Ignore a sentence that the caller does not want."""
