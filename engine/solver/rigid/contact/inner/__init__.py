"""Rigid bodies in the inner steps of soft ones."""
