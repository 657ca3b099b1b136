"""Contacts of rigid bodies: preparation, impulses, what follows from them."""
