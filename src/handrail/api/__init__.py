"""The HTTP API of the daemon, as a table of typed operations."""
