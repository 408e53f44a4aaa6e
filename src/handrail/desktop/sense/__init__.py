"""Recognises the state of the screen without a model."""
