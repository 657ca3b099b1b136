"""The mesh of a rubber dinghy: one tube all around, higher at the bow, and an air floor laced to it from within."""

from __future__ import annotations

from math import cos, hypot, pi, sin

import bmesh

# Tube: points around the boat and across the tube. Floor: cells from one side to the other.
_AROUND, _ACROSS, _FLOOR_CELLS = 64, 16, 8
# Half the length and half the beam of the tube's middle line, radius of the tube, rise of the bow [m].
_LENGTH, _BEAM, _TUBE, _RISE = 1.1, 0.5, 0.19, 0.14
# The floor begins this far from the tube, and is so thick in its middle [m].
_LACE, _THICK = 0.04, 0.05
# Where across the tube the laces are tied: inside and below.
_LACED_AT = 10


def dinghy(mesh: bmesh.types.BMesh) -> None:
    """A boat of 2.6 by 1.4 m along X, bow ahead: two closed surfaces, joined by loose edges."""
    tube = [_section(2.0 * pi * i / _AROUND) for i in range(_AROUND)]
    rows = [[mesh.verts.new(point) for point in section] for section in tube]
    for i, row in enumerate(rows):
        following = rows[(i + 1) % _AROUND]
        for j in range(_ACROSS):
            k = (j + 1) % _ACROSS
            mesh.faces.new((row[j], following[j], following[k], row[k]))
    _floor(mesh, [row[_LACED_AT] for row in rows])


def _section(turn: float) -> list[tuple[float, float, float]]:
    """Points of the tube across its middle line, which is an egg, at an angle from the bow."""
    x, y = _middle(turn)
    ahead, aside = (b - a for a, b in zip(_middle(turn - 1e-4), _middle(turn + 1e-4), strict=True))
    length = hypot(ahead, aside)
    out_x, out_y = aside / length, -ahead / length
    rise = _RISE * max(cos(turn), 0.0) ** 3
    around = [2.0 * pi * j / _ACROSS for j in range(_ACROSS)]
    return [
        (x + _TUBE * cos(b) * out_x, y + _TUBE * cos(b) * out_y, rise + _TUBE * sin(b)) for b in around
    ]


def _middle(turn: float) -> tuple[float, float]:
    return _LENGTH * cos(turn), _BEAM * sin(turn) * (1.0 - 0.2 * cos(turn))


def _floor(mesh: bmesh.types.BMesh, laced: list[bmesh.types.BMVert]) -> None:
    """A flat cushion between both sides; its rim is tied to the vertices of the tube that are named."""
    rim = []
    for vertex in laced:
        to_middle = hypot(vertex.co.x, vertex.co.y)
        shrink = 1.0 - _LACE / to_middle
        rim.append(mesh.verts.new((vertex.co.x * shrink, vertex.co.y * shrink, vertex.co.z)))
        mesh.edges.new((vertex, rim[-1]))
    half = _AROUND // 2
    for side in (1.0, -1.0):
        rows = [[rim[0]]]
        for i in range(1, half):
            port, starboard = rim[i], rim[_AROUND - i]
            inner = []
            for cell in range(1, _FLOOR_CELLS):
                share = cell / _FLOOR_CELLS
                point = port.co.lerp(starboard.co, share)
                point.z += side * 0.5 * _THICK * sin(pi * share) * sin(pi * i / half)
                inner.append(mesh.verts.new(point))
            rows.append([port, *inner, starboard])
        rows.append([rim[half]])
        for row, following in zip(rows, rows[1:], strict=False):
            _strip(mesh, row, following, upward=side > 0.0)


def _strip(
    mesh: bmesh.types.BMesh, row: list[bmesh.types.BMVert], following: list[bmesh.types.BMVert], upward: bool
) -> None:
    """Faces between two rows, of which one may be a single point."""
    for j in range(max(len(row), len(following)) - 1):
        corners = [row[min(j, len(row) - 1)], row[min(j + 1, len(row) - 1)]]
        corners += [following[min(j + 1, len(following) - 1)], following[min(j, len(following) - 1)]]
        once = list(dict.fromkeys(corners))
        mesh.faces.new(once[::-1] if upward else once)
