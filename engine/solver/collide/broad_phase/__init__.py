"""Broad phase, the search for elements that may touch: boxes, patches, trees, cached pairs."""
