"""Arrays of the search for near pairs, grouped by subject: what its kernels take as one argument."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class WayColumns(NamedTuple):
    """Where particles are expected to go, see `pair_cache.Ways`.

    Attributes:
        x: (n, 3), where their ways begin [m]; v: (n, 3), how fast they go [m/s]; time: for how long [s].
        wide: (n,), what is around each [m].
    """

    x: np.ndarray
    v: np.ndarray
    time: float
    wide: np.ndarray


class FoundWays(NamedTuple):
    """Ways that particles are expected to take.

    Attributes:
        x: (n, 3), where they begin [m]; v: (n, 3), how fast particles go [m/s].
        slack: (n,), how far each may stray [m]; wide: (n,), what is around each [m].
    """

    x: np.ndarray
    v: np.ndarray
    slack: np.ndarray
    wide: np.ndarray


class PatchElements(NamedTuple):
    """Triangles, edges and particles of the patches, see `elements.Elements`.

    Attributes:
        corner: (t, 3); patch_of: (t,); edge: (e, 2); edge_patch: (e,); bend: (e,) int8, see `near_pairs.find_bends`.
        face_blocks, face_at, edge_blocks, edge_at: blocks of LANES triangles and edges of each patch.
        particle_start, particle, edge_start, edge_of: particles and edges of each patch.
        patch_body: (p,); neighbour_start, neighbour: particles joined to each; is_tied: whether any are tied.
    """

    corner: np.ndarray
    patch_of: np.ndarray
    edge: np.ndarray
    edge_patch: np.ndarray
    bend: np.ndarray
    face_blocks: np.ndarray
    face_at: np.ndarray
    edge_blocks: np.ndarray
    edge_at: np.ndarray
    particle_start: np.ndarray
    particle: np.ndarray
    edge_start: np.ndarray
    edge_of: np.ndarray
    patch_body: np.ndarray
    neighbour_start: np.ndarray
    neighbour: np.ndarray
    is_tied: bool


class PatchBoxes(NamedTuple):
    """Boxes of patches and of their elements.

    Attributes:
        patch_node: (p,) int64, node of each patch; node_box: (nodes, 12) float64.
        origin: (p, 3), where the boxes of a patch's elements are seen from [m].
        face_box, edge_box: (blocks, 12, LANES) float32; own_box: scratch (p, 12).
    """

    patch_node: np.ndarray
    node_box: np.ndarray
    origin: np.ndarray
    face_box: np.ndarray
    edge_box: np.ndarray
    own_box: np.ndarray


class SearchChanges(NamedTuple):
    """What changed since some particles strayed.

    Attributes:
        is_new: (n,) bool, particles that strayed; is_dirty: (p,) bool, patches that have any.
        is_turned: (p,) bool, patches that count as new as a whole, see `patches.find_turned`.
    """

    is_new: np.ndarray
    is_dirty: np.ndarray
    is_turned: np.ndarray


class PatchCones(NamedTuple):
    """How even patches are.

    Attributes:
        beside_start, beside: patches that share a particle with each; whole: (p,) bool, patch in one piece.
        axis: (p, 3), mean normal; cone: (p,), how far normals lie from it [rad].
    """

    beside_start: np.ndarray
    beside: np.ndarray
    whole: np.ndarray
    axis: np.ndarray
    cone: np.ndarray
