"""Water as a field: buoyancy and drag on spring graphs and rigid bodies."""
