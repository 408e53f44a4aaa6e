"""Plays a recorded session in a real editor."""
