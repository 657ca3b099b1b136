"""Spring graphs with the symplectic integrator: all forces are explicit."""
