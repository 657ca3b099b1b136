"""Water as a field: buoyancy, drag and waves on spring graphs, rigid bodies and agents."""
