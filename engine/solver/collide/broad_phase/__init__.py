"""Which elements may meet: boxes, patches, trees, cached pairs."""
