"""Checkpoints and restores: when the daemon saves files, and how a person gets them back."""
