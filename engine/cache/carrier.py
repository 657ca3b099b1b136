"""Vertex attributes on disk: a PC2 file whose "positions" are attribute values, three per row.

    rows 0 .. v n - 1        the v vectors, one after the other, one row for each of n vertices
    rows v n .. end          the scalars, one after the other, three values a row: value m lies in row v n + m // 3

The mesh that plays such a file has one vertex a row; geometry nodes read the values from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

# Attributes of three components: velocity [m/s]. All others have one.
VECTORS = frozenset({"velocity"})
_ROWS_AT_ONCE = 8192


def vectors_first(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of the vector attributes and of the scalar ones, each in the order given."""
    return [name for name in names if name in VECTORS], [name for name in names if name not in VECTORS]


def row_count(names: Sequence[str], count: int) -> int:
    """Number of rows for the attributes of `count` vertices."""
    vectors, scalars = vectors_first(names)
    return len(vectors) * count + -(-len(scalars) * count // 3)


class Packer:
    """Packs frame after frame into the same memory.

    Attributes:
        rows: (rows, 3) float32, C order, of the last frame.
    """

    def __init__(self, names: Sequence[str], count: int) -> None:
        """Args: names: attributes in the order of the file; count: vertices."""
        import numpy as np

        self.rows = np.zeros((row_count(names, count), 3), dtype=np.float32)
        vectors, scalars = vectors_first(names)
        flat = self.rows[len(vectors) * count :].reshape(-1)
        self._vectors = [(name, self.rows[k * count : (k + 1) * count]) for k, name in enumerate(vectors)]
        self._scalars = [(name, flat[k * count : (k + 1) * count]) for k, name in enumerate(scalars)]

    def pack(self, values: Mapping[str, np.ndarray], axes: np.ndarray | None = None) -> np.ndarray:
        """Fill `rows` for a frame and return them; they are valid until the next call.

        Args:
            values: by name, (count, 3) for vectors and (count,) for scalars; a missing one is 0.
            axes: (3, 3) rotation applied to the vectors; None leaves them unchanged.
        """
        rotation = None if axes is None else axes.T.astype("f4")
        for name, own in self._vectors:
            if rotation is not None and name in values:
                _rotate(values[name], rotation, own)
            else:
                own[:] = values.get(name, 0.0)
        for name, own in self._scalars:
            own[:] = values.get(name, 0.0)
        return self.rows


def _rotate(vectors: np.ndarray, rotation: np.ndarray, out: np.ndarray) -> None:
    """Write vectors (n, 3) @ rotation (3, 3), all float32, to out (n, 3)."""
    # Limit the rows of one product: a larger one would start BLAS threads, which compete with the solver for cores.
    for first in range(0, len(vectors), _ROWS_AT_ONCE):
        rows = slice(first, first + _ROWS_AT_ONCE)
        vectors[rows].dot(rotation, out=out[rows])


def unpack(names: Sequence[str], rows: np.ndarray, count: int) -> dict[str, np.ndarray]:
    """Attributes in rows (rows, 3), by name: (count, 3) for vectors and (count,) for scalars."""
    vectors, scalars = vectors_first(names)
    found = {name: rows[index * count : (index + 1) * count] for index, name in enumerate(vectors)}
    flat = rows[len(vectors) * count :].reshape(-1)
    return found | {name: flat[index * count : (index + 1) * count] for index, name in enumerate(scalars)}
