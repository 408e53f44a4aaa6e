"""Checkpoints and restores: when files are saved, and how a person gets them back."""
