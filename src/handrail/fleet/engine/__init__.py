"""The engine that gives tasks away, and its state in the log."""
