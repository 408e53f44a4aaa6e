"""Agents that Handrail drives itself: turn by turn, until the goal is reached."""
