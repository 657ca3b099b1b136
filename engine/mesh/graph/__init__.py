"""Mesh topology: spring links, struts, closed parts, bounding volume trees, and the solving order of springs."""
