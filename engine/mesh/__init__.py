"""From a mesh to springs, closed parts, trees and voxels."""
