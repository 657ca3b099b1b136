"""The seed's tick in C, compiled for the benchmark: the reference for springs per second."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).with_name("seed_tick.c")
OPTIONS = ("-O3", "-march=native", "-fopenmp", "-shared", "-fPIC")
TYPES = {"float": (np.float32, ctypes.c_float, "sqrtf"), "double": (np.float64, ctypes.c_double, "sqrt")}


class NoCompilerError(Exception):
    """The program cannot be compiled; the message is one sentence."""


def build(folder: Path) -> dict[str, ctypes.CDLL]:
    """Compile the tick in both precisions into `folder`.

    Raises:
        NoCompilerError: there is no compiler, or compilation fails.
    """
    asked = os.environ.get("CC")
    compiler = shutil.which(asked) if asked else next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        raise NoCompilerError("No C compiler was found, so the seed's tick is left out; install gcc or name one in CC.")
    libraries = {}
    for real, (_number, _c_type, root) in TYPES.items():
        file = folder / f"seed_tick_{real}.so"
        done = subprocess.run(
            [compiler, *OPTIONS, f"-DREAL={real}", f"-DROOT={root}", str(SOURCE), "-o", str(file), "-lm"],
            capture_output=True, text=True,
        )
        if done.returncode:
            said = done.stderr.strip().splitlines()[:1] or ["nothing"]
            raise NoCompilerError(
                f"{compiler} could not build the seed's tick, so it is left out; install gcc with OpenMP. "
                f"It says: {said[0]}"
            )
        libraries[real] = ctypes.CDLL(str(file))
    return libraries


def neighbour_table(pairs: np.ndarray, rest: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours of each vertex, (count, slots) int32, padded with the vertex itself, and their rest lengths."""
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    order = np.argsort(ends[:, 0], kind="stable")
    ends, length = ends[order], np.concatenate([rest, rest])[order]
    degree = np.bincount(ends[:, 0], minlength=count)
    slot = np.arange(len(ends)) - np.repeat(np.cumsum(degree) - degree, degree)
    neighbour = np.repeat(np.arange(count, dtype=np.int32)[:, None], degree.max(), axis=1)
    lengths = np.zeros(neighbour.shape)
    neighbour[ends[:, 0], slot] = ends[:, 1]
    lengths[ends[:, 0], slot] = length
    return np.ascontiguousarray(neighbour), lengths


class Ticker:
    """One body stepped by the seed's tick; unit masses and a stable step, so that values stay in a normal range."""

    def __init__(
        self, library: ctypes.CDLL, real: str, vertices: np.ndarray, pairs: np.ndarray, rest: np.ndarray, threads: int,
    ) -> None:
        """Args: library from `build`; real: "float" or "double"; vertices (n, 3); pairs (s, 2); rest lengths (s,)."""
        number, c_type, _root = TYPES[real]
        neighbour, lengths = neighbour_table(pairs, rest, len(vertices))
        x = np.array(vertices, dtype=number)
        v, f, mass = np.zeros_like(x), np.zeros_like(x), np.ones(len(x), dtype=number)
        # ctypes stores only addresses, so keep references to the arrays.
        self._arrays = (neighbour, lengths.astype(number), mass, x, v, f)
        at = [array.ctypes.data_as(ctypes.c_void_p) for array in self._arrays]
        self._arguments = (
            ctypes.c_int(len(x)), ctypes.c_int(neighbour.shape[1]), *at[:3], c_type(100.0), c_type(1e-3), *at[3:],
            ctypes.c_int(threads),
        )
        self._tick = getattr(library, f"tick_{real}")
        self._tick.restype = None

    @property
    def positions(self) -> np.ndarray:
        """Positions of the vertices, (n, 3)."""
        return self._arrays[3]

    def __call__(self) -> None:
        """One tick."""
        self._tick(*self._arguments)
