"""Attributes beside positions: a PC2 file whose "positions" are values, three a row.

    rows 0 .. v n - 1        the vectors, one after the other, one row for each of n vertices
    rows v n .. end          the scalars, one after the other, three values a row: value m lies in row v n + m // 3

The mesh that plays such a file has one vertex a row; geometry nodes read the values from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

# Attributes of three numbers [unit]: velocity [m/s]. All others have one.
VECTORS = frozenset({"velocity"})


def vectors_first(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of the vectors and names of the scalars, each in the order given."""
    return [name for name in names if name in VECTORS], [name for name in names if name not in VECTORS]


def row_count(names: Sequence[str], count: int) -> int:
    """Rows that attributes of `count` vertices take."""
    vectors, scalars = vectors_first(names)
    return len(vectors) * count + -(-len(scalars) * count // 3)


def pack(names: Sequence[str], values: Mapping[str, np.ndarray], count: int) -> np.ndarray:
    """Rows of attributes, (rows, 3) float32.

    Args:
        names: attributes in the order of the file.
        values: by name, (count, 3) of vectors and (count,) of scalars; one that is missing is 0.
        count: vertices.
    """
    import numpy as np

    rows = np.zeros((row_count(names, count), 3), dtype=np.float32)
    vectors, scalars = vectors_first(names)
    for index, name in enumerate(vectors):
        if name in values:
            rows[index * count : (index + 1) * count] = values[name]
    flat = rows[len(vectors) * count :].reshape(-1)
    for index, name in enumerate(scalars):
        if name in values:
            flat[index * count : (index + 1) * count] = values[name]
    return rows


def unpack(names: Sequence[str], rows: np.ndarray, count: int) -> dict[str, np.ndarray]:
    """The attributes in rows (rows, 3), by name: (count, 3) of vectors and (count,) of scalars."""
    vectors, scalars = vectors_first(names)
    found = {name: rows[index * count : (index + 1) * count] for index, name in enumerate(vectors)}
    flat = rows[len(vectors) * count :].reshape(-1)
    return found | {name: flat[index * count : (index + 1) * count] for index, name in enumerate(scalars)}
