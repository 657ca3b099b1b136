"""The last check of a substep: particles and bodies that still cross a surface are moved back."""
