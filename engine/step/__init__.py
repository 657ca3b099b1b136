"""The time step: stages, integrators, stability bound and accuracy control."""
