"""Contacts of rigid bodies: preparation, impulses, overlap recovery, motion and restitution."""
