"""The state of a run: a pure fold of its events."""
