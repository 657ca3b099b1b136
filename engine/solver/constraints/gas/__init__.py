"""Air in closed pieces: the gas law as a constraint on the enclosed volume."""
