"""Whole sessions as data, each written down as people and agents really work."""
