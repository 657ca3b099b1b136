/* The seed's tick: springs over each vertex's neighbours, then symplectic Euler.

   f_i = sum_j k (|x_j - x_i| - l_ij) (x_j - x_i) / |x_j - x_i|
   v += h f / m ;  x += h v

   Each spring is evaluated at both of its ends. REAL is float or double. */

#include <math.h>

#define JOIN(a, b) a##b
#define NAME(real) JOIN(tick_, real)

void NAME(REAL)(int count, int slots, const int *neighbour, const REAL *rest, const REAL *mass, REAL stiffness, REAL h,
                REAL *x, REAL *v, REAL *f, int threads)
{
    #pragma omp parallel for num_threads(threads)
    for (int i = 0; i < count; ++i) {
        REAL force[3] = {0, 0, 0};
        for (int s = 0; s < slots; ++s) {
            /* A slot without a neighbour contains the vertex itself. */
            int j = neighbour[i * slots + s];
            REAL apart[3];
            REAL square = 0;
            for (int d = 0; d < 3; ++d) {
                apart[d] = x[3 * j + d] - x[3 * i + d];
                square += apart[d] * apart[d];
            }
            if (!(square > 0)) { continue; }
            REAL length = ROOT(square);
            REAL pull = stiffness * (length - rest[i * slots + s]) / length;
            for (int d = 0; d < 3; ++d) { force[d] += pull * apart[d]; }
        }
        for (int d = 0; d < 3; ++d) { f[3 * i + d] = force[d]; }
    }
    #pragma omp parallel for num_threads(threads)
    for (int i = 0; i < count; ++i) {
        for (int d = 0; d < 3; ++d) {
            v[3 * i + d] += h * f[3 * i + d] / mass[i];
            x[3 * i + d] += h * v[3 * i + d];
        }
    }
}
