"""Handrail reviews what an AI agent is about to do, before it does it."""

__version__ = "0.1.0"
