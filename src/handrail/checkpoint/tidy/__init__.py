"""Keeps the store small: retention, repacking, and what killed processes left behind."""
