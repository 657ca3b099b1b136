"""Materials and sky of the scenes, one look per file, made of shader nodes only, without image files."""
