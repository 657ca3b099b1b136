"""Contacts within the inner steps of soft bodies."""
