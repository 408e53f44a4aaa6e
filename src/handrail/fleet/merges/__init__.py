"""Merges of finished tasks."""
