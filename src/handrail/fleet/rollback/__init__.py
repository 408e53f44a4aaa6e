"""Checkpoints of a whole fleet, and the way back to one."""
