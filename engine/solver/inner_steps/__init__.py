"""The inner steps of springs, solid cells and air."""
