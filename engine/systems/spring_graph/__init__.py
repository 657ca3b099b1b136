"""Spring graphs: cloth, trusses, jelly, inflatables."""
