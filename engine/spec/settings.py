"""`@spec`: makes a class of fields a specification, an immutable dataclass that costs little when Blender starts."""

from __future__ import annotations

import dataclasses
from typing import Any, dataclass_transform

from .param import choice, param


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(param, choice, dataclasses.field))
def spec(cls: type) -> Any:
    """Make a specification of a class of fields, as `dataclass(frozen=True, eq=False, repr=False)` would.

    All specifications share the same methods. `dataclass` generates and compiles new ones for each class, which took a
    third of the time to enable the add-on.
    """
    made = dataclasses.dataclass(init=False, eq=False, repr=False)(cls)
    made.__init__, made.__setattr__, made.__delattr__ = _init, _refuse_to_set, _refuse_to_delete
    return made


def _init(self: Any, *given: Any, **named: Any) -> None:
    """Take each field from the positional arguments, from the keyword arguments, or from its default."""
    fields, values = dataclasses.fields(self), vars(self)
    ordered = [field.name for field in fields if not field.kw_only]
    if len(given) > len(ordered):
        raise TypeError(f"{type(self).__name__}() takes {len(ordered)} arguments in order, not {len(given)}")
    for name, value in zip(ordered, given, strict=False):
        if name in named:
            raise TypeError(f"{type(self).__name__}() got {name} twice")
        named[name] = value
    for field in fields:
        if field.name in named:
            values[field.name] = named.pop(field.name)
        elif field.default is not dataclasses.MISSING:
            values[field.name] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            values[field.name] = field.default_factory()
        else:
            raise TypeError(f"{type(self).__name__}() lacks {field.name}")
    if named:
        raise TypeError(f"{type(self).__name__}() has no field {', '.join(named)}")


def _refuse_to_set(self: Any, name: str, value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
