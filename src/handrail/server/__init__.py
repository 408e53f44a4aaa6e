"""The daemon: hooks, metrics, health."""
