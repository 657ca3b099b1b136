"""The world: what holds still, what changes, what comes in and what leaves."""
