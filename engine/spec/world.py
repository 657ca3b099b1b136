"""`WorldSpec`: all settings of a simulation, as one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from .effector_weights import EffectorWeights
from .param import choice, param
from .settings import spec


@spec
class WorldSpec:
    """Systems, the rules between them, and the time steps.

    Attributes:
        systems: specs of systems, each with a unique name.
        interactions: rules from `spec/rules/`; within a family the last rule that matches a pair applies.
        attachments: links between vertices of two systems, see `spec/attachment.py`.
        joints: of rigid bodies, see `spec/joint.py`.
        gravity: acceleration [m/s²], shape (3,).
        frame_rate: frames a second; one `step_frame` advances 1/frame_rate.
        effector_weights: by name of a body, its weights of fields and of gravity; a body without an entry takes all.
        seed: of all random numbers; the present systems use none.
        threads: 0 for all cores; the result does not depend on it.
    """

    systems: Sequence[Any] = ()
    interactions: Sequence[Any] = ()
    gravity: Sequence[float] = (0.0, 0.0, -9.81)
    frame_rate: float = 24.0
    substeps: int = param(
        10, "Substeps", "Steps the solver takes within one frame; more are stiffer, truer and slower",
        limits=(1, 10000), soft=(1, 100), group="quality",
    )
    spring_steps: int = param(
        0, "Spring Steps", "Steps of their own that springs and air take within each substep; 0 takes more for finer "
        "meshes, which need them to be as stiff as they should be, and for fewer substeps",
        limits=(0, 1000), soft=(0, 50), group="quality", only_with=("integrator", "XPBD"),
    )
    solving_error: float = param(
        0.0, "Solving Error", "Share of its length by which a spring may be off, on average, from where its material "
        "wants it. Frames that come out worse are solved again with more spring steps; 0 never looks",
        limits=(0.0, 1.0), soft=(0.0, 0.02), group="quality", precision=4, only_with=("integrator", "XPBD"),
    )
    integrator: str = choice(
        "XPBD", "Integrator", "How time is stepped",
        choices=(
            ("XPBD", "XPBD", "Position based with compliance: stable at any stiffness"),
            ("SYMPLECTIC", "Symplectic", "All forces explicit: keeps energy, needs short steps for stiff springs"),
        ),
        group="quality",
    )
    most_substeps: int = param(
        1000, "Most Substeps", "How many substeps a frame may get when stiff springs need more than were asked for",
        limits=(1, 100000), soft=(1, 10000), group="quality", only_with=("integrator", "SYMPLECTIC"),
    )
    precision: str = choice(
        "AUTO", "Precision", "Digits the solver works with",
        choices=(
            ("AUTO", "Automatic", "The one that measurement favours, now single"),
            ("SINGLE", "Single", "Inner steps of springs and air in 32 bits, the rest in 64; several times faster"),
            ("DOUBLE", "Double", "64 bits a number"),
        ),
        group="quality",
    )
    seed: int = 0
    threads: int = 0
    attachments: Sequence[Any] = ()
    joints: Sequence[Any] = ()
    effector_weights: Mapping[str, EffectorWeights] = field(default_factory=dict)
