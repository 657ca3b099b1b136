"""The last check of a substep: what still crosses a surface is moved back."""
