"""One step of a fluid: its rows, its walls, and the order of its stages.

lists           neighbour lists at the predicted positions, rebuilt when a particle has moved too far
walls           triangles near particles, as planes
pressures       density and particle pressures; coarse pressures of cells
shift           all particles move at once, then are projected off the walls
velocities      from the shifts; viscosity
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...compiler import aligned
from ...compiler.typed_call import TypedCall
from ...solver.neighbors import LANES, BlockNeighbors
from .cells import find_cells
from .density import BLOCKS, apply_tension, count_dense
from .flow import ThickFlow, smooth_motion, take_change
from .law import CLEARANCE, MOST_OWN, OWN_PRESSURE, Law, law_of
from .met import Meeting
from .near_triangles import NearTriangles
from .pace import Meter, Pace
from .press import Work, press
from .rows import FluidKinds, Sorted, advance, gather, scatter
from .wall_table import Triangles, wall_table
from .walls import WallFinder, scratch_for

# Search margin of the neighbour lists beyond the support [support].
MARGIN = 0.1
# Lists stay valid for two more steps in any case if no particle has moved farther than this [support].
LAG = 0.75
# Largest travel of a particle in a step, and of a wave on the deepest part [support]. The wave's is smaller in a fluid
# at rest, that is slower than the fraction AT_REST of the wave: corners of a pool get too dense otherwise.
MOST_TRAVEL, MOST_WAVE_TRAVEL, MOST_WAVE_TRAVEL_AT_REST, AT_REST = 0.5, 0.29, 0.2, 0.2
# Overlap gives no more speed than this fraction of what pressure may give; gravity assumed for these bounds [m/s²].
OVERLAP_FRACTION, G = 0.5, 9.81
# Pressure may support a column of so many times its weight.
COLUMN_LOAD = 2.5
# Pressures above this quantile are impacts, for which steps are not shortened.
DEEP = 0.99
# A particle has no neighbour if its density exceeds that of an isolated particle by no more than 1 - ALONE.
ALONE = 1.0 - 1e-3
# The fluid is too dense if more than the fraction FEW of the particles are denser than at rest by CROWDED, or more than
# FEWEST by MOST_CROWDED. A few in a corner, or between a ring and a crate, do not count: separating them costs two
# steps of all particles.
CROWDED, FEW, MOST_CROWDED, FEWEST = 0.25, 1e-3, 0.5, 1e-4
# If denser than this at the start, particles are separated before the first step, in up to SETTLINGS times SETTLING
# steps.
OVERLAP, SETTLINGS, SETTLING = 0.1, 10, 30
# Most steps in a substep.
MOST_STEPS = 100
# Stands for a number of passes of viscosity: use the implicit solve.
IMPLICIT = -1
# Rows of sums over neighbours, see `vector.fluid`.
SUMS = 8
# The buffer for sums gets one in so many slots more than needed, so that it is not allocated anew in every step.
SPARE = 16


class FluidSolver:
    """Moves particles of one spacing.

    Attributes:
        spacing: between particles at rest [m]; law: see `law`.
        kept: (n,) float32, coarse pressure of each particle after the last step [m²].
        error: (n,) float32, density over rest density, less one, before the last shift.
        table: walls of the last step; rows, speeds: (p, 4) sorted, see `rows.Sorted`.
    """

    def __init__(self, spacing: float, down: np.ndarray | None = None) -> None:
        """Args: spacing: [m]; down: (3,) unit vector of gravity, or zero without gravity; None for -Z."""
        self.spacing, self.law = spacing, law_of(spacing)
        support = float(self.law.support)
        self._meter = Meter(np.array([0.0, 0.0, -1.0]) if down is None else down)
        self.neighbors = BlockNeighbors(support, MARGIN * support, lag=LAG * support)
        self.kept, self.error = np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.float32)
        self._near, self._walls, self.thick = NearTriangles(support), WallFinder(), ThickFlow()
        self._advance, self._gather, self._press, self._scatter = map(TypedCall, (advance, gather, press, scatter))
        self._smooth_motion, self._take_change = TypedCall(smooth_motion), TypedCall(take_change)
        self._count_dense = TypedCall(count_dense)
        self._none, self.table = aligned.zeros((3, 0), np.float32), wall_table(0)
        self._sums, self._ahead = aligned.zeros((SUMS, 0), np.float32), np.zeros((0, 3), dtype=np.float32)
        self._allot(0)
        self._find_cells()

    def _allot(self, rows: int) -> None:
        single = np.float32
        self.rows, self.speeds = aligned.zeros((rows, 4), single), aligned.zeros((rows, 4), single)
        self._inward = aligned.zeros((0, 4), single)
        # Positions at the start of the step; later in the step, the velocity changes of a viscosity pass.
        self._before = aligned.zeros((3, rows), single)
        self._moved, self._change, self._position_shift = (aligned.zeros((3, rows), single) for _ in range(3))
        self._error, self._pressure, self._kept, self.rel_inv_mass, self._adhesion = (
            aligned.zeros(rows, single) for _ in range(5)
        )
        self.table = self.table.of_rows(rows)

    def _ensure_capacity(self) -> None:
        """Allocate arrays for the current numbers of rows and blocks."""
        if len(self.rows) != self.neighbors.row_count:
            self._allot(self.neighbors.row_count)
        slots = LANES * (self.neighbors.lists.count // BLOCKS + 1)
        if self._sums.shape[1] < slots:
            self._sums = aligned.zeros((SUMS, slots + slots // SPARE), np.float32)

    def _find_cells(self) -> None:
        self.cells, self._red = find_cells(self.neighbors.grid)
        self._near.forget()
        self._wall_scratch = scratch_for(self.cells)

    def steps(
        self, x: np.ndarray, v: np.ndarray, h: float, last: float, box: np.ndarray, pace: Pace, least: int = 1
    ) -> int:
        """Number of equal steps, `least` or more, that h [s] is divided into.

        Args:
            x, v: (n, 3) [m], [m/s]; last: length of the last step [s].
            box: (2, 3) corners of the box around all bodies that the fluid may touch in h [m]; pace: see `pace`.
        """
        support = float(self.law.support)
        error = self.error if len(self.error) == len(x) else np.zeros(len(x), dtype=np.float32)
        wide = box.copy()
        wide[0] -= support
        wide[1] += support
        fastest = self._meter.fastest(x, v, h, error, float(self.law.scale) - ALONE, wide)
        needed = max(fastest * h / (MOST_TRAVEL * support), self.wave_steps(pace.speed, h, last))
        return min(max(math.ceil(min(needed, MOST_STEPS)), least, 1), MOST_STEPS)

    def wave_steps(self, speed: float, h: float, last: float) -> float:
        """Number of steps that a wave on the deepest part needs in h [s]; speed: of `Pace` [m/s]; last: see `steps`."""
        wave = h / last * math.sqrt(2.0 * max(self._meter.quantile(self.kept, DEEP), 0.0))
        is_at_rest = speed * h < AT_REST * wave
        return wave / ((MOST_WAVE_TRAVEL_AT_REST if is_at_rest else MOST_WAVE_TRAVEL) * float(self.law.support))

    def step(
        self, x: np.ndarray, v: np.ndarray, h: float, kinds: FluidKinds, passes: int, triangles: Triangles,
        meeting: Meeting | None = None, pace: Pace | None = None,
    ) -> None:
        """Advance particles by a step h [s]: x (n, 3) [m] and v (n, 3) [m/s], float64, change.

        Args:
            kinds: of the particles, in this step.
            passes: of viscosity in this step, or 0, or IMPLICIT.
            triangles: of the boundaries; meeting: coupling with bodies that respond, or None.
            pace: of the particles, if it is known; see `pace`.
        """
        if len(self.kept) != len(x):
            self.kept = np.zeros(len(x), dtype=np.float32)
        if len(self.error) != len(x):
            self.error = np.zeros(len(x), dtype=np.float32)
        if len(self._ahead) != len(x):
            self._ahead = np.zeros((len(x), 3), dtype=np.float32)
        ahead, single = self._ahead, np.float32
        self._advance(x, v, h, ahead)
        if self.neighbors.update(ahead):
            self._ensure_capacity()
            self._find_cells()
        grid, lists = self.neighbors.grid, self.neighbors.lists
        pull = float(kinds.values[2].max(initial=0.0)) / h
        overlap_speed, law = self._limit(self.pace(x, v) if pace is None else pace, h, pull)
        count = grid.count
        has_tension = pull > 0.0
        if has_tension and len(self._inward) == 0:
            self._inward = aligned.zeros(self.rows.shape, single)
        inward = self._inward if has_tension else self._inward[:0]
        there = Sorted(
            self.rows, self.speeds, inward, self._before, self._kept, self.rel_inv_mass, self._adhesion,
        )
        self._gather(grid.order, count, ahead, v, single(h), self.kept, kinds, there)
        near = self._near.of(triangles, self.cells, grid)
        self.table = table = self._walls.find(
            self.cells, triangles, near, self._before, law.support, self.table, self._wall_scratch
        )
        of_walls = (self.rel_inv_mass, table)
        clearance, change = single(CLEARANCE * self.spacing), self._change if passes or has_tension else self._none
        sizes = count, lists.count, self._red, single(h), single(overlap_speed), clearance, single(grid.edge)
        work = Work(self._sums, self._error, self._pressure, self._moved, change, self._position_shift)
        self._press(
            sizes, law, lists.columns, there, table, self.cells, (grid.frame, grid.columns), triangles.firm, work
        )
        if meeting is not None:
            meeting.exchange(single(h), clearance, self.rows, self.speeds, self._moved, *of_walls)
        between = (lists.columns, law, self.rel_inv_mass)
        if has_tension:
            apply_tension(lists.count, self.rows, inward, *between, self._sums, self.speeds, change)
        if meeting is not None and passes:
            meeting.find_drag_factors(self.rows, self.speeds, law, abs(passes), table)
        self._smooth(passes, single(h))
        if meeting is not None:
            meeting.apply_drag(single(h), self.rows, *of_walls, passes)
        self._scatter(
            grid.order, count, self._moved, change, self._position_shift, single(h), x, v, self._kept, self._error,
            self.kept, self.error,
        )

    def _smooth(self, passes: int, h: np.float32) -> None:
        """Viscosity in a step of h [s]."""
        lists, law, of_walls = self.neighbors.lists, self.law, (self.rel_inv_mass, self.table)
        if passes == IMPLICIT:
            shape = (lists.count, self.neighbors.grid.count, self.rows, lists.columns)
            self.thick.smooth(shape, law, *of_walls, h, self._sums, self.speeds, self._change)
            return
        for _pass in range(passes):
            walls = (np.float32(1.0) / h, h)
            self._smooth_motion(
                lists.count, self.rows, self.speeds, lists.columns, law, *of_walls, walls, self._sums, self._before
            )
            self._take_change(self.neighbors.grid.count, self._before, self.speeds, self._change)

    def pace(self, x: np.ndarray, v: np.ndarray) -> Pace:
        """How fast and how deep the fluid is: x, v (n, 3) [m], [m/s]."""
        return self._meter.pace(x, v)

    def fastest(self, pace: Pace) -> float:
        """A bound of the speeds that a fluid has or may reach by falling through its own height [m/s]."""
        return pace.speed + math.sqrt(2.0 * G * pace.depth)

    def _limit(self, pace: Pace, h: float, pull: float) -> tuple[float, Law]:
        """The largest speed that overlap gives in a step of h [s], and the law with its pressure limits.

        A pressure can stop the fastest particles, support the fluid above, and balance the surface tension, `pull`
        [m/s²]; no more. In a shorter step the same overlap must not give more speed. A few drops that are faster than
        the rest do not count: pressures that can stop them make others as fast, and so on.
        """
        fastest, support = pace.speed, float(self.law.support)
        fall = 2.0 * G * pace.depth + pull * support
        # The fastest particles can be stopped within half a support; a column of fluid weighs on its lowest layer.
        speed = min(2.0 * h / support * (fastest**2 + COLUMN_LOAD * fall), fastest + fall**0.5)
        overlap_speed = OVERLAP_FRACTION * speed
        own = min(OWN_PRESSURE * support * h * overlap_speed, MOST_OWN * support**2)
        total = min(OWN_PRESSURE * support * h * speed, float(self.law.max_pressure))
        return overlap_speed, self.law._replace(max_own_pressure=np.float32(own), max_pressure=np.float32(total))

    def reorder(self) -> np.ndarray:
        """Sort particles in the order of the lists; returns the former number of each, (n,)."""
        order = self.neighbors.reorder()
        if len(self.kept) == len(self.error) == len(order):
            self.kept, self.error = self.kept[order], self.error[order]
        return order

    def is_crowded(self) -> bool:
        """Whether particles are so dense that they must be separated before the next step."""
        crowded, most_crowded = self._count_dense(self.error, CROWDED, MOST_CROWDED)
        return bool(crowded > FEW * len(self.error) or most_crowded > FEWEST * len(self.error))

    def relax(
        self, x: np.ndarray, kinds: FluidKinds, triangles: Triangles, steps: int, offset: np.ndarray | None = None,
    ) -> None:
        """Separate overlapping particles without changing velocities: x (n, 3) [m] changes; offset: (n, 3), first [m].

        Only density acts: in a step of 1 s, surface tension and pressures of a flow would move particles far.
        """
        kept, values = self.kept.copy(), kinds.values.copy()
        values[1:] = 0.0
        kinds = kinds._replace(values=values)
        for _ in range(steps):
            self.kept[:] = 0.0
            self.step(x, np.zeros_like(x) if offset is None else offset, 1.0, kinds, 0, triangles)
            offset = None
        self.kept = kept if len(kept) == len(x) else self.kept

    def settle(self, x: np.ndarray, kinds: FluidKinds, triangles: Triangles) -> bool:
        """Separate overlapping particles before the first step: x (n, 3) [m] changes; returns whether any did."""
        self.relax(x.copy(), kinds, triangles, 1)
        if float(self.error.max(initial=0.0)) <= OVERLAP:
            return False
        # Two particles at one position have no direction to separate in. Walls limit the offset of particles near them.
        offset = np.random.default_rng(0).normal(0.0, 0.05 * self.spacing, x.shape)
        self.relax(x, kinds, triangles, 1, offset)
        for _ in range(SETTLINGS):
            self.relax(x, kinds, triangles, SETTLING)
            if float(self.error.max(initial=0.0)) <= OVERLAP:
                break
        return True

    @property
    def last_rows(self) -> tuple[Any, ...]:
        """After the last step: `rows`, the particle in each, `rel_inv_mass`; cells, frame and size of the grid."""
        grid = self.neighbors.grid
        return self.rows, grid.order, self.rel_inv_mass, self.cells, grid.frame, grid.size

    def memory(self) -> dict[str, Any]:
        """State that the next step needs for bitwise equal results."""
        return {"kept": self.kept.copy(), "error": self.error.copy(), "neighbors": self.neighbors.memory()}

    def recall(self, memory: dict[str, Any]) -> None:
        """Restore what `memory` returned."""
        self.kept, self.error = memory["kept"].copy(), memory["error"].copy()
        self.neighbors.recall(memory["neighbors"])
        self._ensure_capacity()
        self._find_cells()
