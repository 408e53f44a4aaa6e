"""Asks a model about the screen, within a budget."""
