"""Rigid bodies: their state, free motion, contacts, links and sleep."""
