"""Linear equations with a symmetric 3 x 3 matrix, solved by cofactors."""

from __future__ import annotations

from ..compiler.kernels import part_of_kernel


@part_of_kernel
def solve_symmetric(xx, yy, zz, xy, xz, yz, x, y, z):
    """Solve ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)) t = (x, y, z).

    Returns: t (3) and the determinant; t is 0 if the determinant is not positive.
    """
    c_x = yy * zz - yz * yz
    c_y = yz * xz - xy * zz
    c_z = xy * yz - yy * xz
    det = xx * c_x + xy * c_y + xz * c_z
    if det <= 0.0:
        return 0.0, 0.0, 0.0, det
    return (
        (x * c_x + y * c_y + z * c_z) / det,
        (x * c_y + y * (xx * zz - xz * xz) + z * (xy * xz - xx * yz)) / det,
        (x * c_z + y * (xy * xz - xx * yz) + z * (xx * yy - xy * xy)) / det,
        det,
    )
