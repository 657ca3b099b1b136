"""`param()`: a spec field that carries its unit, limits, label and tip.

One declaration feeds everything: the check in `check.py`, the Blender property, its panel row, its
preset key and its row in the documentation. This module and the specs import neither numpy nor numba,
so Blender can build its properties from them at start without paying for the solver.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Param(NamedTuple):
    """How one parameter is shown and checked.

    Attributes:
        default: value if the artist sets none.
        unit: SI unit in words, such as "N/m"; "" for a plain number.
        limits: hard (lowest, highest), None for open; a value outside raises SpecError.
        soft: range of the slider; the hard limits when None.
        label: name in the panel.
        tip: tooltip, one or two sentences without a final stop.
        choices: ((value, label, tip), ...) for an enumeration, else ().
        group: its heading, a key of GROUPS in `groups.py`.
        keyable: may change from frame to frame through `Controls.values`.
        positive: zero is refused.
        precision: digits after the point in the panel.
        only_with: (field, value, …) of a choice in the same spec: with other values it has no effect; None for always.
        weighted: `weights[field]` of the spec may scale it for each vertex, by 0 to 1.
        when_given: with None as default, start value of the slider when the artist sets a value.
    """

    default: Any
    unit: str
    limits: tuple[float | None, float | None]
    soft: tuple[float | None, float | None] | None
    label: str
    tip: str
    choices: tuple[tuple[str, str, str], ...] = ()
    group: str = "body"
    keyable: bool = False
    positive: bool = False
    precision: int = 3
    only_with: tuple[str | bool, ...] | None = None
    weighted: bool = False
    when_given: float | None = None


class Unset(NamedTuple):
    """No value as default; the slider starts at `start` when the artist sets a value."""

    start: float


def param(
    default: Any,
    label: str,
    tip: str,
    *,
    unit: str = "",
    limits: tuple[float | None, float | None] = (None, None),
    soft: tuple[float | None, float | None] | None = None,
    group: str = "body",
    keyable: bool = False,
    positive: bool = False,
    precision: int = 3,
    only_with: tuple[str | bool, ...] | None = None,
    weighted: bool = False,
) -> Any:
    """Declare an artist's parameter as a dataclass field; the arguments are those of `Param`.

    A default of `Unset` is stored as None, with the start of its slider as `when_given`.
    """
    start = default.start if isinstance(default, Unset) else None
    default = None if isinstance(default, Unset) else default
    return _declared(Param(
        default, unit, limits, soft, label, tip, (), group, keyable, positive, precision, only_with, weighted, start,
    ))


def choice(
    default: str,
    label: str,
    tip: str,
    *,
    choices: tuple[tuple[str, str, str], ...],
    group: str = "body",
    only_with: tuple[str | bool, ...] | None = None,
) -> Any:
    """Declare an enumeration as a dataclass field; the arguments are those of `Param`."""
    return _declared(Param(default, "", (None, None), None, label, tip, choices, group, only_with=only_with))


def _declared(described: Param) -> Any:
    return dataclasses.field(default=described.default, metadata={"param": described})


@functools.cache
def params_of(spec_class: type) -> Mapping[str, Param]:
    """All parameters of a spec class by field name, in the order they were declared."""
    return MappingProxyType({
        field.name: field.metadata["param"]
        for field in dataclasses.fields(spec_class)
        if "param" in field.metadata
    })


@functools.cache
def weighted_params(spec_class: type) -> Mapping[str, Param]:
    """Parameters of a spec class that vertices may scale, by field name."""
    return MappingProxyType({name: declared for name, declared in params_of(spec_class).items() if declared.weighted})


def uses_mesh(spec_class: type, values: Any) -> bool:
    """Whether a spec class takes an object's mesh with these values of its parameters, attributes of any object."""
    setting = getattr(spec_class, "mesh_with", None)
    return spec_class.geometry == "MESH" or (setting is not None and getattr(values, setting[0]) == setting[1])


def keyable_params(spec_class: type) -> dict[str, Param]:
    """Parameters of a spec class that may be keyed, by field name."""
    return {name: declared for name, declared in params_of(spec_class).items() if declared.keyable}
