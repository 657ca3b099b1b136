"""The order in which springs and hinges are solved: runs, packing, schedule."""
