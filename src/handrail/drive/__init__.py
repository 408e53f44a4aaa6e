"""Agents that Handrail drives itself."""
