"""Spring graphs under the symplectic integrator: all forces explicit."""
