"""Small meshes for engine tests: plain arrays, no Blender."""

from __future__ import annotations

import numpy as np


def torus(major: float, minor: float, around: int, across: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices (n, 3), triangles (t, 3) outward, quad edges (e, 2)."""
    u = np.arange(around) * 2.0 * np.pi / around
    v = np.arange(across) * 2.0 * np.pi / across
    u, v = np.meshgrid(u, v, indexing="ij")
    ring = major + minor * np.cos(v)
    vertices = np.stack([ring * np.cos(u), ring * np.sin(u), minor * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = np.arange(around)[:, None], np.arange(across)[None]
    a, b = i * across + j, (i + 1) % around * across + j
    c, d = (i + 1) % around * across + (j + 1) % across, i * across + (j + 1) % across
    triangles = np.concatenate([np.stack(t, axis=-1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
    edges = np.concatenate([np.stack(e, axis=-1).reshape(-1, 2) for e in ((a, b), (a, d))])
    return vertices, triangles, edges


def box(size: float, cuts: int) -> tuple[np.ndarray, np.ndarray]:
    """A cube around the origin, each face with cuts x cuts quads: vertices, outward triangles."""
    grid = np.linspace(-0.5, 0.5, cuts + 1) * size
    points: dict[tuple[float, ...], int] = {}
    triangles = []

    def index(point: np.ndarray) -> int:
        return points.setdefault(tuple(np.round(point, 9)), len(points))

    for axis in range(3):
        for side in (-1.0, 1.0):
            for a in range(cuts):
                for b in range(cuts):
                    corners = []
                    for da, db in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        point = np.zeros(3)
                        point[axis] = side * size / 2.0
                        point[(axis + 1) % 3] = grid[a + da]
                        point[(axis + 2) % 3] = grid[b + db]
                        corners.append(index(point))
                    if side < 0.0:
                        corners.reverse()
                    triangles += [corners[:3], [corners[0], corners[2], corners[3]]]
    return np.array(list(points)), np.array(triangles)


def sphere(radius: float, halvings: int) -> tuple[np.ndarray, np.ndarray]:
    """An octahedron subdivided and projected onto a sphere: vertices, outward triangles."""
    vertices = [np.array(p, dtype=float) for p in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))]
    faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    for _ in range(halvings):
        middle: dict[tuple[int, int], int] = {}

        def half(a: int, b: int, middle: dict[tuple[int, int], int] = middle) -> int:
            key = (min(a, b), max(a, b))
            if key not in middle:
                point = vertices[a] + vertices[b]
                middle[key] = len(vertices)
                vertices.append(point / np.linalg.norm(point))
            return middle[key]

        halved = []
        for a, b, c in faces:
            ab, bc, ca = half(a, b), half(b, c), half(c, a)
            halved += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = halved
    return np.array(vertices) * radius, np.array(faces)


def cylinder(radius: float, length: float, sides: int, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """A prism along y, its sides in `rows` rows, its ends closed by fans: vertices, outward triangles."""
    angle = 2.0 * np.pi * np.arange(sides) / sides
    circle = np.stack([radius * np.sin(angle), np.zeros(sides), radius * np.cos(angle)], axis=1)
    heights = np.linspace(-0.5 * length, 0.5 * length, rows + 1)
    vertices = np.concatenate([*(circle + [0.0, y, 0.0] for y in heights), [[0.0, heights[0], 0.0]],
                               [[0.0, heights[-1], 0.0]]])
    here, there = np.arange(sides), (np.arange(sides) + 1) % sides
    rings = [(here + k * sides, there + k * sides) for k in range(rows + 1)]
    quads = [(*below, *above[::-1]) for below, above in zip(rings[:-1], rings[1:], strict=True)]
    triangles = [np.stack(t, axis=1) for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    low, high = np.full(sides, len(vertices) - 2), np.full(sides, len(vertices) - 1)
    triangles += [np.stack([low, there, here], axis=1), np.stack([high, *rings[-1]], axis=1)]
    return vertices, np.concatenate(triangles)


def sheet(size: tuple[float, float], cuts: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A flat sheet of quads from the origin along x and y: vertices (row by row of y), triangles, quad edges."""
    number = np.arange((cuts[0] + 1) * (cuts[1] + 1)).reshape(cuts[0] + 1, cuts[1] + 1)
    grid = np.meshgrid(*(np.linspace(0.0, size[k], cuts[k] + 1) for k in range(2)), indexing="ij")
    vertices = np.stack([*grid, np.zeros_like(grid[0])], axis=-1).reshape(-1, 3)
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    triangles = np.concatenate([np.stack(t, axis=-1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
    along = np.stack([number[:-1], number[1:]], axis=-1).reshape(-1, 2)
    across = np.stack([number[:, :-1], number[:, 1:]], axis=-1).reshape(-1, 2)
    return vertices, triangles, np.concatenate([along, across])


def chain(count: int, length: float, direction: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """`count` links of equal length along a direction: (count + 1, 3) vertices, (count, 2) edges."""
    vertices = np.arange(count + 1)[:, None] * (length / count) * np.asarray(direction)
    return vertices, np.stack([np.arange(count), np.arange(1, count + 1)], axis=1)


def volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Volume of a closed mesh [m³]."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


FLOOR = np.array([[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [9.0, 9.0, 0.0], [-9.0, 9.0, 0.0]])
FLOOR_TRIANGLES = np.array([[0, 1, 2], [0, 2, 3]])
