"""The mesh of a rubber dinghy: a closed tube, higher at the bow, and an inflated floor laced to its inner side."""

from __future__ import annotations

from math import cos, hypot, pi, sin

import bmesh

# Tube: vertices around the boat and around the tube. Floor: cells from one side to the other.
_AROUND, _ACROSS, _FLOOR_CELLS = 64, 16, 8
# Half the length and half the beam of the tube's centre line, radius of the tube, rise of the bow [m].
_LENGTH, _BEAM, _TUBE, _RISE = 1.1, 0.5, 0.19, 0.14
# Distance from the floor to the tube, and thickness of the floor in its middle [m].
_LACE_LENGTH, _FLOOR_THICKNESS = 0.04, 0.05
# Vertex around the tube at which the laces are tied: on the inner, lower side.
_LACED_AT = 10


def dinghy(bm: bmesh.types.BMesh) -> None:
    """A boat of 2.6 by 1.4 m along X, bow ahead: two closed surfaces, joined by loose edges."""
    tube = [_section(2.0 * pi * i / _AROUND) for i in range(_AROUND)]
    rows = [[bm.verts.new(point) for point in section] for section in tube]
    for i, row in enumerate(rows):
        following = rows[(i + 1) % _AROUND]
        for j in range(_ACROSS):
            k = (j + 1) % _ACROSS
            bm.faces.new((row[j], following[j], following[k], row[k]))
    _floor(bm, [row[_LACED_AT] for row in rows])


def _section(angle: float) -> list[tuple[float, float, float]]:
    """Vertices of the tube's cross-section at an angle from the bow; its centre line is egg-shaped."""
    x, y = _centre_line(angle)
    dx, dy = (b - a for a, b in zip(_centre_line(angle - 1e-4), _centre_line(angle + 1e-4), strict=True))
    length = hypot(dx, dy)
    out_x, out_y = dy / length, -dx / length
    rise = _RISE * max(cos(angle), 0.0) ** 3
    tube_angles = [2.0 * pi * j / _ACROSS for j in range(_ACROSS)]
    return [
        (x + _TUBE * cos(b) * out_x, y + _TUBE * cos(b) * out_y, rise + _TUBE * sin(b)) for b in tube_angles
    ]


def _centre_line(angle: float) -> tuple[float, float]:
    return _LENGTH * cos(angle), _BEAM * sin(angle) * (1.0 - 0.2 * cos(angle))


def _floor(bm: bmesh.types.BMesh, laced: list[bmesh.types.BMVert]) -> None:
    """Add a flat cushion between both sides, its rim joined by edges to the `laced` vertices of the tube."""
    rim = []
    for vertex in laced:
        to_middle = hypot(vertex.co.x, vertex.co.y)
        shrink = 1.0 - _LACE_LENGTH / to_middle
        rim.append(bm.verts.new((vertex.co.x * shrink, vertex.co.y * shrink, vertex.co.z)))
        bm.edges.new((vertex, rim[-1]))
    half = _AROUND // 2
    for side in (1.0, -1.0):
        rows = [[rim[0]]]
        for i in range(1, half):
            port, starboard = rim[i], rim[_AROUND - i]
            inner = []
            for cell in range(1, _FLOOR_CELLS):
                fraction = cell / _FLOOR_CELLS
                point = port.co.lerp(starboard.co, fraction)
                point.z += side * 0.5 * _FLOOR_THICKNESS * sin(pi * fraction) * sin(pi * i / half)
                inner.append(bm.verts.new(point))
            rows.append([port, *inner, starboard])
        rows.append([rim[half]])
        for row, following in zip(rows, rows[1:], strict=False):
            _strip(bm, row, following, upward=side > 0.0)


def _strip(
    bm: bmesh.types.BMesh, row: list[bmesh.types.BMVert], following: list[bmesh.types.BMVert], upward: bool
) -> None:
    """Add faces between two rows, one of which may be a single vertex."""
    for j in range(max(len(row), len(following)) - 1):
        corners = [row[min(j, len(row) - 1)], row[min(j + 1, len(row) - 1)]]
        corners += [following[min(j + 1, len(following) - 1)], following[min(j, len(following) - 1)]]
        unique = list(dict.fromkeys(corners))
        bm.faces.new(unique[::-1] if upward else unique)
