"""Boxes around predicted motion: of elements and edges, of patches, and of the nodes above them.

A box bounds start positions by a low and a high corner, and displacements by a least and a greatest one. Two boxes
overlap if these bounds allow their contents to touch. So bodies that move fast side by side find no more pairs than
bodies at rest.

Boxes of elements are in single precision, relative to the origin of their patch, in blocks of LANES. The rounding error
is a millionth of the patch, while boxes have a margin of a fraction of an edge.
"""

from __future__ import annotations

import math

import numpy as np

from ....compiler.kernels import kernel, parallel_kernel, part_of_kernel, prange

# Boxes tested at once.
LANES = 16
# Columns of a node's box, rows of a block: corners [m], least and greatest displacement [m], three each.
LOW, HIGH, LEAST, MOST = 0, 3, 6, 9
_ZERO = np.float32(0.0)
# An unsigned loop index spares the compiler the wraparound of negative indices.
_ALL_LANES = np.uint64(LANES)


@parallel_kernel
def refit_patches(dirty, x, v, time, margin, corner, face_blocks, face_at, patch_node, node_box, is_fresh):
    """Boxes of some patches; marks the boxes of their elements as outdated.

    Args:
        dirty: (m,) patches; x, v: (n, 3) start positions and velocities of the prediction; time: its duration [s].
        margin: (n,) margin around each particle [m].

    Outputs:
        node_box: (nodes, 12); is_fresh: (p,) bool.
    """
    for task in prange(dirty.shape[0]):
        p = dirty[task]
        node = patch_node[p]
        is_fresh[p] = False
        for k in range(3):
            node_box[node, LOW + k] = math.inf
            node_box[node, HIGH + k] = -math.inf
            node_box[node, LEAST + k] = math.inf
            node_box[node, MOST + k] = -math.inf
        for block in range(face_blocks[p], face_blocks[p + 1]):
            for lane in range(LANES):
                t = face_at[block, lane]
                if t < 0:
                    break
                a = corner[t, 0]
                b = corner[t, 1]
                c = corner[t, 2]
                around = max(margin[a], margin[b], margin[c])
                for k in range(3):
                    low, high, least, most = _span(x, v, time, around, a, b, c, k)
                    node_box[node, LOW + k] = min(node_box[node, LOW + k], low)
                    node_box[node, HIGH + k] = max(node_box[node, HIGH + k], high)
                    node_box[node, LEAST + k] = min(node_box[node, LEAST + k], least)
                    node_box[node, MOST + k] = max(node_box[node, MOST + k], most)


@parallel_kernel
def refit_elements(outdated, prediction, elements, boxes, is_fresh):
    """Boxes of the elements of some patches, and of those of their edges that lie in no flat face.

    Edges of a patch are sides of its elements, so the patch's own box contains them too.

    Args:
        outdated: (m,) patches; prediction: `near.columns.PredictionColumns`.
        elements: `near.columns.PatchElements`; edges of class 0, FLAT_EDGE, get no box.
        boxes: `near.columns.PatchBoxes`, out: `origin`, `face_box`, `edge_box`; is_fresh: out (p,) bool.
    """
    x = prediction.x
    v = prediction.v
    time = prediction.time
    margin = prediction.margin
    corner = elements.corner
    edge = elements.edge
    edge_class = elements.edge_class
    face_blocks = elements.face_blocks
    face_at = elements.face_at
    edge_blocks = elements.edge_blocks
    edge_at = elements.edge_at
    origin = boxes.origin
    face_box = boxes.face_box
    edge_box = boxes.edge_box
    for task in prange(outdated.shape[0]):
        p = outdated[task]
        is_fresh[p] = True
        first = corner[face_at[face_blocks[p], 0], 0]
        for k in range(3):
            origin[p, k] = x[first, k]
        for block in range(face_blocks[p], face_blocks[p + 1]):
            for lane in range(LANES):
                t = face_at[block, lane]
                if t < 0:
                    _write_empty_box(face_box, block, lane)
                else:
                    _write_box(
                        x, v, time, margin, corner[t, 0], corner[t, 1], corner[t, 2], origin, p, face_box, block, lane
                    )
        for block in range(edge_blocks[p], edge_blocks[p + 1]):
            for lane in range(LANES):
                e = edge_at[block, lane]
                if e < 0 or edge_class[e] == 0:
                    _write_empty_box(edge_box, block, lane)
                else:
                    _write_box(x, v, time, margin, edge[e, 0], edge[e, 1], edge[e, 1], origin, p, edge_box, block, lane)


