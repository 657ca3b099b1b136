"""From a mesh to a lattice of cubic cells that fill it, and to how its vertices ride on them."""
