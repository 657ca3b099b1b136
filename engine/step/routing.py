"""Routes a frame's controls to the behaviours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import SpecError
from ..spec.check import check_value, vector
from ..spec.param import keyable_params

if TYPE_CHECKING:
    from ..world.controls import Controls, Value
    from ..world.world import World
    from .behaviour import Behaviour

# Tables of `Controls` by system name, in addition to `values`.
TABLES = ("pins", "colliders", "water", "poses", "fields", "flocks")


def begin_frame(world: World, controls: Controls) -> None:
    """Give every system and field its own part of the controls, and set keyed values.

    Raises:
        SpecError: a control names a system that does not accept it, or has a wrong shape or value.
    """
    gravity = world.spec.gravity if controls.gravity is None else controls.gravity
    world.model.gravity[:] = vector("controls", "gravity", gravity)
    behaviours = [*world.systems, *world.fields]
    _refuse_unknown(behaviours, controls)
    for behaviour in behaviours:
        behaviour.begin_frame(world, _part(controls, behaviour))
    for name, values in controls.values.items():
        owner = next((one for one in behaviours if name in one.names()), None)
        for field, value in values.items():
            _check_keyed(owner, name, field, value)
            world.set_value(name, field, tuple(map(float, value)) if isinstance(value, Sequence) else float(value))


def _part(controls: Controls, behaviour: Behaviour) -> Controls:
    """The controls reduced to the entries for a behaviour's own systems."""
    present = [table for table in TABLES if getattr(controls, table)]
    if not present:
        return controls
    names = behaviour.names()
    return replace(controls, **{
        table: {name: value for name, value in getattr(controls, table).items() if name in names} for table in present
    })


def _refuse_unknown(behaviours: list[Behaviour], controls: Controls) -> None:
    for table in TABLES:
        for name in getattr(controls, table):
            takers = [one for one in behaviours if table in one.takes]
            known = sorted(name for one in takers for name in one.names())
            if name not in known:
                allowed = "one of " + ", ".join(known) if known else "no name, as no system takes " + table
                raise SpecError("controls", table, name, allowed)


def _check_keyed(owner: Behaviour | None, name: str, field: str, value: Value) -> None:
    spec = None if owner is None else next(one for one in owner.specs if one.name == name)
    keyable = keyable_params(type(spec)) if spec is not None else {}
    if field not in keyable:
        allowed = "a keyed value: " + ", ".join(keyable) if keyable else "nothing, as it has no keyed value"
        raise SpecError(name, field, value, allowed)
    check_value(name, field, value, keyable[field])
