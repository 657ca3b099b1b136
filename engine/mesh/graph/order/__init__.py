"""The order in which springs and hinges are solved: schedule, runs, packing."""
