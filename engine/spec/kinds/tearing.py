"""`TearingSpec`: parameters of a spring surface that tears."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import TYPE_CHECKING

from ..param import param
from ..settings import spec

if TYPE_CHECKING:
    import numpy as np


@spec
class TearingSpec:
    """Part of a spec, for surfaces that open where they are stretched too far.

    Attributes:
        corners: vertex of each face corner, (c,), with triangle_corners (t, 3): faces of more than three corners do not
            tear inside; None treats every triangle as a face.
        seams: (e,), above 0 for edges along which the surface tears easily, see `unstitch`; None for none.
    """

    _: KW_ONLY
    tear: bool = param(
        False, "Tear", "Open the mesh where it is stretched beyond Break Strain; weight 0 of that protects",
        group="tearing", only_with=("graph", "SURFACE"),
    )
    tears_per_frame: int = param(
        30, "Tears a Frame", "How many vertices may split in a frame: few for leather, many for paper",
        limits=(1, 100000), soft=(1, 500), group="tearing", only_with=("graph", "SURFACE"),
    )
    smallest_piece: int = param(
        6, "Smallest Piece", "Faces that a piece has at least; smaller ones do not come off",
        limits=(1, 100000), soft=(1, 100), group="tearing", only_with=("graph", "SURFACE"),
    )
    tear_time: float = param(
        0.0, "Tear Time", "How long a stretch of twice Break Strain takes to tear; 0 tears at once",
        unit="s", limits=(0.0, 100.0), soft=(0.0, 1.0), group="tearing", only_with=("graph", "SURFACE"),
    )
    tear_smoothing: float = param(
        0.25, "Smoothing", "Share of the stretch around a vertex that counts for its own: tears run straighter",
        limits=(0.0, 1.0), group="tearing",
    )
    tear_noise: float = param(
        0.2, "Unevenness", "Share by which Break Strain differs among vertices: tears look less regular",
        limits=(0.0, 0.95), group="tearing",
    )
    tear_seed: int = param(0, "Seed", "Another number gives other tears", limits=(0, 1000000), group="tearing")
    seam_strength: float = param(
        0.3, "Seam Strength", "Break Strain along marked seams as a share of that of the surface",
        limits=(0.0, 10.0), soft=(0.0, 1.0), group="tearing", only_with=("graph", "SURFACE"),
    )
    unstitch: float = param(
        0.0, "Unstitch", "Opens all seams whose value is up to this one, whatever pulls at them; 1 opens all",
        limits=(0.0, 1.0), group="tearing", keyable=True,
    )

    corners: np.ndarray | None = None
    triangle_corners: np.ndarray | None = None
    seams: np.ndarray | None = None
