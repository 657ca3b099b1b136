"""Mesh processing: springs, closed parts, trees and voxels."""
