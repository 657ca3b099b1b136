"""Air that bodies contain at the start."""

from __future__ import annotations

from ...errors import SpecError
from ...spec import SpringGraphSpec
from .explicit.segment_air import SegmentAir
from .tables.gas import GasTable


def fill(spec: SpringGraphSpec, body: int, gas: GasTable, segment_air: SegmentAir) -> None:
    """Fill a body with air according to its pressure law.

    Raises:
        SpecError: it has a pressure and encloses no volume.
    """
    mine = gas.body == body
    if spec.pressure_law == "SEGMENT":
        segment_air.fill(body, spec.pressure)
    elif spec.pressure != 0.0:
        if not mine.any():
            raise SpecError(spec.name, "pressure", spec.pressure, "0, because the mesh encloses no volume")
        gas.fill(mine, spec.pressure)
