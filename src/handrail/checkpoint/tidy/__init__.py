"""Keeps the store small: retention, repacking, and leftovers of killed processes."""
