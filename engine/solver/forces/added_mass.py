"""Added mass: the water that moves with light hulls.

Water around a body moves with it: a ball of volume V accelerates rho V / 2 of it (Lamb, Hydrodynamics, 1932, § 92).
Hulls filled with air weigh a hundredth of that; without added mass they would leave the water at 10,000 m/s². So wet
particles also have that mass until the substep ends, spread over the surface; springs, ties and contacts use it:

    m' = m + rho A V0 / (2 A0)      A: wet surface of the particle; V0, A0: volume and surface of its piece at rest

Gravity acts on m only, as water floats in water. A particle that enters the water shares its momentum with the water
that it sets in motion (von Karman 1929): v' = v m'_before / m'. A particle that leaves the water keeps its velocity.
"""

from __future__ import annotations

from ...compiler.kernels import parallel_kernel, part_of_kernel, prange


@part_of_kernel
def add_mass(i, extra, particles):
    """Add the mass `extra` of water that moves with particle i [kg]; particles: `columns.WetParticles`.

    Returns:
        the fraction of the mass on which gravity does not act, and the fraction of its velocity that the particle
        keeps.
    """
    if extra == 0.0:
        return 0.0, 1.0
    added = particles.added[i]
    if added == 0.0:
        particles.own_mass[i] = particles.mass[i]
        particles.own_inv_mass[i] = particles.inv_mass[i]
    own = particles.own_mass[i]
    before, after = own + max(added, particles.was_added[i]), own + added + extra
    particles.added[i] = added + extra
    particles.mass[i] = after
    particles.inv_mass[i] = 1.0 / after
    return extra / after, min(before / after, 1.0)


@parallel_kernel
def release_tiles(particles, surface):
    """Remove the added mass; particles, surface: `columns.WetParticles`, `columns.WetSurface`."""
    mass = particles.mass
    inv_mass = particles.inv_mass
    added = particles.added
    own_mass = particles.own_mass
    own_inv_mass = particles.own_inv_mass
    tile_start = surface.tile_start
    ids = surface.ids
    for tile in prange(tile_start.shape[0] - 1):
        for q in range(tile_start[tile], tile_start[tile + 1]):
            i = ids[q]
            if added[i] > 0.0:
                mass[i] = own_mass[i]
                inv_mass[i] = own_inv_mass[i]
