"""The door of the engine. No Blender in here, and no numba until a world is built.

    world = build_world(WorldSpec(systems=(...)))
    frame = step_frame(world)

The functions import their work on first call, so that Blender may read the specs at start for free.
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
    from .world.controls import Controls, FieldControl, FlockControl, Grab
    from .world.frame import Frame
    from .world.world import World

__all__ = [
    "Adhesion", "AirSpec", "Attachment", "Charge", "ColliderSpec", "Contact", "Controls", "Diverged", "Drag",
    "EffectorWeights", "EngineError", "FieldControl", "Flee", "FlockControl", "FlockSpec", "FluidSpec", "Follow",
    "ForceFieldSpec", "Frame", "Grab", "Ignore", "Joint", "PowerRepulsion", "Seek", "SpecError", "SpringDashpot",
    "SpringGraphSpec", "VoxelBodySpec", "WaterSpec", "WorldSpec", "build_world", "change_world", "compile_ahead",
    "end_threads", "field_at", "frame_now", "is_compiled", "kernels_ahead", "kernels_of", "kernels_to_begin",
    "prepare", "prepare_to_begin", "springs_of", "step_frame",
]

# Modules within the engine: the worlds that need every kernel, and functions that compare kernels with their twins.
_SMALL_WORLDS = "build.small_worlds"
_CHECKS = {"compiler.threads.self_check": "loops_agree", "solver.vector.self_check": "vectors_agree"}


def __getattr__(name: str) -> type:
    """What only a running world needs is imported when it is first asked for: Blender's start does without."""
    if name in ("Controls", "FieldControl", "FlockControl", "Grab"):
        from .world import controls

        return getattr(controls, name)
    if name == "Frame":
        from .world.frame import Frame

        return Frame
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def build_world(spec: WorldSpec) -> World:
    """Check a spec and lay out its arrays.

    Raises:
        SpecError: a value is not allowed; it names system, field, value and what is.
    """
    from .build.build import build

    return build(spec)


def change_world(world: World, spec: WorldSpec) -> World:
    """A world of another spec that goes on from where this one stands; this one is untouched.

    Raises:
        SpecError: as `build_world`.
    """
    from .build.transfer_state import transfer_state

    return transfer_state(world, spec)


def step_frame(world: World, controls: Controls | None = None) -> Frame:
    """Advance a world by 1/frame_rate.

    Raises:
        Diverged: a particle left the finite numbers.
        SpecError: a control has the wrong shape or names an unknown system.
    """
    from .step.advance import step
    from .world.controls import Controls

    return step(world, controls or Controls())


def frame_now(world: World) -> Frame:
    """What a world shows as it stands, also before its first step: the frame with the number of frames so far."""
    from .step.advance import frame_now as found

    return found(world)


def springs_of(spec: SpringGraphSpec) -> BodySprings:
    """The springs that a world would give a body, for a look at it; compiled kernels are needed only for struts.

    Raises:
        SpecError: as `build_world`.
    """
    from .systems.spring_graph.links import springs_of as found

    return found(spec)


def field_at(fields: Sequence[ForceFieldSpec], places: np.ndarray) -> np.ndarray:
    """Acceleration [m/s²] that force fields give a kilogram at rest at places (n, 3) [m], (n, 3), for a picture of it.

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

    When the calling thread meets the first kernel of those sets, it compiles them in other processes and waits. The
    results have the same bits whatever is compiled when.

    Args:
        spec: of the world.
        progress, cache_folder, warn: as in `prepare`; progress is called during that wait too.
        before_missing: called before such a wait.
    """
    from .compiler.missing import when_missing
    from .compiler.precompile.precompile import check_and_find_mode

    when_missing(None)
    every, (first, more) = kernels_of(spec), kernels_to_begin(spec)
    if (
        first == every or check_and_find_mode(_CHECKS, progress, cache_folder) or is_compiled(cache_folder, every)
    ):
        prepare(progress, cache_folder, warn, every)
        return ()
    prepare(progress, cache_folder, warn, first)
    # Rigid bodies first: a world without soft bodies needs few kernels of the others.
    later = [kernels for kernels in (*more, *reversed(every)) if not is_compiled(cache_folder, [kernels])]

    def compile_more() -> bool:
        before_missing()
        return compile_ahead(say_more, cache_folder, [later.pop(0)], idle=False) and bool(later)

    def say_more(sentence: str) -> None:
        progress(f"This scene needs more of the solver now. {sentence}")

    when_missing(compile_more)
    return (*more, *every)


def prepare(
    progress: Callable[[str], None] | None = None,
    cache_folder: str | None = None,
    warn: Callable[[str], None] | None = None,
    kernels: Sequence[str] = ("XPBD",),
) -> float:
    """Compile sets of kernels, or load them; returns the seconds it took.

    Args:
        progress: called with one sentence before work that takes long, and again and again during it; what it
            raises ends the work.
        cache_folder: where compiled kernels lie; None for the platform's cache folder.
        warn: called with one sentence when compiled kernels cannot be kept, and with one when plain kernels are used
            (`compiler.mode`).
        kernels: names of sets, see `kernels_of`.
    """
    from .compiler.precompile.precompile import prepare_kernels

    return prepare_kernels(kernels, _SMALL_WORLDS, _CHECKS, progress or _nobody, cache_folder, warn or _nobody)


def compile_ahead(
    progress: Callable[[str], None], cache_folder: str | None = None, kernels: Sequence[str] = ("XPBD",),
    idle: bool = True,
) -> bool:
    """Compile in processes of their own what `prepare` would; returns whether all is there. It loads no kernel.

    Args:
        progress: called with a sentence ten times a second; what it raises ends the work.
        cache_folder, kernels: as in `prepare`.
        idle: whether to compile at the lowest priority and with half of the cores.
    """
    from .compiler.precompile.precompile import compile_ahead as ahead

    return ahead(kernels, _SMALL_WORLDS, _CHECKS, progress, cache_folder, idle)


def is_compiled(cache_folder: str | None = None, kernels: Sequence[str] = ("XPBD",)) -> bool:
    """Whether `prepare` would compile nothing; cheap, but not for every redraw."""
    from .compiler import kernel_cache

    kernel_cache.ask_folder(cache_folder)
    return all(kernel_cache.is_complete(each) for each in kernels)


def end_threads() -> None:
    """End the threads that help with frames, if there are any; the next frame starts them anew."""
    kernels = sys.modules.get(f"{__name__}.compiler.kernels")
    if kernels is not None:
        kernels.end_threads()


def _nobody(_sentence: str) -> None:
    """Ignore a sentence that the caller does not want."""
