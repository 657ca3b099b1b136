"""Materials and sky of the scenes, one look a file, all made of shader nodes: no pictures to ship."""
