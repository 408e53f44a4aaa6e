"""The topics of the protocol, which any program may read, and write requests to."""

CONTROL = "loop:control"
"""Requests and the answers to them (schema 0)."""
CURRENT = "loop:current"
"""The standing of loops (schema 1)."""
