"""Bodies that only move and turn: their state, how they go on, and how contacts push them."""
