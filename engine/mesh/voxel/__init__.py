"""Voxelization of meshes: inside test, coverage of each voxel, mass properties."""
