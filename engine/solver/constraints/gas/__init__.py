"""Air in closed pieces: the gas law on the enclosed volume."""
