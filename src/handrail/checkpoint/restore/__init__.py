"""Puts files back: what to restore, the plan, the conflicts, and the change itself."""
