"""From a mesh to springs, struts, closed parts and the order in which they are solved."""
