"""Particle fluids: see `density` for the law, `cells` for the coarse pressure, `walls` for what they meet."""
