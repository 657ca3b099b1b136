"""Contacts within the inner steps of soft bodies: separation, friction, energy limit, sleep."""
