"""Which sets of kernels a world needs, and in which order; see `small_worlds`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..spec import WorldSpec

# Additional set of XPBD worlds with water.
_IN_WATER = ("SOFT_IN_WATER",)
# A world may begin with parts of these, see `alone.ALONE`; any other set is needed from the first frame on.
_IN_PARTS = ("XPBD", *_IN_WATER, "RIGID")


def kernels_of(spec: WorldSpec) -> tuple[str, ...]:
    """Sets of kernels that a world needs, for `prepare`: those of its integrator and of each kind in it."""
    weighted = ("FIELDS",) if spec.effector_weights else ()
    own = (name for system in spec.systems for name in _own_kernels(type(system), system))
    is_wet = spec.integrator == "XPBD" and any(system.traits.lifts for system in spec.systems)
    return tuple(dict.fromkeys([str(spec.integrator), *_IN_WATER * is_wet, *own, *weighted]))


def kernels_ahead(things: Iterable[tuple[type, Any]]) -> tuple[str, ...]:
    """The sets of kernels that XPBD worlds with these systems need, in the order of need.

    Args: things: class in `spec.kinds` and values of the fields of each system; None for all values.
    """
    things = tuple(things)
    kinds = [kind for kind, _values in things]
    own = tuple(dict.fromkeys(name for kind, values in things for name in _own_kernels(kind, values)))
    first, wet = _first_sets(kinds), _IN_WATER * any(kind.traits.lifts for kind in kinds)
    return tuple(dict.fromkeys([*_with_own(first, own), *first[1:], "XPBD", *wet, *own]))


def _own_kernels(kind: type, values: Any) -> tuple[str, ...]:
    """The sets of kernels of a kind, and those for its values; with None those for all values."""
    rare = getattr(kind, "rare_kernels", ())
    return (*getattr(kind, "kernels", ()), *(kind.kernels_with(values) if rare and values is not None else rare))


def _with_own(first: Sequence[str], own: Iterable[str]) -> tuple[str, ...]:
    """The first of the `first` sets, if any, and those of `own` that are needed from the first frame on."""
    own = tuple(name for name in own if name not in _IN_PARTS)
    # Springs together with cells need other kernels than springs alone.
    return own if "SOFT_ALONE" in first and "LATTICES" in own else (*first[:1], *own)


def _first_sets(kinds: Iterable[type]) -> tuple[str, ...]:
    """The sets of kernels that bodies of these classes need at first, in the order of need; see `build.alone`."""
    kinds = tuple(kinds)
    has_soft, has_rigid, is_wet = (
        any(getattr(kind.traits, name) for kind in kinds) for name in ("is_springy", "is_rigid", "lifts")
    )
    prefixes = (("APART", "BOTH") if has_soft else ("RIGID",)) if has_rigid else ("SOFT",) * has_soft
    return tuple(f"{each}_{'IN_WATER' if is_wet else 'ALONE'}" for each in prefixes)


def kernels_to_begin(spec: WorldSpec) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sets of kernels with which a world can begin, and those that it needs until its soft bodies touch something.

    The latter apply when rigid bodies are the first to touch something. See `prepare_to_begin`.

    Raises:
        SpecError: as `build_world`.
    """
    all_sets = kernels_of(spec)
    if spec.integrator != "XPBD":
        return all_sets, ()
    from .apart import has_open_bodies, rigid_bodies_are_apart

    first = _first_sets(type(system) for system in spec.systems)
    if len(first) > 1 and not rigid_bodies_are_apart(spec):
        first = first[1:]
    if has_open_bodies(spec):
        first = tuple(f"{each}_OPEN" for each in first)
    return _with_own(first, all_sets) or all_sets, first[1:]
