"""Arrays of the search for near pairs, grouped by subject; kernels take each group as one argument."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class PredictionColumns(NamedTuple):
    """Predicted motion of particles, see `pair_cache.Prediction`.

    Attributes:
        x: (n, 3), start positions [m]; v: (n, 3), velocities [m/s]; time: duration of the prediction [s].
        margin: (n,), margin around each [m].
    """

    x: np.ndarray
    v: np.ndarray
    time: float
    margin: np.ndarray


class PredictionOut(NamedTuple):
    """Predicted motion of particles, as `patches.predict_motion` writes it.

    Attributes:
        x: (n, 3), start positions [m]; v: (n, 3), velocities [m/s].
        slack: (n,), allowed deviation [m]; margin: (n,), margin around each, slack included [m].
    """

    x: np.ndarray
    v: np.ndarray
    slack: np.ndarray
    margin: np.ndarray


class RecentMotion(NamedTuple):
    """Recent motion of particles, see `patches.find_deviating`.

    Attributes:
        pace: (n, 3), average velocity [m/s]; strays: (n,), largest deviation from the prediction [m].
        falls: (n,), the average acceleration along gravity, as a fraction of gravity.
    """

    pace: np.ndarray
    strays: np.ndarray
    falls: np.ndarray


class PatchElements(NamedTuple):
    """Triangles, edges and particles of the patches, see `elements.Elements`.

    Attributes:
        corner: (t, 3); patch_of: (t,); edge: (e, 2); edge_patch: (e,).
        edge_class: (e,) int8, see `bends.classify_edges`.
        face_blocks, face_at, edge_blocks, edge_at: blocks of LANES triangles and edges of each patch.
        particle_start, particle, edge_start, edge_of: particles and edges of each patch.
        patch_body: (p,); is_soft: (p,) bool, whether its particles can deform it.
        neighbour_start, neighbour: particles connected to each; is_tied: whether any are tied.
        margin_reduction: (e,), by how much the margin of fine edges against each other is below that of faces [m];
            0 for other edges.
    """

    corner: np.ndarray
    patch_of: np.ndarray
    edge: np.ndarray
    edge_patch: np.ndarray
    edge_class: np.ndarray
    face_blocks: np.ndarray
    face_at: np.ndarray
    edge_blocks: np.ndarray
    edge_at: np.ndarray
    particle_start: np.ndarray
    particle: np.ndarray
    edge_start: np.ndarray
    edge_of: np.ndarray
    patch_body: np.ndarray
    is_soft: np.ndarray
    neighbour_start: np.ndarray
    neighbour: np.ndarray
    is_tied: bool
    margin_reduction: np.ndarray


class PatchBoxes(NamedTuple):
    """Boxes of patches and of their elements.

    Attributes:
        patch_node: (p,) int64, node of each patch; node_box: (nodes, 12) float64.
        origin: (p, 3), reference point of the boxes of a patch's elements [m].
        face_box, edge_box: (blocks, 12, LANES) float32; own_box: scratch (p, 12).
    """

    patch_node: np.ndarray
    node_box: np.ndarray
    origin: np.ndarray
    face_box: np.ndarray
    edge_box: np.ndarray
    own_box: np.ndarray


class SearchChanges(NamedTuple):
    """Changes since some particles left their prediction.

    Attributes:
        is_new: (n,) bool, particles that deviated; is_dirty: (p,) bool, patches that have any.
        flatness_changed: (p,) bool, patches of which all counts as new, see `patches.find_flatness_changes`.
    """

    is_new: np.ndarray
    is_dirty: np.ndarray
    flatness_changed: np.ndarray


class PatchCones(NamedTuple):
    """Flatness of patches.

    Attributes:
        beside_start, beside: patches that share a particle with each; is_connected: (p,) bool.
        axis: (p, 3), mean normal; cone: (p,), largest angle of normals to it [rad].
    """

    beside_start: np.ndarray
    beside: np.ndarray
    is_connected: np.ndarray
    axis: np.ndarray
    cone: np.ndarray
