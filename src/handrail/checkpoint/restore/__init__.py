"""Restores files: target, plan, conflicts, and the change itself."""
