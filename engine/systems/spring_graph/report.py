"""Results of spring graphs for a frame."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from ...mesh.graph.edges import unique_pairs
from ...mesh.graph.links import lengths
from ...world.frame import Frame
from ...world.world import World
from .lattice import Cells
from .tables.gas import GasTable


def report_bodies(
    world: World, frame: Frame, names: Collection[str], gas: GasTable, stress: np.ndarray,
    columns: Mapping[str, np.ndarray],
) -> None:
    """Add positions, velocities, stress and diagnostics of the bodies with the given names.

    Args: gas: as measured last; stress: (n,) of all particles; columns: mean and maximum of each body, (2, bodies).
    """
    volume, pressure = gas.volume.tolist(), gas.pressure.tolist()
    reported = {name: values.T.tolist() for name, values in columns.items()}
    for index, body in enumerate(world.model.bodies):
        # Proxies and lattice nodes have the name of their body.
        if body.name not in names or not body.traits.is_springy:
            continue
        own = slice(body.start, body.stop - body.spare)
        frame.positions[body.name] = world.state.x[own].astype(np.float32)
        frame.velocities[body.name] = world.state.v[own].astype(np.float32)
        frame.attributes[body.name] = {"stress": stress[own].copy()}
        parts = gas.parts_of.get(index, ())
        frame.diagnostics[body.name] = {
            "volume": tuple(volume[part] for part in parts),
            "pressure": tuple(pressure[part] for part in parts),
            **{name: tuple(values[index]) for name, values in reported.items()},
        }


class EmbeddedBodies:
    """Results of bodies embedded in a lattice."""

    def __init__(self, in_lattice: Sequence[tuple[Cells, np.ndarray]], x: np.ndarray) -> None:
        """Args: in_lattice: bodies with a lattice and their mesh edges (e, 2); x: (n, 3) all particles at rest [m]."""
        self._bodies = [body for body, _edges in in_lattice]
        self._pairs = [body.start + unique_pairs(edges).astype(np.int64) for body, edges in in_lattice]
        self._rest = [np.maximum(lengths(x, pairs), 1e-12) for pairs in self._pairs]

    def strain(self, world: World, stress: np.ndarray, stretch: np.ndarray) -> None:
        """Fill in the stretch of edges: mean at each vertex, out stress (n,); mean and maximum of bodies, (2, b)."""
        for body, pairs, rest in zip(self._bodies, self._pairs, self._rest, strict=True):
            if len(pairs) == 0:
                continue
            own = lengths(world.state.x, pairs) / rest - 1.0
            ends = pairs.reshape(-1)
            count = np.bincount(ends, minlength=len(stress))
            total = np.bincount(ends, np.repeat(own, 2), len(stress))
            some = count > 0
            stress[some] = (total[some] / count[some]).astype(stress.dtype)
            stretch[:, body.body] = np.abs(own).mean(), np.abs(own).max()

    def report(self, world: World, frame: Frame) -> None:
        """Add the number of cells of each body."""
        for body in self._bodies:
            frame.diagnostics[world.model.bodies[body.body].name]["cells"] = (float(len(body.shear)),)
