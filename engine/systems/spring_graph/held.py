"""Which particles of spring graphs are held: pins, and bodies that are animated as a whole. Keyed values release them.

Particles that may be released are free when a world is built, so that all its tables allow for their motion. While they
are held, their inverse mass is 0 wherever a substep reads it. A released particle keeps the velocity with which it was
moved in its last substep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...errors import SpecError
from ...spec import SpringGraphSpec
from ...world.builder import ProxyBody
from ...world.world import World
from .tables.rows import Rows

# Spec fields that decide what is held.
OF_HELD = ("animated", "release_pins")


class Held:
    """The particles of each body that are pinned or animated, and whether they are held now.

    Attributes:
        ids: by body name, (p,) particles that are pinned or animated in some frame.
        now: by body name, (p,) bool, those of `ids` that are held now.
    """

    def __init__(
        self, ids: Mapping[str, np.ndarray], specs: Sequence[SpringGraphSpec], start: Mapping[str, int],
        proxies: Sequence[ProxyBody],
    ) -> None:
        """Args: ids: as the attribute; specs: of the bodies; start: their first particles; proxies: of the world."""
        self.ids, self._start, self._proxies = ids, start, proxies
        self._specs = {spec.name: spec for spec in specs}
        self._releasable = [spec.name for spec in specs if spec.may_release]
        self.now = {name: self._wanted(name) for name in ids}
        self._is_applied = not self._releasable

    def _wanted(self, name: str) -> np.ndarray:
        spec, ids = self._specs[name], self.ids[name]
        if spec.animated:
            return np.ones(len(ids), dtype=bool)
        if spec.release_pins:
            return np.zeros(len(ids), dtype=bool)
        pinned = np.asarray(spec.pins, dtype=np.int64).reshape(-1) + self._start[name]
        return np.isin(ids, pinned)

    def is_releasable(self, name: str) -> bool:
        """Whether a body's particles are released in some frame."""
        return name in self._releasable

    def set_value(self, name: str, field: str, value: float) -> None:
        """Set a field of `OF_HELD` of a body; `apply` must follow.

        Raises:
            SpecError: the body was not built for keyed values of this field.
        """
        if field not in self._specs[name].keyed:
            raise SpecError(name, field, value, f'the value it was built with, or "{field}" among `keyed`')
        self._specs[name] = replace(self._specs[name], **{field: bool(value)})
        self.now[name] = self._wanted(name)
        self._is_applied = False

    def apply(self, world: World, rows: Rows) -> bool:
        """Set the inverse masses of the world and of the rows if `now` has changed; returns whether it has."""
        if self._is_applied:
            return False
        model, self._is_applied = world.model, True
        for name in self._releasable:
            ids = self.ids[name]
            model.inv_mass[ids] = np.where(self.now[name], 0.0, 1.0 / model.mass[ids])
        for proxy in self._proxies:
            owner, own = model.bodies[proxy.owner], model.bodies[proxy.body]
            if owner.name in self._releasable:
                total, free = (
                    np.bincount(proxy.of, values[owner.start : owner.stop]) for values in (model.mass, model.inv_mass)
                )
                model.inv_mass[own.start : own.stop] = np.where(free > 0.0, 1.0 / total, 0.0)
        rows.set_inv_mass(model.inv_mass)
        return True
