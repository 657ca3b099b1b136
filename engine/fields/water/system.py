"""Water: buoyancy, drag, flow and waves on every spring graph that has a surface, and on rigid bodies."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...compiler.kernels import thread_count
from ...compiler.typed_call import TypedCall
from ...errors import SpecError
from ...mesh.graph.parts import rim_fans, triangle_areas
from ...mesh.graph.tiles import Tiles, cut_tiles
from ...solver.forces import crumpled
from ...solver.forces.added_mass import release_tiles
from ...solver.forces.buoyancy import SUMS, find_levels, float_tiles, lift_by_depth, measure_parts, sum_parts
from ...solver.forces.columns import WaterLevels, WetParticles, WetSurface
from ...solver.forces.waves import COLUMNS
from ...spec import WaterSpec, WorldSpec
from ...spec.check import check_params, vector
from ...step.stability import StabilityBound
from ...world.builder import Builder
from ...world.controls import Controls, Value
from ...world.world import World
from ..base import Field
from .wavy import WavyWaters
from .wet_balls import WetBalls
from .wet_bodies import WetBodies

# Added mass: the fraction of a body's volume whose mass of water moves with it. This is that of a ball; a long cylinder
# moving across its axis has 1.
ADDED_MASS_FRACTION = 0.5


class Waters(Field):
    """Behaviour of every `WaterSpec`. It acts on the bodies that were built before it."""

    takes = ("water",)

    def __init__(self, specs: Sequence[WaterSpec], builder: Builder, _spec: WorldSpec) -> None:
        """Collect the triangles that can get wet; raises SpecError for a value that is not allowed."""
        self.specs = list(specs)
        for spec in self.specs:
            check_params(spec.name, spec)
            if not np.isfinite(spec.height):
                raise SpecError(spec.name, "height", spec.height, "a finite level")
            vector(spec.name, "flow", spec.flow)
            builder.add(spec, np.zeros((0, 3)), np.zeros(3), np.zeros(0), np.zeros(0), 0.0, 0.0, None)
        self._wavy = WavyWaters(self.specs, float(_spec.frame_rate))
        self._gather(builder, {system.name for system in _spec.systems if getattr(system, "is_filled", False)})
        self._bodies = WetBodies(builder, ADDED_MASS_FRACTION if _spec.integrator == "XPBD" else 0.0)
        self._balls = WetBalls(_spec, builder)
        x = builder.positions()
        self._no_waves = np.zeros((0, COLUMNS))
        self._tiles = self._cut(x)
        self.rest_area = triangle_areas(x, self.triangles)
        pieces = len(self.hollow)
        self._measure(x)
        self.rest_volume = np.where(self.hollow, np.abs(self._volume), np.inf)
        # No added mass for these: explicit springs and the cells of solids have masses of their own.
        is_light = self.hollow & ~self._is_filled & (_spec.integrator == "XPBD")
        self._follows = np.where(
            is_light, ADDED_MASS_FRACTION * np.abs(self._volume) / np.maximum(self._skin, 1e-300), 0.0
        )
        ids = self._tiles.ids
        self._wets = slice(int(ids.min()), int(ids.max()) + 1) if len(ids) else slice(0, 0)
        self._added, self._was_added = np.zeros((2, len(x)))
        self._own_mass, self._own_inv_mass, self._is_wet, self._is_first = *np.zeros((2, len(x))), False, True
        self._rest_skin, self._crumpled, self._sums = self._skin.copy(), np.zeros(pieces), np.zeros(crumpled.SUMS)
        self._share, self._level, self._deepest, self._rise = np.zeros((4, pieces))
        self.size = piece_sizes(x, self.triangles, self.piece, pieces)
        tiles = self._tiles
        self._surface = WetSurface(
            self.triangles, self.piece, self.is_lid, self.rest_area, tiles.start, tiles.ids, self._ids_piece,
            tiles.entry_start, tiles.entry_triangle, tiles.entry_place,
        )
        self._levels = WaterLevels(self._share, self._level, self._deepest, self.size, self._follows)
        self._float_tiles, self._act_evenly = TypedCall(float_tiles), TypedCall(crumpled.act_evenly)
        self.crush_scale = self.size * lightest(
            self.triangles, self.rest_area, self.piece, builder.inv_masses(), pieces
        )
        # Water inside a solid balances the pressure of the water around it; only the increase below its top deforms it.
        self.crush_scale[self._is_filled] = 0.0

    def _cut(self, x: np.ndarray) -> Tiles:
        """Sort triangles by tile, and group each tile's triangles of one piece into a part; x: (n, 3) at rest [m]."""
        tiles, pieces = cut_tiles(x, self.triangles, self.piece), len(self.hollow)
        self.triangles, self.piece, self.is_lid = (
            column[tiles.order] for column in (self.triangles, self.piece, self.is_lid)
        )
        piece_of = np.zeros(len(x), dtype=np.int32)
        piece_of[self.triangles] = self.piece[:, None]
        self._ids_piece = piece_of[tiles.ids]
        tile = np.repeat(np.arange(len(tiles.start) - 1), np.diff(tiles.owned_start))
        cuts = np.flatnonzero(np.diff(self.piece) | np.diff(tile)) + 1
        self._part_start = np.concatenate([[0], cuts, [len(tile)]] if len(tile) else [[0]]).astype(np.int64)
        self._part_piece = self.piece[self._part_start[:-1]]
        self._part_volume, self._part_skin, self._part_top = (np.zeros(len(self._part_piece)) for _ in range(3))
        self._origin = np.zeros(pieces, dtype=np.int64)
        self._origin[self.piece[::-1]] = self.triangles[::-1, 0]
        self._volume, self._skin, self._top = (np.zeros(pieces) for _ in range(3))
        order = np.argsort(self._ids_piece, kind="stable")
        self._of_pieces = tiles.ids[order]
        self._piece_start = np.searchsorted(self._ids_piece[order], np.arange(pieces + 1))
        self._scratch = np.zeros((0, tiles.most + 1, SUMS))
        return tiles

    def _measure(self, x: np.ndarray) -> None:
        """Compute the volume, area and highest Z of each piece at x (n, 3) [m]."""
        parts = self._part_volume, self._part_skin, self._part_top
        measure_parts(x, self.triangles, self._part_start, self._part_piece, self._origin, *parts)
        sum_parts(self._part_piece, *parts, self._volume, self._skin, self._top)

    def _gather(self, builder: Builder, filled: Container[str]) -> None:
        """Collect all triangles that can get wet, with the piece of each: surfaces first, then lids.

        Open rims of pieces that enclose volume are closed by lids, because pressure on one side only would propel a
        body forever. Lids have no drag.

        Args: filled: names of solids, which hold no air.
        """
        none = np.zeros((0, 3), dtype=np.int32)
        skins, lids, skin_pieces, lid_pieces = [none], [none], [none[:, 0]], [none[:, 0]]
        hollow, is_filled = ([np.zeros(0, dtype=bool)] for _ in range(2))
        pieces = 0
        for body, surface in zip(builder.bodies, builder.surfaces, strict=True):
            if surface is None or not (body.traits.wets and body.traits.deforms) or len(surface.triangles) == 0:
                continue
            count = int(surface.part.max()) + 1
            piece_of = np.zeros(body.stop - body.start, dtype=np.int32)
            piece_of[surface.triangles] = surface.part[:, None]
            fans = rim_fans(surface.triangles[surface.hollow], len(piece_of))
            skins.append(surface.triangles + np.int32(body.start))
            skin_pieces.append(surface.part + np.int32(pieces))
            lids.append(fans + np.int32(body.start))
            lid_pieces.append(piece_of[fans[:, 0]] + np.int32(pieces))
            holds = np.zeros(count, dtype=bool)
            holds[surface.part[surface.hollow]] = True
            hollow.append(holds)
            is_filled.append(np.full(count, body.name in filled))
            pieces += count
        self.triangles = np.concatenate([*skins, *lids])
        self.piece = np.concatenate([*skin_pieces, *lid_pieces])
        self.is_lid = np.arange(len(self.piece)) >= sum(len(part) for part in skins)
        self.hollow, self._is_filled = np.concatenate(hollow), np.concatenate(is_filled)

    def begin_frame(self, world: World, controls: Controls) -> None:
        """Take the surfaces of waters with waves at the end of the frame; raises SpecError."""
        self._wavy.begin_frame(self.specs, controls.water)

    def set_value(self, world: World, name: str, field: str, value: Value) -> None:
        """Set the density, flow, drag or linear buoyancy of one water."""
        self.specs = [replace(spec, **{field: value}) if spec.name == name else spec for spec in self.specs]

    def acts(self) -> bool:
        """Whether there is any water."""
        return bool(self.specs)

    def stability_bound(self, world: World) -> StabilityBound | None:
        """Buoyancy that grows with depth acts as a spring between body and water, with omega² = linear_buoyancy."""
        found = [
            StabilityBound(spec.name, float(spec.linear_buoyancy), 0.0) for spec in self.specs if spec.law == "LINEAR"
        ]
        return max(found, key=StabilityBound.longest_step_inverse, default=None)

    def flow_at(self, x: np.ndarray, size: float) -> np.ndarray | None:
        """The flow of the highest water, below its surface, with that of its waves."""
        level, flow = self._wavy.highest(self.specs, x)
        return np.where(x[:, 2:] <= level[:, None] + size, flow, 0.0)

    def level_at(self, x: np.ndarray) -> np.ndarray | None:
        """The height of the highest water."""
        return self._wavy.highest(self.specs, x)[0]

    def has_waves(self) -> bool:
        """Whether any water is not level."""
        return bool(self._wavy)

    def _sample_waves(self, spec: WaterSpec, x: np.ndarray, done: float) -> tuple[float, np.ndarray]:
        """Level of a water without its waves [m], and what these do at each particle, see `waves.wave_at`."""
        height, waves = self._wavy.sample(spec, x, done)
        self._rise[:] = 0.0 if waves is None else waves[self._origin, 0]
        return height, self._no_waves if waves is None else waves

    def push(self, world: World, h: float, done: float) -> None:
        """Apply buoyancy and drag."""
        state, model = world.state, world.model
        gravity = tuple(float(g) for g in model.gravity)
        spread_force = world.spread_force
        if len(spread_force.dv_per_step) == 0:
            spread_force.dv_per_step, spread_force.dv_gradient = np.zeros_like(state.v), np.zeros_like(state.v)
        if len(self.triangles):
            self._measure(state.x)
        if len(self._scratch) != thread_count():
            self._scratch = np.zeros((thread_count(), *self._scratch.shape[1:]))
        self._bodies.begin(world, self._is_first)
        self._added, self._was_added = self._was_added, self._added
        if self._is_first:
            # Bodies that start in the water already move with their added mass.
            self._was_added[:] = np.inf
        particles = self._particles = WetParticles(
            state.x, model.mass, model.inv_mass, state.v, spread_force.dv_per_step, spread_force.dv_gradient,
            self._added, self._was_added, self._own_mass, self._own_inv_mass, self._no_waves,
        )
        anew = True
        for spec in self.specs:
            height, waves = self._sample_waves(spec, state.x, done)
            if spec.law == "LINEAR":
                lift_by_depth(state.x, model.inv_mass, height, waves, h * float(spec.linear_buoyancy), state.v)
            if spec.law != "LINEAR":
                self._bodies.push(world, spec, height, waves, h)
                self._balls.push(world, spec, height, waves, h)
            if spec.law == "LINEAR" or len(self.triangles) == 0:
                continue
            travel_factor = 0.5 * h * h * float(spec.density) * float(np.linalg.norm(model.gravity))
            find_levels(
                self._volume, self.rest_volume, self._top, self.size, self.crush_scale,
                1.0 / max(travel_factor, 1e-300), height, self._rise, self._share, self._level, self._deepest,
            )
            self._float_tiles(
                particles._replace(waves=waves), self._surface, self._levels, self._scratch, gravity,
                float(spec.density), float(spec.drag), tuple(float(u) for u in spec.flow), h, anew,
            )
            anew = False
        if not anew:
            crumpled.find_crumpled(
                self._skin, self._volume, self._rest_skin, self.rest_volume, self.crush_scale, self._crumpled
            )
            self._act_evenly(self._crumpled, self._piece_start, self._of_pieces, particles, self._sums)
        if self._is_first:
            self._was_added[:], self._is_first = 0.0, False
        self._is_wet = bool(self._added[self._wets].any())
        if self._is_wet:
            world.added.wet, world.added.water = self._wets, self._added
            world.added.changes += 1

    def release(self, world: World) -> None:
        """Remove the added mass."""
        self._bodies.release(world)
        if self._is_wet:
            self._is_wet, world.added.wet = False, slice(0, 0)
            release_tiles(self._particles, self._surface)
            world.added.changes += 1

    def memory(self) -> dict[str, Any]:
        """Added mass of the last substep, with which bodies that enter the water share their momentum; surfaces."""
        return {
            "added": self._added, "of_bodies": self._bodies.added, "is_first": self._is_first,
            "waves": self._wavy.memory(),
        }

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Restore `memory`."""
        self._wavy.recall(memory.get("waves", {}))
        if "added" in memory and len(memory["added"]) == len(self._added):
            self._added[:], self._is_first = memory["added"], memory["is_first"]
            self._bodies.added[:] = memory["of_bodies"]


def piece_sizes(x: np.ndarray, triangles: np.ndarray, piece: np.ndarray, count: int) -> np.ndarray:
    """Diagonal of the box around each piece [m], (count,)."""
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    for corner in triangles.T:
        np.minimum.at(low, piece, x[corner])
        np.maximum.at(high, piece, x[corner])
    return np.linalg.norm(high - low, axis=1)


def lightest(
    triangles: np.ndarray, area: np.ndarray, piece: np.ndarray, inv_mass: np.ndarray, count: int
) -> np.ndarray:
    """Mass per area where each piece is lightest [kg/m²], (count,)."""
    around = np.bincount(triangles.reshape(-1), weights=np.repeat(area / 3.0, 3), minlength=len(inv_mass))
    least = np.full(count, np.inf)
    with np.errstate(divide="ignore"):
        np.minimum.at(least, np.repeat(piece, 3), 1.0 / (inv_mass * around)[triangles.reshape(-1)])
    return least