@kernel
def _write_empty_box(box, block, lane):
    for k in range(3):
        box[block, LOW + k, lane] = math.inf
        box[block, HIGH + k, lane] = -math.inf
        box[block, LEAST + k, lane] = 0.0
        box[block, MOST + k, lane] = 0.0


@kernel
def _span(x, v, time, around, a, b, c, k):
    """Along axis k: corners of the box around three particles [m], and their least and greatest displacement [m]."""
    return (
        min(x[a, k], x[b, k], x[c, k]) - around, max(x[a, k], x[b, k], x[c, k]) + around,
        time * min(v[a, k], v[b, k], v[c, k]), time * max(v[a, k], v[b, k], v[c, k]),
    )


@kernel
def _write_box(x, v, time, margin, a, b, c, origin, p, box, block, lane):
    """Write the box around three particles, relative to the origin of patch p."""
    around = max(margin[a], margin[b], margin[c])
    for k in range(3):
        low, high, least, most = _span(x, v, time, around, a, b, c, k)
        box[block, LOW + k, lane] = low - origin[p, k]
        box[block, HIGH + k, lane] = high - origin[p, k]
        box[block, LEAST + k, lane] = least
        box[block, MOST + k, lane] = most


@kernel
def refit_top(top, skip, node_box):
    """Boxes of the nodes above patches; top: those nodes, children first."""
    for node in top:
        left = node + 1
        right = skip[left]
        for k in range(3):
            node_box[node, LOW + k] = min(node_box[left, LOW + k], node_box[right, LOW + k])
            node_box[node, HIGH + k] = max(node_box[left, HIGH + k], node_box[right, HIGH + k])
            node_box[node, LEAST + k] = min(node_box[left, LEAST + k], node_box[right, LEAST + k])
            node_box[node, MOST + k] = max(node_box[left, MOST + k], node_box[right, MOST + k])


@kernel
def boxes_miss(box, i, other, j):
    """Whether the contents of box i cannot touch those of box j of the others."""
    for k in range(3):
        if box[i, LOW + k] + min(0.0, box[i, LEAST + k] - other[j, MOST + k]) > other[j, HIGH + k]:
            return True
        if box[i, HIGH + k] + max(0.0, box[i, MOST + k] - other[j, LEAST + k]) < other[j, LOW + k]:
            return True
    return False


@kernel
def set_box(x, v, time, margin, a, b, box, i):
    """Box i of the motion of segment a, b, or of a particle, a = b."""
    around = max(margin[a], margin[b])
    for k in range(3):
        box[i, LOW + k], box[i, HIGH + k], box[i, LEAST + k], box[i, MOST + k] = _span(
            x, v, time, around, a, b, b, k
        )


@kernel
def overlapping_lanes(box, i, origin, p, others, block):
    """Which boxes of a block of patch p overlap box i: one bit for each lane."""
    # All three axes in one loop: it compiles to a few instructions without branches.
    x_low, x_high, x_least, x_most = _side(box, i, origin, p, 0)
    y_low, y_high, y_least, y_most = _side(box, i, origin, p, 1)
    z_low, z_high, z_least, z_most = _side(box, i, origin, p, 2)
    mask = np.int32(0)
    for lane in range(_ALL_LANES):
        meets = (
            _lane_meets(x_low, x_high, x_least, x_most, others, block, 0, lane)
            & _lane_meets(y_low, y_high, y_least, y_most, others, block, 1, lane)
            & _lane_meets(z_low, z_high, z_least, z_most, others, block, 2, lane)
        )
        mask |= np.int32(meets) << np.int32(lane)
    return mask


@kernel
def _side(box, i, origin, p, k):
    """Box i along axis k, relative to the origin of patch p: its corners, least and greatest displacement."""
    return (
        np.float32(box[i, LOW + k] - origin[p, k]), np.float32(box[i, HIGH + k] - origin[p, k]),
        np.float32(box[i, LEAST + k]), np.float32(box[i, MOST + k]),
    )


@part_of_kernel
def _lane_meets(low, high, least, most, others, block, k, lane):
    nearer = min(_ZERO, least - others[block, MOST + k, lane])
    further = max(_ZERO, most - others[block, LEAST + k, lane])
    return (low + nearer <= others[block, HIGH + k, lane]) & (high + further >= others[block, LOW + k, lane])
