"""The daemon: hooks, control, files, health."""
