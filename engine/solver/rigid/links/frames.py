"""Frames that links attach to: of rigid bodies, of faces of a mesh, and the world's."""

from __future__ import annotations

import math

from ....compiler.kernels import kernel
from ..motion import axes_of


@kernel
def face_frames(first, faces, x, at, axes):
    """Frames of faces: origin at the first corner, axes along the first edge, in the face across it, and the normal.

    Args:
        first: index of the first face frame; faces: (f, 3) particles, negative for the world; x: (n, 3) [m].
        at: out (frames, 3) origins [m]; axes: out (frames, 9) rotation matrices, row by row.
    """
    for f in range(faces.shape[0]):
        to = first + f
        i = faces[f, 0]
        if i < 0:
            for k in range(3):
                at[to, k] = 0.0
            for k in range(9):
                axes[to, k] = 1.0 if k % 4 == 0 else 0.0
            continue
        j = faces[f, 1]
        m = faces[f, 2]
        px = x[j, 0] - x[i, 0]
        py = x[j, 1] - x[i, 1]
        pz = x[j, 2] - x[i, 2]
        qx = x[m, 0] - x[i, 0]
        qy = x[m, 1] - x[i, 1]
        qz = x[m, 2] - x[i, 2]
        one = 1.0 / math.sqrt(px * px + py * py + pz * pz)
        px *= one
        py *= one
        pz *= one
        nx = py * qz - pz * qy
        ny = pz * qx - px * qz
        nz = px * qy - py * qx
        one = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
        nx *= one
        ny *= one
        nz *= one
        for k in range(3):
            at[to, k] = x[i, k]
        axes[to, 0] = px
        axes[to, 3] = py
        axes[to, 6] = pz
        axes[to, 1] = ny * pz - nz * py
        axes[to, 4] = nz * px - nx * pz
        axes[to, 7] = nx * py - ny * px
        axes[to, 2] = nx
        axes[to, 5] = ny
        axes[to, 8] = nz


@kernel
def body_frames(linked, position, rotation, at, axes):
    """Frames of the bodies in `linked` (k,): centres and principal axes; at, axes: out, see `face_frames`."""
    for place in range(linked.shape[0]):
        b = linked[place]
        for k in range(3):
            at[b, k] = position[b, k]
        (
            axes[b, 0], axes[b, 1], axes[b, 2], axes[b, 3], axes[b, 4], axes[b, 5], axes[b, 6], axes[b, 7], axes[b, 8],
        ) = axes_of(rotation, b)


@kernel
def turned_by_frame(axes, f, lx, ly, lz):
    """Rotate a vector from frame f to world axes."""
    return (
        axes[f, 0] * lx + axes[f, 1] * ly + axes[f, 2] * lz,
        axes[f, 3] * lx + axes[f, 4] * ly + axes[f, 5] * lz,
        axes[f, 6] * lx + axes[f, 7] * ly + axes[f, 8] * lz,
    )
