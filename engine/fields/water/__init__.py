"""Water: lift and drag of spring graphs and rigid bodies."""
