"""Fakes that ship with Handrail."""
