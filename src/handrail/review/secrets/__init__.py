"""Secrets that a run knows, and calls that would carry them away."""
